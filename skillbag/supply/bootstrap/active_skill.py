"""`skillbag new --type`: the files of a new active skill, which people copy from (skill runtime, section 10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple

from skillbag.supply.bootstrap.existing import CannotInitError
from skillbag.supply.bootstrap.plan import Action, create
from skillbag.supply.bootstrap.templates import template


class NewType(StrEnum):
    """What a new active skill is: one of the types of a manifest, or a tool by another backend than Starlark."""

    TOOL = "tool"
    PROMPT = "prompt"
    WORKFLOW = "workflow"
    SECURITY_RULE = "security-rule"
    TRANSFORM = "transform"
    PROCESS = "process"
    PLUGIN = "plugin"


class _File(NamedTuple):
    """A file of a new skill: its path in it, its template, and what it is."""

    path: str
    template: str
    why: str
    executable: bool = False


_MANIFEST = _File("SKILL.yaml", "manifest.yaml", "its manifest")
_CASE = _File("tests/first.yaml", "case.yaml", "a test case")
_CODE = _File("skill.star", "skill.star", "its code")
_INPUT = _File("input.json", "input.json", "the schema of its tool's input")

_FILES: Mapping[NewType, tuple[_File, ...]] = {
    NewType.TOOL: (_CODE, _INPUT),
    NewType.PROMPT: (),
    NewType.WORKFLOW: (_CODE,),
    NewType.SECURITY_RULE: (_CODE, _File("rules.yaml", "rules.yaml", "its rules")),
    NewType.TRANSFORM: (_CODE,),
    NewType.PROCESS: (_File("bin/{name}", "program.py.txt", "its program", executable=True), _INPUT),
    NewType.PLUGIN: (_File("skill.py", "skill.py.txt", "its code"), _INPUT),
}

_TRY: Mapping[NewType, str] = {
    NewType.TOOL: """skillbag runtime call {tool} '{"path": "FILE", "text": "WORDS"}'""",
    NewType.PROMPT: 'skillbag runtime why {name} --message "{words}"',
    NewType.WORKFLOW: """skillbag runtime run {name} '{"to": "headings.txt"}'""",
    NewType.SECURITY_RULE: "skillbag runtime scan --skills {name}",
    NewType.TRANSFORM: "echo 'We utilize it.' | skillbag runtime transform --skills {name}",
    NewType.PROCESS: """skillbag runtime call {tool} '{"text": "two words"}'""",
    NewType.PLUGIN: """skillbag runtime call {tool} '{"path": "FILE"}'""",
}
"""The command that tries the new skill of each type."""


def ways_to_try(name: str, type_: NewType) -> tuple[str, ...]:
    """The commands that try a new skill: its test cases, then the skill itself. In capitals: what the user puts in."""
    command = _TRY[type_]
    for mark, value in {"name": name, "tool": name.replace("-", "_"), "words": name.replace("-", " ")}.items():
        command = command.replace(f"{{{mark}}}", value)
    return f"skillbag runtime test {name}", command


def instructions(type_: NewType) -> str:
    """The template of the text of its `SKILL.md`; a prompt has the general one."""
    return template("new-skill.md") if type_ is NewType.PROMPT else template(f"active/{type_}/instructions.md")


def active_actions(folder: str, name: str, type_: NewType, fill: Callable[[str], str]) -> tuple[Action, ...]:
    """Create the files of the skill in `folder` (relative to the plan's root, with `/`), beside its `SKILL.md`.

    `fill` puts the values of the skill into a template.

    Raises:
        CannotInitError: an active skill can't have this name.
    """
    if not name[0].isalpha():
        raise CannotInitError(f"{name}: the name of an active skill begins with a letter")
    files = (_MANIFEST, *_FILES[type_], _CASE)
    return tuple(
        create(f"{folder}/{fill(file.path)}", fill(template(f"active/{type_}/{file.template}")), file.why)._replace(
            executable=file.executable
        )
        for file in files
    )
