"""Paths that a command of a shell text writes to, and which of them lie outside of a workspace."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.lint.signals.programs import ProgramRun
from skillbag.lint.signals.shell_commands import ShellCommand, Word

_HOME = late(r"(?:~|\$HOME|\$\{HOME\}|%USERPROFILE%|\$env:USERPROFILE)(?=[/\\]|\Z)")
_TEMPORARY = (
    *("/tmp", "/var/tmp", "/dev/", "/proc/self", "/private/tmp", "/path", "/your", "/workspace", "/mnt", "/absolute"),  # noqa: S108
    *("/some", "/full", "/abs", "/repo", "/app", "/project"),
    *("/output", "/outputs", "/home/user", "/home/claude", "/src", "/work/"),
)
"""Where temporary files, the workspaces of hosted agents and the paths of examples lie."""
_SYSTEM = late(r"/(?:etc|usr|bin|sbin|lib|opt|var|boot|root|Library|System|Applications|sys)(?:/|\Z)")
_LAST = frozenset(["cp", "mv", "ln", "install", "rsync", "scp"])
_ALL = frozenset(["mkdir", "touch", "rm", "rmdir", "tee", "truncate", "shred"])
_OPTIONS = {"curl": ("-o", "--output"), "wget": ("-O", "-P", "--output-document"), "tar": ("-C",), "unzip": ("-d",)}


class OutsideWrite(NamedTuple):
    """A path outside, with `~` for the home folder. `system`: it belongs to the system; `removed`: it is deleted."""

    path: str
    start: int
    system: bool = False
    removed: bool = False


def outside(path: str) -> str | None:
    """A path outside of any workspace, with `~` for the home folder; None for all others."""
    if home := _HOME().match(path):
        return "~" + path[home.end() :].replace("\\", "/")
    if not path.startswith("/") or path.startswith("//") or len(path) < 2:
        return None
    if path.startswith(_TEMPORARY) or "<" in path or "{" in path or "*" in path[:3] or "YOUR" in path.upper():
        return None
    return path if _SYSTEM().match(path) or path.startswith(("/home/", "/Users/")) else None


def is_system(path: str) -> bool:
    """Whether a path lies in a folder of the system."""
    return bool(_SYSTEM().match(path))


def written(command: ShellCommand, run: ProgramRun | None) -> Iterator[OutsideWrite]:
    """The paths outside that a command writes, creates or deletes."""
    for redirect in command.redirects:
        if redirect.operator in (">", ">>", ">|", "&>", "&>>"):
            yield from _outside(redirect.word)
    if run is None:
        return
    name = run.name.rpartition("/")[2]
    plain = [word for word in run.arguments if not word.raw.startswith("-")]
    if name in _ALL:
        for word in plain:
            yield from _outside(word, removed=name in ("rm", "rmdir", "shred"))
    elif name in _LAST and len(plain) > 1:
        yield from _outside(plain[-1])
    elif name == "sed" and any(text.startswith(("-i", "--in-place")) for text in run.texts):
        for word in plain[1:]:
            yield from _outside(word)
    elif name in _OPTIONS:
        for option, word in zip(run.arguments, run.arguments[1:], strict=False):
            if option.text in _OPTIONS[name]:
                yield from _outside(word)


def _outside(word: Word, *, removed: bool = False) -> Iterator[OutsideWrite]:
    # Within quotes a shell does not know the home folder by `~`.
    if (path := outside(word.text)) is not None:
        yield OutsideWrite(path, word.start, is_system(path), removed)
