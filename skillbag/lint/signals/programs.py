"""Which program a command of a shell text runs, behind keywords and wrappers such as `sudo`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.lint.signals.shell_commands import ShellCommand, Word

_KEYWORDS_WORDS = "if then else elif while until do ! { time"
KEYWORDS = frozenset(_KEYWORDS_WORDS.split())
"""Words after which another command begins."""

_NO_COMMANDS_WORDS = "for case select function in fi done esac } [[ (("
NO_COMMANDS = frozenset(_NO_COMMANDS_WORDS.split())

_BUILTINS_WORDS = """
    . : [ alias bg break builtin cd command continue declare dirs echo enable eval exec exit export false fg getopts
    hash help history jobs let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt
    source test times trap true type typeset ulimit umask unalias unset wait"""
BUILTINS = frozenset(_BUILTINS_WORDS.split())
"""Commands of the shell itself, which start no program."""

_KNOWN_WORDS = """
    apk apt apt-get aws awk az bash brew bun bunx bundle cargo cat cd chmod chown claude cmake codex conda convert cp
    crontab curl deno dig direnv dnf docker docker-compose dotnet echo env export ffmpeg find flutter gcc gcloud gem gh
    git go gradle grep gunzip helm http java javac jq jupyter kubectl launchctl ln ls make mkdir mv mvn mypy nano nc
    next node npm npx nslookup open openssl osascript pandoc perl php pip pip3 pipx pkill pnpm podman poetry powershell
    printf prisma psql pwsh pytest python python3 rails redis-cli rg rm rsync ruby ruff rustup scp sed service sh
    skillbag source sqlite3 ssh ssh-keygen sudo supabase systemctl tar tee terraform touch tsc unzip uv uvicorn
    uvx vercel vim vitest wget winget wrangler xargs yarn zip zsh"""
KNOWN = frozenset(_KNOWN_WORDS.split())
"""Programs by which a text without a language is known to be commands."""

MADE_EXECUTABLE = (
    r"chmod[ \t]+(?:-\w+[ \t]+)?"
    r"(?:(?=\S{0,20}[+=][rwst]{0,3}x)[ugoarwxst+=,-]{2,20}|[0-7]?(?=[0-7]{0,2}[1357])[0-7]{3})"
)
"""Up to the files: a command that makes them executable, by letters or by an octal mode."""

_PROGRAM = late(r"(?:[\w.+@~-]|\$\{?\w+\}?)?[\w./+~@-]*\Z")
_OF_WRAPPER = {
    "sudo": frozenset("ugCDghpRrTtU"),
    "doas": frozenset("uC"),
    "env": frozenset("uSC"),
    "nice": frozenset("n"),
    "timeout": frozenset("ks"),
    "xargs": frozenset("IiLlnPsEd"),
    "nohup": frozenset(),
    "exec": frozenset("a"),
    "command": frozenset(),
    "time": frozenset(),
    "setsid": frozenset(),
    "busybox": frozenset(),
    "toybox": frozenset(),
    "stdbuf": frozenset("ioe"),
}
"""Programs that run the command in their arguments, with their options that take a value."""


class ProgramRun(NamedTuple):
    """A program that a command runs: its `name`, its arguments, and the wrappers before it."""

    name: str
    arguments: tuple[Word, ...]
    wrappers: tuple[str, ...]
    start: int

    @property
    def texts(self) -> tuple[str, ...]:
        """The arguments as texts."""
        return tuple([word.text for word in self.arguments])


def run_of(command: ShellCommand) -> ProgramRun | None:
    """The program of a command; None where it has none, or one that is decided at run time."""
    words, wrappers = list(command.words), []
    while words and words[0].raw in KEYWORDS:
        words.pop(0)
    while words:
        name = words[0].text.rpartition("/")[2]
        if name not in _OF_WRAPPER or len(words) == 1:
            break
        wrappers.append(name)
        words = _after_options(words[1:], name)
    if not words or words[0].raw in NO_COMMANDS or (words[0].raw[:1] in "'\"" and " " in words[0].text):
        return None
    name = words[0].text
    if not name or not _PROGRAM().match(name) or (name.strip("./~-@") == "" and (name != "." or len(words) < 2)):
        return None
    return ProgramRun(name, tuple(words[1:]), tuple(wrappers), words[0].start)


def _after_options(words: Sequence[Word], wrapper: str) -> list[Word]:
    rest = list(words)
    while rest and (rest[0].text.startswith("-") or "=" in rest[0].text):
        option = rest.pop(0).text
        if option == "--":
            break
        if len(option) == 2 and option[1:] in _OF_WRAPPER[wrapper] and rest:
            rest.pop(0)
    if wrapper == "timeout" and len(rest) > 1:
        rest.pop(0)
    return rest


_FOLDERS = ("/usr/bin/", "/bin/", "/usr/local/bin/", "/usr/sbin/", "/sbin/", "/opt/homebrew/bin/")


def plain_name(run: ProgramRun) -> str:
    """The program's name as it is shown: without the folder of a system program or an extension of Windows."""
    name = run.name
    for folder in _FOLDERS if name[:1] == "/" else ():
        name = name.removeprefix(folder)
    return name.removesuffix(".exe")


_KUBE = "-n --namespace --context --kube-context --kubeconfig -s --server --cluster --user --as --token"
_OF_PROGRAM = {
    "git": "-C -c --git-dir --work-tree --namespace --config-env",
    **dict.fromkeys(("npm", "pnpm", "yarn"), "-C --prefix --dir --cwd -w --workspace -F --filter --registry"),
    **dict.fromkeys(
        ("docker", "podman", "docker-compose"),
        "-H --host -c --context --config -l --log-level -f --file -p --project-name --project-directory --profile",
    ),
    **dict.fromkeys(("kubectl", "oc", "helm"), _KUBE),
    "gh": "-R --repo --hostname",
    "aws": "--profile --region --output --endpoint-url --query --ca-bundle",
    "gcloud": "--project --account --configuration --format --verbosity",
    "az": "--subscription -o --output --query",
    "cargo": "-C -Z --config --manifest-path --color",
    **dict.fromkeys(("uv", "poetry"), "-C --directory -P --project --config-file --cache-dir"),
    **dict.fromkeys(("pip", "pip3"), "--python --proxy --log --timeout --cache-dir"),
    "systemctl": "-H --host -M --machine -t --type -p --property",
    "go": "-C",
}
"""Options of programs with subcommands that take the next word."""


def begins_with(words: Sequence[str], wanted: str) -> bool:
    """Whether a command begins with the `wanted` words (globs), if without the options that these do not name."""
    wanted, program = wanted.lower(), words[0].lower()
    named = [word for word in wanted.split() if word.startswith("-")]
    taking = _OF_PROGRAM.get(program, "").split()
    bare, rest = list[str](), iter(words)
    for word in rest:
        if not word.startswith("-") or any(fnmatchcase(word.lower(), option) for option in named):
            bare.append(word)
        elif word in taking:
            next(rest, None)
    return any(fnmatchcase(f"{' '.join(each).lower()} ", f"{wanted} *") for each in (words, bare))


def pipelines(found: Iterable[ShellCommand]) -> Iterator[list[ShellCommand]]:
    """The commands grouped by pipeline, each in the order of its data."""
    groups: dict[int, list[ShellCommand]] = {}
    for command in found:
        groups.setdefault(command.pipeline, []).append(command)
    yield from groups.values()
