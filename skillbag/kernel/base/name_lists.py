"""Lists of names in one text."""

from __future__ import annotations

from collections.abc import Iterable


def split_list(values: Iterable[str]) -> tuple[str, ...]:
    """The names in values such as `root,links`, each of which may have several with commas."""
    return tuple(name.strip() for value in values for name in value.split(",") if name.strip())
