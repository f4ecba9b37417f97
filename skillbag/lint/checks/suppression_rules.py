"""Suppressions that have no reason, are expired, have no effect, or are malformed."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, match_at
from skillbag.lint.checks.suppressions import SuppressionOutcome


def _at(outcome: SuppressionOutcome, **values: str) -> Match:
    return match_at(outcome.suppression.path, outcome.suppression, values)


@Predicate("suppression-no-reason", Subject.SUPPRESSION)
def no_reason(outcome: SuppressionOutcome, _: NoOptions) -> Iterator[Match]:
    """Suppressions without a reason."""
    if not outcome.malformed and not outcome.suppression.reason:
        yield _at(outcome)


@Predicate("suppression-expired", Subject.SUPPRESSION, values=("until",))
def expired(outcome: SuppressionOutcome, _: NoOptions) -> Iterator[Match]:
    """Suppressions whose date has passed."""
    if outcome.expired:
        yield _at(outcome, until=outcome.suppression.until or "")


@Predicate("suppression-without-effect", Subject.SUPPRESSION, values=("rules",))
def without_effect(outcome: SuppressionOutcome, _: NoOptions) -> Iterator[Match]:
    """Suppressions of rules that find nothing there."""
    if outcome.unused:
        yield _at(outcome, rules=", ".join(f"`{rule}`" for rule in outcome.unused))


@Predicate("suppression-malformed", Subject.SUPPRESSION, values=("reason",))
def malformed(outcome: SuppressionOutcome, _: NoOptions) -> Iterator[Match]:
    """Suppressions that name no rule or an unknown one, or whose date is invalid."""
    if outcome.malformed:
        yield _at(outcome, reason=outcome.malformed)
