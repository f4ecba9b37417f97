"""What `link` and `unlink` did with each path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, NamedTuple

from skillbag.kernel.base.json_records import ABSENT, Absent


class LinkAct(StrEnum):
    """What was done with a path."""

    MADE = "made"
    RENEWED = "renewed"
    REMOVED = "removed"
    KEPT = "kept"
    LEFT = "left"
    """Not ours, or edited: nothing was done."""


class LinkRow(NamedTuple):
    """A path, and what was done with it."""

    path: Annotated[
        str,
        "Relative to the workspace, with `/`; with `--user` absolute. Of a skill with an invalid name its folder.",
    ]
    skill: str
    act: LinkAct
    why: Annotated[str, "Empty where there is nothing to say."] = ""


class LinkOutcome(NamedTuple):
    """The links that were made or removed, or would be. Exit code 1: something else is in the place of a link, it was
    edited, or a skill has an invalid name.
    """

    root: Annotated[str, "The absolute path of the workspace; with `--user` that of the folder of personal skills."]
    agents: Annotated[tuple[str, ...], "The agents that are linked now."]
    dry_run: Annotated[bool, "Nothing was written."]
    links: tuple[LinkRow, ...]
    notes: Annotated[tuple[str, ...] | Absent, "With `--user`: agents that have no links, and why."] = ABSENT


def changes_in(rows: Iterable[LinkRow]) -> str:
    """How many links were made, renewed or removed; empty if none was."""
    counts = Counter(row.act for row in rows if row.act not in (LinkAct.KEPT, LinkAct.LEFT))
    return ", ".join(f"{number} {act.value}" for act, number in sorted(counts.items()))
