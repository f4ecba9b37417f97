"""Globs of trigger files, compiled to regular expressions that take linear time (skill runtime, section 3).

`*` and `?` match within one name, `[...]` one character of it, `**` any number of folders.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

SEPARATOR = "\0"
"""Stands between the names of a text that is searched; no file name has it."""

_ANY = "[^/]*"


class FileGlob(NamedTuple):
    """A compiled glob. Each of `literals` is in every match, where names stand between separators."""

    literals: tuple[str, ...]
    expression: re.Pattern[str]


def has_wildcards(pattern: str) -> bool:
    """Whether the pattern is more than a plain name or path."""
    return "*" in pattern or "?" in pattern or "[" in pattern


def compile_glob(pattern: str) -> FileGlob:
    """Compile the glob of a name, or of a path with `/`."""
    return FileGlob(_literals(pattern), re.compile(_path(pattern.split("/"))))


def _literals(pattern: str) -> tuple[str, ...]:
    """The texts that every match has, the longest first; the separators around a name belong to them."""
    # Brackets are not worth the effort: what follows the first one is left out.
    plain = re.sub(r"\[.*", "*", pattern.replace("**/", "*"), flags=re.DOTALL)
    return tuple(sorted(filter(None, re.split(r"[*?]", f"{SEPARATOR}{plain}{SEPARATOR}")), key=len, reverse=True))


def _path(parts: list[str]) -> str:
    """The expression of a path, by its names.

    The names between two `**` are matched as early as possible: a later match could not help what follows. So they
    stand in atomic groups, and hostile patterns can't make the search try all combinations.
    """
    groups: list[list[str]] = [[]]
    for part in parts:
        if part == "**":
            groups.append([])
        else:
            groups[-1].append(_name(part))
    first, *others = ["/".join(group) for group in groups]
    if not others:
        return rf"{first}\Z"
    *middle, last = others
    head = f"{first}/" if first else ""
    inner = "".join(f"(?>(?:[^/]+/)*?{group}/)" for group in middle if group)
    return rf"{head}{inner}(?:[^/]+/)*?{last or '[^/]+'}\Z"


def _name(part: str) -> str:
    """The expression of one name; all stars but the last one are atomic, as in `fnmatch`."""
    first, *others = _between_stars(part)
    if not others:
        return "".join(_tokens(first))
    *middle, last = ["".join(_tokens(text)) for text in others]
    inner = "".join(f"(?>[^/]*?{text})" for text in middle if text)
    return f"{''.join(_tokens(first))}{inner}{_ANY}{last}"


def _between_stars(part: str) -> list[str]:
    """The texts between stars, without those in brackets."""
    texts, place = [""], 0
    while place < len(part):
        end = _closing(part, place) if part[place] == "[" else place
        if part[place] == "*":
            texts.append("")
        else:
            texts[-1] += part[place : end + 1]
        place = end + 1
    return texts


def _tokens(text: str) -> Iterator[str]:
    place = 0
    while place < len(text):
        end = _closing(text, place) if text[place] == "[" else place
        if end > place:
            yield _characters(text[place + 1 : end])
        else:
            yield "[^/]" if text[place] == "?" else re.escape(text[place])
        place = end + 1


def _closing(text: str, opening: int) -> int:
    """Where the bracket of `opening` closes; `opening` itself if it does not, and is a plain character."""
    start = opening + 1 + text.startswith("!", opening + 1)
    end = text.find("]", start + 1)
    return end if end >= 0 else opening


def _characters(inside: str) -> str:
    """The expression of one character of a bracket; it is never `/`."""
    negative = inside.startswith("!")
    text, items = inside[negative:], []
    while text:
        low, high = text[0], text[2] if len(text) > 2 and text[1] == "-" else text[0]
        if low <= high:
            items.append(f"{re.escape(low)}-{re.escape(high)}")
        text = text[3:] if len(text) > 2 and text[1] == "-" else text[1:]
    if not items:
        return "[^/]" if negative else "(?!)"
    return f"(?!/)[{'^' if negative else ''}{''.join(items)}]"
