"""Names of skills: the canonical form, and what a name in another form means (clause root.name-pattern)."""

from __future__ import annotations

from skillbag.base.lazy_regex import late
from skillbag.workspace.target import MAX_NAME, is_skill_name

is_name = is_skill_name
"""Whether a name is canonical and of allowed length."""
MAX_LENGTH = MAX_NAME

_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_SEPARATORS = late(r"[\s_-]+")


def canonical(name: str) -> str:
    """The hyphenated, lower-case form of a name; the result may still be invalid."""
    return _SEPARATORS().sub("-", name.strip().lower()).strip("-")


def fixable(name: str) -> str | None:
    """The canonical name for a name in another form; None where it is canonical already or can't be corrected."""
    if is_name(name):
        return None
    better = canonical(name)
    return better if is_name(better) else None


def name_fault(name: str) -> str:
    """What is wrong with a name that is not canonical: the first fault, as the end of a sentence about the name."""
    if len(name) > MAX_LENGTH:
        return f"has more than {MAX_LENGTH} characters"
    if other := next((char for char in name if char not in _CHARACTERS), ""):
        return "has a capital letter" if other.isupper() else f"has the character {_quoted(other)}"
    if "--" in name:
        return "has two hyphens in a row"
    return "begins with a hyphen" if name.startswith("-") else "ends with a hyphen"


def _quoted(char: str) -> str:
    return f"`{char}`" if char.isprintable() and char not in " `" else f"U+{ord(char):04X}"
