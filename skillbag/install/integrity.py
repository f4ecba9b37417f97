"""What the lock says of an installed skill, held against itself: nothing is fetched for it."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.install.outcome import Trouble, TroubleKind
from skillbag.install.pins import pinned_hash
from skillbag.install.state import State
from skillbag.workspace.lock_file import LOCK, Locked


def contradictions(state: State, name: str, locked: Locked) -> Iterator[Trouble]:
    """That the lock records another archive of a skill than its version asks for.

    Raises:
        BadSourceError: the lock has an address or a version that can't be used.
    """
    pin = pinned_hash(state.source_of(name), locked.requested)
    if pin is not None and pin != locked.resolved:
        yield Trouble(
            TroubleKind.DRIFT,
            f"{name}: {LOCK} says that the archive {locked.resolved} is installed, where {pin} is asked for: the lock "
            "was changed by hand, tampered with, or written by a version that did not hold archives to their hashes",
            source=locked.source,
            fix=f"Find out which archive is the right one; skillbag install --overwrite {name} takes the one that is "
            "asked for.",
        )
