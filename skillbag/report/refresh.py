"""What a refresh found, as JSON and as text. Names and paths are canonical and the id is printable: nothing to mask."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillbag.lifecycle.refresh import Change, Refresh


def refresh_values(refresh: Refresh) -> dict[str, Any]:
    """The JSON of a refresh, also where another command says what is pending."""
    return {
        "session": refresh.session,
        "changed": [{"path": one.path, "what": one.what.value} for one in refresh.changed],
        "read": list(refresh.read),
        "added": list(refresh.added),
        "removed": list(refresh.removed),
        "described": list(refresh.described),
        "always": list(refresh.always),
        "nothing": refresh.is_nothing,
    }


def refresh_text(refresh: Refresh) -> str:
    """A line for each kind of change that there is."""
    if refresh.is_nothing:
        return "Nothing has changed.\n"
    return "".join(f"{title}: {', '.join(names)}\n" for title, names in _parts(refresh) if names)


def _parts(refresh: Refresh) -> Iterator[tuple[str, list[str]]]:
    for title, what in (("Changed", Change.CHANGED), ("New", Change.NEW), ("Removed", Change.REMOVED)):
        yield title, [one.path for one in refresh.changed if one.what is what]
    yield "Skills added", [*refresh.added]
    yield "Skills no longer listed", [*refresh.removed]
    yield "Skills with another description", [*refresh.described]
    yield "Runs always from now on", [*refresh.always]
    yield "Read now, before relying on it", [*refresh.read]
