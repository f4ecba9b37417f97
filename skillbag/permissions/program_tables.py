"""Programs that can run others, by the way in which they do, and the subcommands that are known to run nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from skillbag.permissions.program_options import words

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

SHELLS = words("ash bash csh dash elvish fish ksh mksh nu osh posh pwsh rbash sh tcsh yash zsh")

WRAPPERS = words("bunx npx pipx pnpx uvx")
"""Programs that run the one that is their first word."""

WRAPPING_VERBS: Mapping[str, frozenset[str]] = {
    "bun": words("run x"),
    "bundle": words("exec"),
    "conda": words("run"),
    "hatch": words("run"),
    "mise": words("exec x"),
    "npm": words("exec x"),
    "pdm": words("run"),
    "pipenv": words("run"),
    "pnpm": words("dlx exec"),
    "poetry": words("run"),
    "rbenv": words("exec"),
    "rye": words("run"),
    "uv": words("run"),
    "yarn": words("dlx exec"),
}
"""Likewise, behind one of these subcommands."""

VERBS: Mapping[str, frozenset[str]] = {
    "bun": words("add build i install outdated pm remove test update"),
    "bundle": words("check info install list outdated show update"),
    "cargo": words(
        "add b bench build c check clean clippy d doc fetch fmt metadata r remove run search t test tree update version"
    ),
    "conda": words("info list search"),
    "deno": words("check doc fmt info lint test types"),
    "docker": words(
        "diff history images info inspect logs port ps pull restart rm rmi search start stats stop top version"
    ),
    "dotnet": words("build clean list restore test"),
    "gh": words("api gist issue label pr project release repo ruleset run search status variable workflow"),
    "go": words("build clean doc env fmt get list mod run test version vet"),
    "hatch": words("build clean status version"),
    "helm": words("get history lint list search show status template version"),
    "ip": words("a addr address l link n neigh r route rule"),
    "kubectl": words("api-resources cluster-info describe explain get logs rollout top version"),
    "npm": words(
        "add audit bin cache ci dedupe doctor explain fund help i info install la list ll ls outdated pack ping prune "
        "r rebuild remove restart rm root run run-script search start stop t test uninstall up update version view "
        "why"
    ),
    "pdm": words("add build info install list lock outdated remove show sync update"),
    "pip": words("cache check debug download freeze hash help index install list show uninstall wheel"),
    "pipenv": words("check graph install lock sync uninstall update verify"),
    "pnpm": words(
        "add audit i import install licenses list ll ls outdated prune rebuild remove restart rm root run run-script "
        "start stop t test uninstall up update why"
    ),
    "podman": words(
        "diff history images info inspect logs port ps pull restart rm rmi search start stats stop top version"
    ),
    "poetry": words("add build check install list lock remove search show update version"),
    "rye": words("add build fetch fmt lint list lock remove show sync version"),
    "terraform": words("fmt plan graph output providers show validate version"),
    "tofu": words("fmt plan graph output providers show validate version"),
    "uv": words("add lock pip remove sync tree version"),
    "yarn": words(
        "add audit build check help info install licenses lint list outdated pack remove run start test upgrade "
        "version why"
    ),
}
"""What may be done under a pattern that names the program alone."""

ALIASES: Mapping[str, str] = {
    "ack-grep": "ack",
    "batcat": "bat",
    "bmake": "make",
    "bsdtar": "tar",
    "fdfind": "fd",
    "gawk": "awk",
    "gfind": "find",
    "gmake": "make",
    "gpg2": "gpg",
    "gradlew": "gradle",
    "gsed": "sed",
    "gsort": "sort",
    "gsplit": "split",
    "gtar": "tar",
    "mawk": "awk",
    "mvnw": "mvn",
    "nawk": "awk",
    "nodejs": "node",
    "original-awk": "awk",
    "pip3": "pip",
    "py.test": "pytest",
    "pypy": "python",
    "pypy3": "python",
    "python2": "python",
    "python3": "python",
    "ripgrep": "rg",
    "sqlite": "sqlite3",
    "tcc": "gcc",
    "yarnpkg": "yarn",
}
"""Other names under which a program of the tables is installed."""

INTERPRETERS: Mapping[str, str] = {
    "guile": "--version",
    "java": "-version --version -ea -da -server --enable-preview -Xmx* -Xms* -Xss*",
    "julia": "--version -q",
    "lua": "-v",
    "luajit": "-v",
    "node": (
        "--version -v --help -h --check -c --test --no-warnings --trace-warnings --enable-source-maps "
        "--trace-uncaught --no-deprecation --max-old-space-size: --watch --unhandled-rejections: --stack-trace-limit:"
    ),
    "perl": "-v --version -w -c -T",
    "php": "-v --version -l",
    "python": "-V --version -h --help -u -B -O -OO -q -v -I -E -s -S -b -bb -d -P",
    "rscript": "--version --vanilla",
    "ruby": "-v --version -w -c",
    "tsx": "--version",
    "ts-node": "--version -v",
}
"""Programs that run the script that is their first word, with the options that may stand before it."""

MODULES = words(
    "black build compileall coverage ensurepip flake8 http.server isort json.tool mypy pip py_compile pylint "
    "pytest ruff tabnanny twine unittest venv"
)
"""Modules of Python that `python -m` may run under a pattern that names none."""
