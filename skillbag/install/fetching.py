"""Fetching several sources at once, and its failures as problems: all of them are told, not only the first."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from contextvars import copy_context
from typing import NamedTuple, TypeVar

from skillbag.base.cancellation import check_stop
from skillbag.install.outcome import Problem, ProblemKind
from skillbag.sources.address import Source
from skillbag.sources.fetch import Fetcher
from skillbag.sources.fetched import ChangedSourceError, Fetched, FetchError, InvalidSourceError

_AT_ONCE = 4
"""Sources that are fetched side by side: a handful of connections is quick, and polite to a host."""


class FetchSpec(NamedTuple):
    """A source at a version, or at the exact commit or archive that `resolved` names."""

    source: Source
    version: str | None
    resolved: str | None


Answer = Fetched | tuple[Problem, ...]
T = TypeVar("T")


def fetch_all(fetcher: Fetcher, wishes: Iterable[FetchSpec]) -> Mapping[FetchSpec, Answer]:
    """Fetch every different wish once."""
    return _side_by_side(lambda wish: fetch_one(fetcher, wish), wishes)


def latest_all(fetcher: Fetcher, wishes: Iterable[FetchSpec]) -> Mapping[FetchSpec, str | tuple[Problem, ...] | None]:
    """What each version means now, as `Fetcher.latest` says."""

    def latest(wish: FetchSpec) -> str | tuple[Problem, ...] | None:
        try:
            return fetcher.latest(wish.source, wish.version)
        except (InvalidSourceError, OSError) as error:
            return _problems(wish, error)

    return _side_by_side(latest, wishes)


def fetch_one(fetcher: Fetcher, wish: FetchSpec) -> Answer:
    """Fetch one source; a failure comes back as problems."""
    try:
        return fetcher.fetch(wish.source, wish.version, wish.resolved)
    except (InvalidSourceError, OSError) as error:
        return _problems(wish, error)


def _side_by_side(work: Callable[[FetchSpec], T], wishes: Iterable[FetchSpec]) -> Mapping[FetchSpec, T]:
    distinct = list(dict.fromkeys(wishes))
    check_stop()
    if len(distinct) < 2:
        return {wish: work(wish) for wish in distinct}
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(_AT_ONCE)
    try:
        contexts = [copy_context() for _ in distinct]
        answers = pool.map(lambda context, wish: context.run(work, wish), contexts, distinct)
        return dict(zip(distinct, answers, strict=True))
    except BaseException:
        # After Ctrl-C, or when it is taken back, nobody waits for a server that may never answer.
        pool.shutdown(wait=False, cancel_futures=True)
        if git := sys.modules.get("skillbag.sources.git_command"):
            git.end_all()
        raise
    finally:
        pool.shutdown(wait=False)


def _problems(wish: FetchSpec, error: InvalidSourceError | OSError) -> tuple[Problem, ...]:
    source = wish.source.declared
    if isinstance(error, ChangedSourceError):
        return (Problem(ProblemKind.DRIFT, error.faults[0], source=source, fix=error.fix),)
    if isinstance(error, InvalidSourceError):
        return tuple(
            Problem(ProblemKind.INVALID_SOURCE, fault, source=source, clause="source.contents")
            for fault in error.faults
        )
    if isinstance(error, FetchError):
        return (Problem(ProblemKind.FETCH, error.reason, source=source),)
    # Disk full, a cache that can't be written: the environment's fault, told for this source.
    what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    return (Problem(ProblemKind.FETCH, what, source=source),)
