"""What is known of one target, held to what its skills are now."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain

from skillbag.base.parallel import in_parts
from skillbag.base.records import NamedTuple
from skillbag.cache.entry import SEPARATOR, Unit, revalidate
from skillbag.cache.table import Units
from skillbag.workspace.target import SkillFolder

_MANY = 300
"""Units to be read again from which a second process saves more than it costs."""
_NOWHERE = -1


class Known(NamedTuple):
    """What is known of a target: its skills, their units, and the unit of the rest of it, made from cards of a digest.

    `changed` has the numbers of the units that hung on something that bears another stamp now; `whole` is None where
    it is not to be used.
    """

    folders: Sequence[SkillFolder]
    units: Units
    changed: frozenset[int]
    inventory: str
    whole: Unit | None
    whole_changed: bool


class TargetMemory:
    """What is known of one target (see `lint.Memory`), and then what a check has found out.

    That is `units`, in the order of its skills, `inventory`, which is a digest of their cards, and `whole`.
    """

    def __init__(self, root: str, known: Known | None = None) -> None:
        self.root = root
        self._known = known or Known((), Units.of(()), frozenset(), "", None, whole_changed=False)
        self.units = self._known.units
        self.inventory = self._known.inventory
        self.whole: Unit | None = None

    def skills(self, folders: Sequence[SkillFolder], judge: Callable[[Sequence[SkillFolder]], Units]) -> Units:
        """The units of these skills, in order: as they are known, or judged where that holds no more."""
        known = self._known
        numbers = {folder.path: number for number, folder in enumerate(known.folders)}
        places = [numbers.get(folder.path, _NOWHERE) for folder in folders]
        held = self._renewed([number for number in places if number in known.changed])
        gone = known.changed - held.keys() | {_NOWHERE}
        missing = [at for at, number in enumerate(places) if number in gone]
        judged = judge([folders[at] for at in missing])
        if len(missing) == len(folders):
            self.units = judged
        else:
            news = {at: held[number] for at, number in enumerate(places) if number in held}
            news.update((at, judged[number]) for number, at in enumerate(missing))
            self.units = _placed(known.units, places, news)
        if folders != known.folders or [*self.units.cards] != [*known.units.cards]:
            self.inventory = _digest(folders, self.units.cards)
        return self.units

    def rest(self, judge: Callable[[], Unit]) -> Unit:
        """The unit of the rest of the target, to be asked for after its skills: as it is known, or judged."""
        known = self._known
        whole = known.whole if self.inventory == known.inventory else None
        if whole and known.whole_changed:
            whole = revalidate(self.root, [whole])[0]
        self.whole = whole or judge()
        return self.whole

    def _renewed(self, numbers: Sequence[int]) -> dict[int, Unit]:
        """Those of the units of these numbers that still hold."""
        parts = in_parts(partial(revalidate, self.root), [self._known.units[number] for number in numbers], _MANY)
        return {number: unit for number, unit in zip(numbers, chain(*parts), strict=True) if unit}


def _placed(units: Units, places: Sequence[int], news: Mapping[int, Unit]) -> Units:
    """The units of these numbers, in this order, but where `news` has another one for a place."""
    if places == [*range(len(units))]:
        return units.replaced(news)
    return Units.of([news[at] if at in news else units[number] for at, number in enumerate(places)])


def _digest(folders: Sequence[SkillFolder], cards: Sequence[bytes]) -> str:
    """A digest of the cards of the skills in these folders."""
    from _blake2 import blake2b

    paths = SEPARATOR.join([folder.path for folder in folders]).encode("utf-8", "surrogatepass")
    return blake2b(b"\n".join([*cards, paths]), digest_size=16).hexdigest()


def folders_of(units: Units) -> tuple[SkillFolder, ...]:
    """The folders of the skills that these units are about."""
    # The first question about a skill is what lies in its folder.
    return tuple([_folder(question) for question in units.questions])


def _folder(questions: str) -> SkillFolder:
    path = questions.partition(SEPARATOR)[0][1:]
    skills_root, _, name = path.rpartition(os.sep)
    return SkillFolder(name, path, skills_root or os.sep)
