"""Symbols and their occurrences as values."""

from __future__ import annotations

from enum import StrEnum

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.standard.context_blocks import ANY_SKILL
from skillbag.kernel.standard.names import fixable


class SymbolKind(StrEnum):
    """What a symbol is."""

    SKILL = "skill"
    PARAMETER = "parameter"
    TAG = "tag"


class Role(StrEnum):
    """What an occurrence is: a definition, a use that programs read, or a mention in words for readers."""

    DEFINITION = "definition"
    REFERENCE = "reference"
    MENTION = "mention"


class Form(StrEnum):
    """How a name is written at an occurrence.

    `NAME`: as it is. `IDENTIFIER`: with `_` for `-`, as a skill is invoked (clause naming.invocation). `VALUE`: a whole
    YAML value, with quotes or escapes.
    """

    NAME = "name"
    IDENTIFIER = "identifier"
    VALUE = "value"


class Symbol(NamedTuple):
    """A skill by its canonical name, a tag as it is written (`#run/last`), or a parameter of the skill `skill`.

    A context file may give a parameter for every skill: then `skill` is `*`.
    """

    kind: SymbolKind
    name: str
    skill: str = ""


class Occurrence(NamedTuple):
    """A symbol at a place: `start` and `end` are offsets in code points, `line` and `column` are 1-based.

    No occurrence is longer than its line, unless it is a `VALUE`.
    """

    symbol: Symbol
    role: Role
    path: str
    start: int
    end: int
    line: int
    column: int
    form: Form = Form.NAME


class FileSymbols(NamedTuple):
    """The occurrences in one file, in order; `digest` is that of its content.

    `odd_lines` are the lines with occurrences that are not plain ASCII, by number, to convert columns. `odd_ends` says
    that a carriage return stands alone somewhere, which others count as a line's end.
    """

    path: str
    digest: bytes
    occurrences: tuple[Occurrence, ...]
    odd_lines: dict[int, str]
    odd_ends: bool = False


def skill_symbol(name: str) -> Symbol:
    """The symbol of a skill that is named in any spelling."""
    return Symbol(SymbolKind.SKILL, fixable(name) or name)


def parameter_symbol(name: str, skill: str) -> Symbol:
    """The symbol of a parameter of a skill, or of every skill (`*`)."""
    return Symbol(SymbolKind.PARAMETER, name, ANY_SKILL if skill == ANY_SKILL else fixable(skill) or skill)


def tag_symbol(text: str) -> Symbol:
    """The symbol of a tag."""
    return Symbol(SymbolKind.TAG, text)
