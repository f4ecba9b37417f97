"""Programs whose arguments name other programs: a pattern with a wildcard would allow anything through them."""

from __future__ import annotations

from collections.abc import Mapping

from skillbag.agent.allowed.git_commands import git_fault
from skillbag.agent.allowed.program_options import Commands, option_fault, words

_RUNNERS = words(
    "arch at batch bwrap busybox caffeinate chroot chrt cpulimit crontab dbus-run-session doas entr env expect "
    "fakeroot firejail flock gdb gtimeout ionice linux32 linux64 ltrace nice nohup nsenter numactl parallel perf "
    "pkexec prlimit proot rlwrap run-parts runcon runuser screen script setarch setpriv setsid start-stop-daemon "
    "stdbuf strace su sudo systemd-run taskset time timeout tmux toybox unbuffer unshare valgrind watch xargs xvfb-run"
)

_BUILTINS = words(
    ". : [ alias bind builtin command compgen complete declare disown enable eval exec export fc getopts hash jobs let "
    "local mapfile printf read readarray readonly set shift shopt source test trap typeset unalias unset wait"
)
"""Of the shell itself: they run what they are given, evaluate it, or change what later words of the line mean."""

_SHELLS = words("sh ash bash csh dash elvish fish ksh mksh nu osh posh pwsh rbash tcsh xonsh yash zsh")

_RUNS = "runs another program"
_LETTERS: Mapping[str, str] = {"fd": "xX", "rsync": "eM", "tar": "IF", "wget": "e"}
_NAMES: Mapping[str, str] = {
    "fd": "exec exec-batch",
    "rg": "pre hostname-bin",
    "rsync": "rsh rsync-path remote-option",
    "sort": "compress-program",
    "tar": "checkpoint-action info-script new-volume-script rmt-command rsh-command to-command use-compress-program",
    "wget": "execute use-askpass config",
}
_FIND = ("-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprint0", "-fprintf", "-fls")


def runs_others(command: tuple[str, ...], root: str, before: Commands = (), script: bool = False) -> bool:
    """Whether a command that a wildcard let pass could run another program.

    `root` is the folder that it is run in, `before` the commands before it in its line. With `script` the pattern
    itself names what a shell is to run (`bash tools/build.sh *`).
    """
    name, rest = command[0].rpartition("/")[2].lower().removesuffix(".exe"), list(command[1:])
    if name == "git":
        return git_fault(command, root, before) is not None
    if name == "find":
        return any(word in _FIND for word in rest)
    if name == "tar" and rest and not rest[0].startswith("-"):
        rest[0] = f"-{rest[0]}"  # its oldest way to give options
    letters = dict.fromkeys(_LETTERS.get(name, ""), _RUNS)
    names = dict.fromkeys(_NAMES.get(name, "").split(), _RUNS)
    is_runner = name in _RUNNERS or name in _BUILTINS or (name in _SHELLS and not script)
    return is_runner or option_fault(rest, letters, names) is not None
