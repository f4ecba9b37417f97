"""What a refresh found, as text. Names and paths are canonical and the id is printable: nothing to mask."""

from __future__ import annotations

from skillbag.session.refresh.refresh import FileChangeKind, Refresh


def refresh_text(refresh: Refresh) -> str:
    """A line for each kind of change that there is."""
    if refresh.is_nothing:
        return "Nothing has changed.\n"
    kinds = (("Changed", FileChangeKind.CHANGED), ("New", FileChangeKind.NEW), ("Removed", FileChangeKind.REMOVED))
    lines = {title: [each.path for each in refresh.changed if each.what is what] for title, what in kinds} | {
        "Skills added": [*refresh.added],
        "Skills no longer listed": [*refresh.removed],
        "Skills with another description": [*refresh.described],
        "Runs always from now on": [*refresh.always],
        "Read now, before relying on it": [*refresh.read],
    }
    return "".join(f"{title}: {', '.join(names)}\n" for title, names in lines.items() if names)
