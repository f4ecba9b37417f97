"""What a check cost: seconds by phase and by rule."""

from __future__ import annotations

from typing import Annotated

from skillbag.kernel.base.json_records import fits
from skillbag.kernel.base.records import NamedTuple

_Seconds = Annotated[float, fits(minimum=0), "Rounded to microseconds."]
_Text = Annotated[str, fits(minLength=1)]
_Count = Annotated[int, fits(minimum=0)]


class PhaseTime(NamedTuple):
    """The time of one phase, without that of others that ran within it."""

    phase: _Text
    seconds: _Seconds


class RuleTime(NamedTuple):
    """The time of one rule, without reading and parsing, which are phases."""

    rule: Annotated[_Text, "The rule's id."]
    seconds: _Seconds
    calls: Annotated[_Count, "How many subjects it was given."]
    findings: Annotated[_Count, "All that it found, also what was suppressed or left out of the report."]


class Timing(NamedTuple):
    """What the check cost, the most expensive first; with `timing=true` only. The times of all processes are added, so
    the sum of the phases may exceed the wall time.
    """

    seconds: Annotated[_Seconds, "Wall time, without writing the report."]
    processes: Annotated[int, fits(minimum=1), "How many processes checked skills."]
    phases: Annotated[
        tuple[PhaseTime, ...],
        "No time counts for two phases: `start` (processor time of imports and options), `plan`, `list`, `read`,"
        " `front-matter`, `literals`, `markdown`, `rules` (the sum of all rules), `conclude` and `other`.",
    ]
    rules: Annotated[
        tuple[RuleTime, ...], "Each rule that was called, without the reading and parsing that it asked for."
    ]
