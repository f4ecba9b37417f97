"""Why sources can't be fetched, as the problems of an outcome."""

from __future__ import annotations

from skillbag.supply.install.outcome import Problem, ProblemKind, StoppedError
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetch_all import fetch_one
from skillbag.supply.sources.fetched import (
    ChangedSourceError,
    ChangedVersionError,
    Fetched,
    FetchFailure,
    FetchSpec,
    InvalidSourceError,
)


def fetch_problems(failure: FetchFailure) -> tuple[Problem, ...]:
    """One problem for each reason."""
    source, error = failure.source, failure.error
    if isinstance(error, ChangedSourceError):
        kind = ProblemKind.QUESTION if isinstance(error, ChangedVersionError) else ProblemKind.DRIFT
        return (Problem(kind, error.faults[0], source=source, fix=error.fix),)
    kind, clause, fix = ProblemKind.FETCH, "", ""
    if isinstance(error, InvalidSourceError):
        kind, clause, fix = ProblemKind.INVALID_SOURCE, "source.contents", error.fix
    return tuple(Problem(kind, reason, source=source, clause=clause, fix=fix) for reason in failure.reasons)


def fetch_or_stop(fetcher: Fetcher, spec: FetchSpec) -> Fetched:
    """Fetch one source.

    Raises:
        StoppedError: it can't be had.
    """
    answer = fetch_one(fetcher, spec)
    if isinstance(answer, FetchFailure):
        raise StoppedError(*fetch_problems(answer))
    return answer
