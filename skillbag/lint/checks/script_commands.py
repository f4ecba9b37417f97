"""The commands of a text that run a script of its skill: which script, and with which arguments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.source import Document
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.prefilter import in_outer_fence
from skillbag.lint.checks.script_names import ENDINGS, named_scripts
from skillbag.lint.facts.roles import is_shown
from skillbag.lint.facts.units import Unit, units_at
from skillbag.lint.signals.programs import ProgramRun, run_of
from skillbag.lint.signals.shell_commands import ShellCommand, Word, commands

_INTERPRETERS = late(r"(?:python(?:3(?:\.\d+)?)?|py|bash|sh|zsh|node|bun|tsx|ts-node|deno)\Z")
_RUNNERS = frozenset(
    ("uv", "uvx", "poetry", "pipenv", "pdm", "rye", "hatch", "npx", "bunx", "pnpm", "yarn", "bun", "deno")
)
_WITH_VALUE = frozenset(
    ("-W", "-X", "--with", "--python", "-p", "--extra", "--group", "--project", "--directory", "-r")
)
"""Options of interpreters and runners that take a value."""
_STAND_IN = late(r"<[^\s<>=()][^<>\n]{0,80}>")
_OPTIONAL = late(r"(?<=\s)\[[^\]\n]{1,200}\]")
_VARIABLE = late(r"\$\{?\w+\}?\Z|\{[\w -]*\}\Z|~\Z")
LOOSE = ("...", "…", "[", "$(", "*")
"""What stands for any number of words."""


class ScriptRun(NamedTuple):
    """A command that runs a script of the skill: its path in the skill, its text, and the words behind it.

    `loose`: words are left out, or stand for any number of others. `before` are the commands above it in its block.
    """

    path: str
    source: str
    words: tuple[Word, ...]
    unit: Unit
    command: ShellCommand
    loose: bool
    before: tuple[ShellCommand, ...]

    def is_meant(self) -> bool:
        """Whether it is not shown as wrong, or as a part of a sample; that takes longer than all else."""
        file, at = self.unit.file, self.unit.start
        shown = is_shown(file, at + self.command.start, at + self.command.end)
        return not shown and not in_outer_fence(file, at)


@lru_cache(maxsize=1)
def script_runs(text: TextFile) -> Sequence[ScriptRun]:
    """The commands of a text that run a script of its skill."""
    return tuple(_runs(text, text.skill)) if text.skill and named_scripts(text) else ()


def _runs(text: TextFile, skill: Skill) -> Iterator[ScriptRun]:
    seen: set[int] = set()
    for unit in units_at(text, sorted(_offsets(text))):
        if unit.language != "shell" or unit.start in seen:
            continue
        seen.add(unit.start)
        found = commands(_filled(unit.text))
        for number, command in enumerate(found):
            run = run_of(command)
            if run is None or (place := _script(run)) is None:
                continue
            path = script_at(place[0], skill)
            document = skill.read(path) if path else None
            if path and isinstance(document, Document):
                raw = unit.text[command.start : command.end]
                loose = any(sign in raw for sign in LOOSE)
                before = tuple(found[:number])
                yield ScriptRun(path, document.text, tuple(place[1]), unit, command, loose, before)


def _offsets(text: TextFile) -> set[int]:
    source, found = text.document.text, set[int]()
    for written in named_scripts(text):
        at = source.find(written)
        while at >= 0:
            found.add(at)
            at = source.find(written, at + 1)
    return found


def _filled(text: str) -> str:
    """A command line whose stand-ins are words, and whose optional parts are given; all places stay."""
    if "<" in text:
        text = _STAND_IN().sub(lambda match: "{" + "_" * (len(match[0]) - 2) + "}", text)
    if "[" in text:
        text = _OPTIONAL().sub(lambda match: f" {match[0][1:-1]} ", text)
    return text


def _script(run: ProgramRun) -> tuple[str, Sequence[Word]] | None:
    """The path of the script that a program runs, and the words behind it."""
    name = run.name.rpartition("/")[2]
    words = list(run.arguments)
    if name in _RUNNERS and words and words[0].text in ("run", "exec", "x", "tsx", "ts-node"):
        words = words[1:]
    elif not _INTERPRETERS().match(name):
        return (run.name, words) if run.name.endswith(ENDINGS) else None
    while words:
        word = words.pop(0).text
        if word == "-m" and words:
            return words[0].text.replace(".", "/") + ".py", words[1:]
        if word in _WITH_VALUE and words:
            words.pop(0)
        elif word.endswith(ENDINGS):
            return word, words
        elif word == "-c" or not (word.startswith("-") or _INTERPRETERS().match(word) or word == "run"):
            return None
    return None


def script_at(written: str, skill: Skill) -> str | None:
    """The file of the skill that a path leads to, from its folder, a variable for it, or a folder beside."""
    parts = written.split("/")
    for at in range(len(parts)):
        path = "/".join(parts[at:])
        if path in skill.paths:
            return path if _leads_here(parts[:at], skill) else None
    found = skill.named.get(written, ()) if len(parts) == 1 else ()
    return found[0][len(skill.directory) + 1 :].replace("\\", "/") if len(found) == 1 else None


def _leads_here(folders: Sequence[str], skill: Skill) -> bool:
    """Whether folders before a path may be those of the skill."""
    last = folders[-1] if folders else "."
    return last in (".", "..", skill.folder) or _VARIABLE().match(last) is not None
