"""The flows of a text: of each of its units, and along the files that one unit writes and another reads."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.facts.data_units import data_commands
from skillbag.lint.facts.flow import flows
from skillbag.lint.facts.inline import inline_code
from skillbag.lint.facts.signs import CODE, FlowSigns, has_words, source_places
from skillbag.lint.facts.units import Unit, fence_units, units, units_at
from skillbag.lint.facts.values import Flow, Step
from skillbag.lint.signals.fences import fences_of

_LARGEST = 400_000
"""Most characters of a unit that is read."""
_INLINE = 3
"""How deep code within code is read."""
_STORES = (
    *(" -o", "--output", "outfile", "urlretrieve", "downloadfile", " > ", ">/", ">~", "tee ", "open(", "tar "),
    *("zip ", "cp "),
)
"""What keeps something in a file, in small letters."""
_READ_WORDS = "shell python javascript powershell applescript other json yaml dockerfile make makefile"
_READ = frozenset(_READ_WORDS.split())
"""Languages of blocks that have a reader, or commands in them."""
_SHARED = ("file:", "dir:")
"""Names that have one meaning in all units of a text."""


class UnitFlow(NamedTuple):
    """A flow with the unit that its act is in; the offsets of its source and its act are those of the file."""

    flow: Flow
    unit: Unit


def every_flow(file: TextFile) -> list[UnitFlow]:
    """The flows of all units of a text, whatever they take: for the inventory, which reads every unit."""
    owners = [inner for unit in units(file) if len(unit.text) <= _LARGEST for inner in _with_inner(unit, _INLINE)]
    found = [step for unit in owners for step in unit_steps(unit)]
    return [UnitFlow(flow, _owner(flow.act.start, owners)) for flow in flows(found)]


@lru_cache(maxsize=8)
def text_flows(file: TextFile, signs: FlowSigns) -> tuple[UnitFlow, ...]:
    """The flows of a text, from its units that may have one and those that read the files they write."""
    owners = [*candidates(file, signs)]
    if not owners:
        return ()
    found = [step for unit in owners for step in unit_steps(unit)]
    written = [name for step in found if step.sources for name in step.defines if name.startswith(_SHARED)]
    stored = {name.partition(":")[2].rpartition("/")[2] for name in written}
    for unit in _others(file, owners, stored - {"", "."}):
        owners.append(unit)
        found += unit_steps(unit)
    return tuple(UnitFlow(flow, _owner(flow.act.start, owners)) for flow in flows(found))


def _owner(at: int, owners: list[Unit]) -> Unit:
    """The smallest unit that an offset is in."""
    within = [unit for unit in owners if unit.start <= at <= unit.start + len(unit.text)]
    return min(within, key=lambda unit: len(unit.text)) if within else owners[0]


@lru_cache(maxsize=8)
def candidates(file: TextFile, signs: FlowSigns) -> tuple[Unit, ...]:
    """The units of a text that may have a flow, with the code in them."""
    text, offsets = file.document.text, source_places(file, signs)
    if not offsets:
        return ()
    found: dict[tuple[int, str], Unit] = {}
    for unit in units_at(file, offsets):
        if (
            len(unit.text) <= _LARGEST
            and (unit.origin == "script" or unit.language in _READ)
            and (
                has_words(unit.text, signs.code_acts if unit.language in CODE else signs.acts)
                or (
                    unit.origin == "fence"
                    and unit.language not in CODE
                    and has_words(unit.text, _STORES)
                    and has_words(text, signs.acts)
                )
            )
        ):
            found[unit.start, unit.language] = unit
    inner = (each for unit in found.values() for each in _with_inner(unit, _INLINE))
    return tuple(unit for unit in inner if unit.language == "shell" or _holds(unit, offsets))


def _holds(unit: Unit, offsets: Sequence[int]) -> bool:
    """Whether one of ordered offsets lies in a unit."""
    at = bisect_left(offsets, unit.start)
    return at < len(offsets) and offsets[at] < unit.start + len(unit.text)


def _others(file: TextFile, known: list[Unit], names: set[str]) -> Iterator[Unit]:
    """The other blocks of a text that name one of the files."""
    if not names or file.language != "markdown":
        return
    starts = {unit.start for unit in known}
    for fence in fences_of(file):
        if fence.body_start not in starts and any(
            name in file.document.text[fence.body_start : fence.body_end] for name in names
        ):
            for unit in fence_units(fence, file):
                yield from _with_inner(unit, _INLINE)


def _with_inner(unit: Unit, depth: int) -> Iterator[Unit]:
    yield unit
    for command in data_commands(unit.text, unit.language, unit.file.relative if unit.origin == "script" else ""):
        yield from _with_inner(unit.within("shell", command.start, command.text), depth)
    if depth and unit.language == "shell":
        for inner, _ in inline_code(unit):
            yield from _with_inner(inner, depth - 1)


@lru_cache(maxsize=64)
def unit_steps(unit: Unit) -> tuple[Step, ...]:
    """The steps of a unit at their places in the file, with names that other units do not have, but for files."""
    return tuple(_placed(step, unit, f"{unit.start}:{unit.language}:") for step in _steps(unit))


def _steps(unit: Unit) -> list[Step]:
    # The readers are imported for the languages that a text has.
    from skillbag.lint.facts.readers import steps_of

    return steps_of(unit)


def _placed(step: Step, unit: Unit, prefix: str) -> Step:
    """The step at its place in the file, with names that other units do not have."""
    return Step(
        tuple(_own(name, prefix) for name in step.defines),
        frozenset(_own(name, prefix) for name in step.uses),
        tuple(each._replace(start=each.start + unit.start, end=each.end + unit.start) for each in step.sources),
        tuple(each._replace(start=each.start + unit.start, end=each.end + unit.start) for each in step.acts),
        frozenset(_own(name, prefix) for name in step.picks),
    )


def _own(name: str, prefix: str) -> str:
    return name if name.startswith(_SHARED) else prefix + name
