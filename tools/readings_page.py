"""The page of the readings: what the standard leaves open, and how this project decides it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillbag import STANDARD_VERSION
from skillbag.lint.rules.readings import StandardReading

_HEAD = f"""\
# How the standard is read

<!-- Made by tools/generate.py from rules/readings.toml: change that, then run `make generate`. -->

Two careful readers of SkillBag {STANDARD_VERSION} may differ about these points, so they are decided here. The
standard's own text decides everything else. An *extension* adds something to the standard: another program may not know
it, and the [conformance kit](../conformance/PROTOCOL.md) asks for it only where an implementation says that it has it.
`skillbag explain CLAUSE` prints the readings of a clause; all are in [clauses](clauses.md).
"""


def readings_page(readings: Iterable[StandardReading]) -> str:
    """The page, a section for each reading."""
    return "\n".join((_HEAD, *(line for reading in readings for line in _section(reading))))


def _section(reading: StandardReading) -> Iterator[str]:
    yield from (f"## {reading.title}", "")
    yield from (f"{reading.point}", "")
    yield f"- **Reading{' (an extension)' if reading.extension else ''}:** {reading.reading}"
    yield f"- **Reason:** {reading.reason}"
    yield f"- **Effect:** {reading.effect}"
    yield f"- **Clauses:** {', '.join(f'`{clause}`' for clause in reading.clauses)}"
    yield ""
