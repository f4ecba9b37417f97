"""Names of skills: the canonical form, and what a name in another form means (clause root.name-pattern)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.target import MAX_NAME, is_skill_name

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


def is_foreign_name(name: str) -> bool:
    """Whether a name is valid for the Agent Skills format, though not canonical here: letters of other scripts.

    The format's reference validator takes letters and digits of any script, in lower case, after NFKC.
    """
    if name.isascii():
        return False
    name = normalized(name)
    letters = name.replace("-", "")
    return (
        len(name) <= MAX_LENGTH
        and letters.isalnum()
        and name == name.lower()
        and "--" not in name
        and not name.startswith("-")
        and not name.endswith("-")
    )


def normalized(name: str) -> str:
    """A name in the form in which the format's reference validator compares it: NFKC."""
    return unicodedata.normalize("NFKC", name)


def name_fault(name: str) -> str:
    """What is wrong with a name that is not canonical: all its faults, as the end of a sentence about the name."""
    has = [*_wrong_characters(name)]
    if len(name) > MAX_LENGTH:
        has.append(f"{len(name)} characters, more than {MAX_LENGTH}")
    if "--" in name:
        has.append("two hyphens in a row")
    faults = [f"has {_joined(has)}"] if has else []
    ends = [verb for verb, wrong in (("begins", name.startswith("-")), ("ends", name.endswith("-"))) if wrong]
    faults += [f"{' and '.join(ends)} with a hyphen"] if ends else []
    return " and ".join(faults)


def _joined(words: list[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def _wrong_characters(name: str) -> Iterator[str]:
    kinds = (("a capital letter", str.isupper), ("a space", " ".__eq__), ("an underscore", "_".__eq__))
    wrong = dict.fromkeys(char for char in name if char not in _CHARACTERS)
    for words, fits in kinds:
        if fitting := [char for char in wrong if fits(char)]:
            yield words
            wrong = dict.fromkeys(char for char in wrong if char not in fitting)
    if wrong:
        yield f"the character {_quoted(next(iter(wrong)))}"


def _quoted(char: str) -> str:
    return f"`{char}`" if char.isprintable() and char not in " `" else f"U+{ord(char):04X}"
