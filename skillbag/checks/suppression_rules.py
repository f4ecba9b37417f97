"""Suppressions themselves: without a reason, past their date, without effect, or of no usable form."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.checks.predicate import Match, NoOptions, Subject, match_at, predicate
from skillbag.checks.suppressions import SuppressionOutcome


def _hit(judged: SuppressionOutcome, **values: str) -> Match:
    suppression = judged.suppression
    return match_at(suppression.path, suppression, values)


@predicate("suppression-no-reason", Subject.SUPPRESSION)
def no_reason(judged: SuppressionOutcome, _: NoOptions) -> Iterator[Match]:
    """Suppressions that do not say why."""
    if not judged.malformed and not judged.suppression.reason:
        yield _hit(judged)


@predicate("suppression-expired", Subject.SUPPRESSION, values=("until",))
def expired(judged: SuppressionOutcome, _: NoOptions) -> Iterator[Match]:
    """Suppressions whose date is over."""
    if judged.expired:
        yield _hit(judged, until=judged.suppression.until or "")


@predicate("suppression-without-effect", Subject.SUPPRESSION, values=("rules",))
def without_effect(judged: SuppressionOutcome, _: NoOptions) -> Iterator[Match]:
    """Suppressions of rules that find nothing there."""
    if judged.unused:
        yield _hit(judged, rules=", ".join(f"`{rule}`" for rule in judged.unused))


@predicate("suppression-malformed", Subject.SUPPRESSION, values=("reason",))
def malformed(judged: SuppressionOutcome, _: NoOptions) -> Iterator[Match]:
    """Suppressions that name no rule, an unknown one, or a date that is none."""
    if judged.malformed:
        yield _hit(judged, reason=judged.malformed)
