"""What an activation may do, and why it may not go on (skill runtime, section 5). Records of sessions hold the first,
and are read on their own."""

from __future__ import annotations

from typing import NamedTuple

from skillbag.kernel.manifest.names import Permission


class Admission(NamedTuple):
    """What an activation may do: `granted`. `held` are the permissions among them that need no stored approval: those
    consumed, and those approved by name. It is as of the audit entry `since` in the database's opening `opened`."""

    granted: frozenset[Permission]
    held: frozenset[Permission] = frozenset()
    since: int = 0
    opened: int = 0


class Lapse(NamedTuple):
    """Why an active skill may not go on. `chosen`: by a decision of the user; `moved`: the approval is for other files
    of it; else an approval was lost by accident."""

    reason: str
    chosen: bool
    moved: bool = False
