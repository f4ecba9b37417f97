"""Values and texts that tests share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
CORPUS = PROJECT.parent / "shared" / "corpus"


@dataclass(frozen=True)
class Outcome:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


Run = Callable[..., Outcome]
Tree = Callable[[Mapping[str, str]], Path]

SKILL = "---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n\nRead the file, then say what it holds.\n"


def skill(name: str, description: str = "Tidy a folder. Use when files lie about.") -> str:
    """The text of a small sound `SKILL.md`."""
    return SKILL.format(name=name, description=description)
