"""The cache entries of one target, matched with the skills that it has now."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain

from skillbag.base.parallel import in_parts
from skillbag.base.records import NamedTuple
from skillbag.cache.entry import SEPARATOR, CacheEntry, revalidate
from skillbag.cache.table import EntryTable
from skillbag.workspace.target import SkillFolder

_MANY = 300
"""Entries to revalidate from which a second process saves more than it costs."""
_NEW = -1
"""The number of a skill that has no entry."""


class Known(NamedTuple):
    """The entries of a target: those of its skills, and `whole` for the target-level checks (None: not to be used).

    `changed` has the numbers of the entries with a question whose stamp has changed. `inventory` is a digest of the
    skills' summaries, on which `whole` depends.
    """

    folders: Sequence[SkillFolder]
    entries: EntryTable
    changed: frozenset[int]
    inventory: str
    whole: CacheEntry | None
    whole_changed: bool


class TargetMemory:
    """The entries of one target: first those of earlier checks, then those of this one.

    `entries` are in the order of the skills; `inventory` is a digest of their summaries.
    """

    def __init__(self, root: str, known: Known | None = None) -> None:
        self.root = root
        self._known = known or Known((), EntryTable.of(()), frozenset(), "", None, whole_changed=False)
        self.entries = self._known.entries
        self.inventory = self._known.inventory
        self.whole: CacheEntry | None = None

    def skills(self, folders: Sequence[SkillFolder], lint: Callable[[Sequence[SkillFolder]], EntryTable]) -> EntryTable:
        """The entries of these skills, in order; `lint` gives those that are missing or no longer valid."""
        known = self._known
        numbers = {folder.path: number for number, folder in enumerate(known.folders)}
        order = [numbers.get(folder.path, _NEW) for folder in folders]
        suspects = [number for number in order if number in known.changed]
        parts = in_parts(partial(revalidate, self.root), [known.entries[number] for number in suspects], _MANY)
        valid = {number: entry for number, entry in zip(suspects, chain(*parts), strict=True) if entry}
        invalid = known.changed - valid.keys() | {_NEW}
        missing = [at for at, number in enumerate(order) if number in invalid]
        linted = lint([folders[at] for at in missing])
        if len(missing) == len(folders):
            self.entries = linted
        else:
            changes = {at: valid[number] for at, number in enumerate(order) if number in valid}
            changes.update((at, linted[number]) for number, at in enumerate(missing))
            if order == [*range(len(known.entries))]:
                self.entries = known.entries.replaced(changes)
            else:
                entries = [changes[at] if at in changes else known.entries[number] for at, number in enumerate(order)]
                self.entries = EntryTable.of(entries)
        if folders != known.folders or [*self.entries.summaries] != [*known.entries.summaries]:
            self.inventory = _digest(folders, self.entries.summaries)
        return self.entries

    def rest(self, lint: Callable[[], CacheEntry]) -> CacheEntry:
        """The entry for the target-level checks; call after `skills`."""
        known = self._known
        whole = known.whole if self.inventory == known.inventory else None
        if whole and known.whole_changed:
            whole = revalidate(self.root, [whole])[0]
        self.whole = whole or lint()
        return self.whole


def _digest(folders: Sequence[SkillFolder], summaries: Sequence[bytes]) -> str:
    from _blake2 import blake2b

    paths = SEPARATOR.join([folder.path for folder in folders]).encode("utf-8", "surrogatepass")
    return blake2b(b"\n".join([*summaries, paths]), digest_size=16).hexdigest()


def folders_of(entries: EntryTable) -> tuple[SkillFolder, ...]:
    """The folders of the skills that these entries are about."""
    # The first question about a skill is for the names in its folder.
    paths = [questions.partition(SEPARATOR)[0][1:] for questions in entries.questions]
    parts = [(path, path.rpartition(os.sep)) for path in paths]
    return tuple([SkillFolder(name, path, skills_root or os.sep) for path, (skills_root, _, name) in parts])
