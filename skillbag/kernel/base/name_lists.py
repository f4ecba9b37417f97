"""Names as people write them: lists in one text, and the known name that an unknown one is near to."""

from __future__ import annotations

from collections.abc import Iterable


def split_list(values: Iterable[str]) -> tuple[str, ...]:
    """The names in values such as `root,links`, each of which may have several with commas."""
    return tuple(name.strip() for value in values for name in value.split(",") if name.strip())


def closest(name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """The known name that a name is most like; empty if none is like enough."""
    import difflib

    return next(iter(difflib.get_close_matches(name, list(known), 1, likeness)), "")


def did_you_mean(name: str, known: Iterable[str], otherwise: str, form: str = "{!r}", likeness: float = 0.6) -> str:
    """`did you mean 'x'?` with the nearest of the known names in this form; `otherwise` if none is near."""
    close = closest(name, known, likeness)
    return f"did you mean {form.format(close)}?" if close else otherwise


def nearest(name: str, known: Iterable[str], form: str = "{!r}", likeness: float = 0.6) -> str:
    """The same as the end of a sentence, after a semicolon; empty if none is near."""
    hint = did_you_mean(name, known, "", form, likeness)
    return f"; {hint}" if hint else ""
