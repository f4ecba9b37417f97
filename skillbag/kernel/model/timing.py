"""What a check cost: seconds by phase and by rule."""

from __future__ import annotations

from skillbag.kernel.base.records import NamedTuple


class PhaseTime(NamedTuple):
    """The seconds of one phase, without those of others that ran within it."""

    phase: str
    seconds: float


class RuleTime(NamedTuple):
    """The seconds of one rule, without reading and parsing, which are phases.

    `calls` counts the subjects that it was given; `findings` all that it found, suppressed ones and those that a
    configuration or a baseline leaves out among them.
    """

    rule: str
    seconds: float
    calls: int
    findings: int


class Timing(NamedTuple):
    """The cost of one check: its wall time in seconds, and what it was spent on, the most expensive first.

    The seconds of all `processes` are added, so the sum of the phases may exceed the wall time. `rules` are those that
    were called; the phase `rules` is their sum.
    """

    seconds: float
    processes: int
    phases: tuple[PhaseTime, ...]
    rules: tuple[RuleTime, ...]
