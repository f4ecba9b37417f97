"""What a text sets up before it runs a script of its skill: environment variables, and packages from a file."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.name_lists import nearest
from skillbag.kernel.documents.source import Document
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.path_resolution import Locator, PathStatus
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.lint.checks.script_commands import ScriptRun, script_runs
from skillbag.lint.checks.script_names import ENDINGS
from skillbag.lint.signals.programs import run_of
from skillbag.lint.signals.shell_commands import Word

_READ = late(r"(?:environ(?:\.get)?[\[(]|getenv\(|process\.env\.|process\.env\[|\$\{?)\s*[\"']?([A-Z][A-Z0-9_]{2,})\b")
_NEAR = 0.75
"""How alike two names are that may be the same: a library may read others."""


@Predicate("script-variable", Subject.TEXT, values=("variable", "script", "detail"), needs="script_names.are_named")
def script_variable(text: TextFile, options: NoOptions) -> Iterator[Match]:
    """Environment variables that a text sets for a script, where the skill reads another one of a similar name."""
    seen: set[str] = set()
    for run in script_runs(text):
        for word in _set(run):
            name = word.text.partition("=")[0]
            if name in seen or text.skill is None:
                continue
            seen.add(name)
            programs = _programs(text.skill)
            detail = "" if name in programs else nearest(name, set(_READ().findall(run.source)), "`{}`", _NEAR)
            if detail and run.is_meant():
                start = run.unit.start + word.start
                values = {"variable": name, "script": run.path, "detail": detail}
                yield Match(text.document.path, start, start + len(name), values)


def _set(run: ScriptRun) -> Iterator[Word]:
    """The words that set a variable before a script, or in the lines above it."""
    yield from run.command.assigned
    for command in run.before:
        exported = run_of(command)
        if exported is not None and exported.name == "export":
            yield from [word for word in exported.arguments if "=" in word.text]


@lru_cache(maxsize=1)
def _programs(skill: Skill) -> str:
    """The texts of all scripts of a skill."""
    files = [skill.read(path) for path in sorted(skill.paths) if path.endswith(ENDINGS)]
    return "\n".join([file.text for file in files if isinstance(file, Document)])


@Predicate(
    "script-requirements",
    Subject.TEXT,
    values=("target",),
    literals=(b"-r ", b"--requirement "),
    needs="script_names.are_named",
)
def script_requirements(text: TextFile, options: NoOptions) -> Iterator[Match]:
    """Files of packages that a text installs in a block that runs a script of the skill, and that are not there."""
    seen: set[int] = set()
    for run in script_runs(text):
        for command in run.before:
            found = run_of(command)
            if found is None or found.name not in ("pip", "pip3", "uv", "python", "python3") or command.start in seen:
                continue
            seen.add(command.start)
            for before, word in zip(found.arguments, found.arguments[1:], strict=False):
                named = before.text in ("-r", "--requirement") and word.text.endswith(".txt")
                if named and "install" in found.texts and _is_missing(word.text, text) and run.is_meant():
                    start, end = run.unit.start + word.start, run.unit.start + word.end
                    yield Match(text.document.path, start, end, {"target": word.text})


def _is_missing(path: str, text: TextFile) -> bool:
    skill = text.skill
    if skill is None or any(sign in path for sign in "$<{~*") or path.startswith("/"):
        return False
    name = path.rpartition("/")[2]
    return name not in skill.named and Locator(text).find(path).kind is PathStatus.MISSING
