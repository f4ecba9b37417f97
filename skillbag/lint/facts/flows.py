"""The flows of a text: of each of its units, and along the files that one unit writes and another reads."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.facts.data_units import data_commands
from skillbag.lint.facts.flow import flows
from skillbag.lint.facts.inline import inline_code
from skillbag.lint.facts.readers import reading_of, variables_of
from skillbag.lint.facts.signs import CODE, FlowSigns, WordSearch, source_places
from skillbag.lint.facts.units import Unit, fence_units, units, units_at
from skillbag.lint.facts.values import LARGEST, SHARED_MEMBER, Flow, Origin, OriginKind, Step, UnitSteps
from skillbag.lint.signals.fences import fences_of

_INLINE = 3
"""How deep code within code is read."""
_CUT = "so many values are passed on in it that some were not followed"
STORES = WordSearch(
    (
        *(" -o", "--output", "outfile", "urlretrieve", "downloadfile", " > ", ">/", ">~", "tee ", "open(", "tar "),
        *("zip ", "cp "),
    )
)
"""What keeps something in a file, in small letters."""
_READ_WORDS = "shell python javascript powershell applescript other json yaml dockerfile make makefile"
_READ = frozenset(_READ_WORDS.split())
"""Languages of blocks that have a reader, or commands in them."""
_FILES = ("file:", "dir:")
SHARED = (*_FILES, SHARED_MEMBER)
"""Names that have one meaning in all units of a skill."""


class UnitFlow(NamedTuple):
    """A flow with the units that its act and its source are in; offsets are those of their files."""

    flow: Flow
    unit: Unit
    origin: Unit

    @property
    def leaves(self) -> bool:
        """Whether it ends in another file than it begins in."""
        return self.unit.file.document.path != self.origin.file.document.path


class TextFlows(NamedTuple):
    """The flows of a text. `unread` says what of it was not followed, a sentence each."""

    found: tuple[UnitFlow, ...] = ()
    unread: tuple[str, ...] = ()


class UnitReader:
    """Units that are read together. `is_linked`: with the names that they share with other files of the skill."""

    def __init__(self, *, is_linked: bool = False) -> None:
        self.is_linked = is_linked
        self.steps: list[Step] = []
        self.owners: list[Unit] = []
        self.unread: dict[str, None] = {}

    def read(self, units: Iterable[Unit], *, with_sources: bool = True) -> None:
        """Add the steps of some units."""
        for unit in units:
            reading = unit_steps(unit, self.is_linked)
            self.steps += reading.steps if with_sources else map(_without_sources, reading.steps)
            self.owners += [unit] * len(reading.steps)
            if reading.unread:
                self.unread[reading.unread] = None

    def flows(self, sources: int = 200) -> TextFlows:
        """The flows of all that was read, of so many sources at most."""
        reaches = flows(self.steps, sources)
        found = tuple(UnitFlow(each.flow, self.owners[each.done], self.owners[each.taken]) for each in reaches.found)
        return TextFlows(found, (*self.unread, *((_CUT,) if reaches.is_cut else ())))


class TextFacts(NamedTuple):
    """All facts of a text: its steps, each with its unit, and the flows through them."""

    steps: tuple[tuple[Unit, Step], ...]
    flows: TextFlows


@lru_cache(maxsize=4)
def text_facts(file: TextFile, with_variables: bool = False) -> TextFacts:
    """The facts of all units of a text, whatever they take and do: every unit is read.

    `with_variables`: also what code takes of single variables of the environment, which only some rules ask for.
    """
    read = UnitReader()
    inner = [each for unit in units(file) for each in with_inner(unit)]
    read.read(inner)
    for unit in inner if with_variables else ():
        steps = [*_variable_steps(unit)]
        read.steps += steps
        read.owners += [unit] * len(steps)
    return TextFacts(tuple(zip(read.owners, read.steps, strict=True)), read.flows())


def _variable_steps(unit: Unit) -> Iterator[Step]:
    """What a unit takes of variables of the environment; a value flows on from the first place of each."""
    own, known = _OwnNames(unit), set[str]()
    for name, offset in variables_of(unit):
        start = unit.start + max(offset, unit.text.find(name, offset))
        defines = () if name in known else (own[f"env:{name}"], own[f"${name}"])
        known.add(name)
        yield Step(defines, sources=(Origin(OriginKind.VARIABLE, name, start, start + len(name)),))


def _without_sources(step: Step) -> Step:
    return step._replace(sources=()) if step.sources else step


@lru_cache(maxsize=8)
def text_flows(file: TextFile, signs: FlowSigns, is_linked: bool = False) -> TextFlows:
    """The flows of a text, from its units that may have one and those that read the files they write.

    `is_linked`: its units are read once more, together with other files.
    """
    known = candidates(file, signs)
    if not known:
        return TextFlows()
    read = UnitReader(is_linked=is_linked)
    read.read(known)
    written = [name for step in read.steps if step.sources for name in step.defines if name.startswith(_FILES)]
    stored = {name.partition(":")[2].rpartition("/")[2] for name in written}
    read.read(_others(file, known, stored - {"", "."}))
    return read.flows()


@lru_cache(maxsize=8)
def candidates(file: TextFile, signs: FlowSigns) -> tuple[Unit, ...]:
    """The units of a text that may have a flow, with the code in them."""
    offsets = source_places(file, signs)
    if not offsets:
        return ()
    found = {(unit.start, unit.language): unit for unit in units_at(file, offsets) if _may_act(unit, signs)}
    inner = (each for unit in found.values() for each in with_inner(unit))
    return tuple(unit for unit in inner if unit.language == "shell" or _holds(unit, offsets))


def _may_act(unit: Unit, signs: FlowSigns) -> bool:
    """Whether a unit has an act, or keeps what it takes in a file while the text has one."""
    if unit.origin != "script" and unit.language not in _READ:
        return False
    if unit.language == "other" or (signs.code_acts if unit.language in CODE else signs.acts).finds(unit.text):
        return True
    is_block = unit.origin == "fence" and unit.language not in CODE
    return is_block and STORES.finds(unit.text) and _acts(unit.file, signs)


@lru_cache(maxsize=8)
def _acts(file: TextFile, signs: FlowSigns) -> bool:
    return signs.acts.finds(file.document.text)


def _holds(unit: Unit, offsets: Sequence[int]) -> bool:
    """Whether one of ordered offsets lies in a unit."""
    at = bisect_left(offsets, unit.start)
    return at < len(offsets) and offsets[at] < unit.start + len(unit.text)


def _others(file: TextFile, known: Sequence[Unit], names: set[str]) -> Iterator[Unit]:
    """The other blocks of a text that name one of the files."""
    if not names or file.language != "markdown":
        return
    starts = {unit.start for unit in known}
    for fence in fences_of(file):
        if fence.body_start not in starts and any(
            name in file.document.text[fence.body_start : fence.body_end] for name in names
        ):
            for unit in fence_units(fence, file):
                yield from with_inner(unit)


# Each kind of source asks for those of a unit.
@lru_cache(maxsize=64)
def with_inner(unit: Unit) -> tuple[Unit, ...]:
    """A unit and the code in it."""
    return tuple(_with_inner(unit, _INLINE))


def _with_inner(unit: Unit, depth: int) -> Iterator[Unit]:
    yield unit
    if len(unit.text) > LARGEST:
        return
    if unit.language != "shell":
        name = unit.file.relative if unit.origin == "script" else ""
        for command in data_commands(unit.text, unit.language, name):
            yield from _with_inner(unit.within("shell", command.start, command.text), depth)
    elif depth:
        for inner, _ in inline_code(unit):
            yield from _with_inner(inner, depth - 1)


@lru_cache(maxsize=128)
def unit_steps(unit: Unit, is_linked: bool) -> UnitSteps:
    """The steps of a unit at their places in the file, with names that other units do not have, but for files."""
    reading, own = reading_of(unit, is_linked), _OwnNames(unit)
    return reading._replace(steps=tuple(_placed(step, unit.start, own) for step in reading.steps))


class _OwnNames(dict[str, str]):
    """The names of a unit as no other unit has them, but for those that all share."""

    def __init__(self, unit: Unit) -> None:
        self.prefix = f"{unit.file.relative}:{unit.start}:{unit.language}:"

    def __missing__(self, name: str) -> str:
        self[name] = name if name.startswith(SHARED) else self.prefix + name
        return self[name]


def _placed(step: Step, start: int, own: _OwnNames) -> Step:
    """The step at its place in the file, with the names of its unit."""
    sources, acts = step.sources, step.acts
    if start:
        sources = tuple(each._replace(start=each.start + start, end=each.end + start) for each in sources)
        acts = tuple(each._replace(start=each.start + start, end=each.end + start) for each in acts)
    return Step(
        tuple([own[name] for name in step.defines]),
        frozenset([own[name] for name in step.uses]),
        sources,
        acts,
        frozenset([own[name] for name in step.picks]) if step.picks else step.picks,
    )
