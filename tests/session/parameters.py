"""A workspace with one skill that has parameters, and the resolution of its inputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from skillbag import ResolvedInputs, Session, open_workspace
from tests.supply.install.worlds import write

ENTRYPOINT = "SkillBag v0.3.0\n"
SAYS = "parameters: {convert: {format: %s}}"
"""A block that gives a value for `format`."""

CATALOG = "convert: Converts files. Use for conversions.\n"

CONDITIONAL = """
required:
  - name: input-path
optional:
  - name: format
    default: html
  - name: page-size
    required-if: {format: [pdf, ps], input-path: "*"}
    values: [A4, letter]
"""
"""Parameters of which one is needed because of the others."""


def block(text: str) -> str:
    """A context file that holds one block."""
    return f"# Context\n\n```yaml\n{text.strip()}\n```\n"


def skill_text(parameters: str) -> str:
    """The `SKILL.md` of the skill `convert`, with a block of parameters from line 11 on."""
    head = f"---\nname: convert\ndescription: {CATALOG[9:-1]}\n---\n\nConvert it.\n\n## Parameters\n\n"
    return f"{head}```yaml\n{parameters.strip()}\n```\n"


def make(
    root: Path,
    parameters: str,
    *,
    context: str | None = None,
    user: str | None = None,
    entrypoint: str | None = None,
    files: Mapping[str, str | bytes] | None = None,
) -> Path:
    """The workspace: the parameters of `convert`, what the blocks of the three files say, and further files."""
    named = {"CONTEXT.md": context, "USER_CONTEXT.md": user}
    texts = {path: block(text) for path, text in named.items() if text is not None}
    rest = "" if entrypoint is None else block(entrypoint)
    return write(
        root,
        {
            "SKILLBAG.md": f"{ENTRYPOINT}{rest}",
            ".skills/SKILLS.md": CATALOG,
            ".skills/convert/SKILL.md": skill_text(parameters),
            **texts,
            **(files or {}),
        },
    )


def resolve(
    root: Path,
    *says: str,
    prohibits: Iterable[str] = (),
    values: Mapping[str, object] | None = None,
) -> ResolvedInputs:
    """The inputs of `convert`, from the files as they are now."""
    return Session(open_workspace(str(root))).resolve("convert", values, says=says, prohibits=prohibits)


def effective(resolution: ResolvedInputs) -> dict[str, object]:
    """The effective values, plain."""
    return {name: value.value for name, value in resolution.values.items()}


def origins(resolution: ResolvedInputs) -> dict[str, str]:
    """Who gives each effective value: `CONTEXT.md:4`, or the level where there is no place."""
    given = ((parameter.name, parameter.effective) for parameter in resolution.inputs)
    return {name: str(value.place or value.level.label) for name, value in given if value}


def hidden(resolution: ResolvedInputs, name: str) -> list[tuple[object, str, str]]:
    """The hidden values of a parameter: value, level, and why it was dropped."""
    return [
        (candidate.value.value, candidate.level.label, candidate.dropped)
        for given in resolution.inputs
        if given.name == name
        for candidate in given.hidden
    ]


def requested(resolution: ResolvedInputs) -> list[tuple[str, str]]:
    """Kind and subject of each question."""
    return [(question.kind.value, question.about) for question in resolution.questions]
