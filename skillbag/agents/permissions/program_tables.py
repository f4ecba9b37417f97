"""Programs that can run others, by the way in which they do; `known_programs.txt` has what is known of each."""

from __future__ import annotations

import os
from functools import cache
from typing import NamedTuple

from skillbag.agents.permissions.program_options import words

RUNNERS = words(
    "arch at batch busybox bwrap caffeinate chroot chrt cpulimit crontab dbus-run-session doas entr env expect "
    "fakeroot firejail flock gdb gtimeout ionice linux32 linux64 ltrace nice nohup nsenter numactl parallel perf "
    "pkexec prlimit proot rlwrap run-parts runcon runuser screen script setarch setpriv setsid start-stop-daemon "
    "stdbuf strace su sudo systemd-run taskset time timeout tmux toybox unbuffer unshare valgrind watch xargs "
    "xvfb-run concurrently direnv hyperfine nodemon watchexec"
)
"""Programs that start the one that their words name."""

WITH_COMMANDS = words(
    "ansible ansible-console autossh cpio cscope dc ed emacs emacsclient ex faketime ftp gnuplot gpg-agent gs "
    "info irb joe jshell kakoune kate lftp lldb logrotate m4 mail mailx micro mlr mosh most msfconsole mutt mysql "
    "nano nc ncat ncftp netcat nvim nvimdiff octave opam openssl osascript pg pico pry psql rlogin rsh rview rvim "
    "sdiff sftp socat ssh-add ssh-agent ssh-keygen sshfs sshpass tclsh tcpdump telnet tip vi view vim vimdiff w3m "
    "wish xonsh xterm ansible-galaxy ansible-inventory duckdb dvips gpgconf groovy ipython lazygit ld tig"
)
"""Programs with a language, or commands of a user, in which others can be started: editors, pagers, consoles, nets."""

BUILTINS = words(
    ". : [ alias bind builtin chdir command compgen complete declare disown enable eval exec export fc getopts "
    "hash jobs let local mapfile popd printf pushd read readarray readonly set shift shopt source test trap "
    "typeset unalias unset wait"
)
"""Of the shell itself: they run what they are given, evaluate it, or change what later words of the line mean."""

IDLE = words("true false : echo exit")
"""Of the shell itself: they only set the status of a line, end it, or say something."""

SHELLS = words("ash bash csh dash elvish fish ksh mksh nu osh posh pwsh rbash sh tcsh yash zsh")

WRAPPERS = words("bunx npx pipx pnpx uvx")
"""Programs that run the one that is their first word."""

MODULES = words(
    "black build compileall coverage ensurepip flake8 http.server isort json.tool mypy pip py_compile pylint "
    "pytest ruff tabnanny twine unittest venv"
)
"""Modules of Python that `python -m` may run under a pattern that names none."""


class KnownPrograms(NamedTuple):
    """Tables by program: its options as `options_of` reads them, its harmless subcommands, those that run a program,
    and the options before the script of an interpreter; `aliases` has the program of another name."""

    options: dict[str, str]
    verbs: dict[str, str]
    wrapping: dict[str, str]
    interpreters: dict[str, str]
    aliases: dict[str, str]


@cache
def known_programs() -> KnownPrograms:
    """The tables of `known_programs.txt`, which explains its notation."""
    known = KnownPrograms({}, {}, {}, {}, {})
    tables = {"verbs:": known.verbs, "runs:": known.wrapping, "script:": known.interpreters}
    programs: list[str] = []
    with open(os.path.join(os.path.dirname(__file__), "known_programs.txt"), encoding="utf-8") as lines:
        for line in lines:
            name, is_alias, others = line.partition(" = ")
            if line.startswith(" "):
                kind, _, entries = line.strip().partition(" ")
                table = tables.get(kind, known.options)
                for program in programs:
                    table[program] = f"{table.get(program, '')} {entries if kind in tables else line.strip()}"
            elif is_alias and not line.startswith("#"):
                known.aliases.update(dict.fromkeys(others.split(), name))
            elif not line.startswith(("#", "\n")):
                programs = line.rstrip(":\n").split(", ")
    return known
