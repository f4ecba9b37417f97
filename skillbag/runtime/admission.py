"""What an activation may do (skill runtime, section 5). Records of sessions hold it, which are read on their own."""

from __future__ import annotations

from typing import NamedTuple

from skillbag.manifest.names import Permission


class Admission(NamedTuple):
    """What an activation may do: `granted`. `held` are the permissions among them that need no stored approval: those
    consumed, and those approved by name. It is as of the audit entry `since` in the database's opening `opened`."""

    granted: frozenset[Permission]
    held: frozenset[Permission] = frozenset()
    since: int = 0
    opened: int = 0
