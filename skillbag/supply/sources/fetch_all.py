"""Several sources at a time: each different one once, in a few threads."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from contextvars import copy_context
from typing import TypeVar

from skillbag.kernel.base.cancellation import check_stop
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetched import Answer, FetchFailure, FetchSpec, InvalidSourceError
from skillbag.supply.sources.source import Source

_MAX_THREADS = 4
"""Sources that are fetched at the same time: quick, and polite to a host."""

T = TypeVar("T")


def fetch_all(fetcher: Fetcher, specs: Iterable[FetchSpec]) -> Mapping[FetchSpec, Answer]:
    """Fetch every different source once, several at a time."""
    different = [*dict.fromkeys(specs)]
    if len(different) > 1:
        return _in_threads(fetcher.fetch, different)
    check_stop()
    answers: dict[FetchSpec, Answer] = {}
    for spec in different:
        try:
            answers[spec] = fetcher.fetch(*spec)
        except (InvalidSourceError, OSError) as error:
            answers[spec] = FetchFailure(spec.source.declared, error)
    return answers


def fetch_one(fetcher: Fetcher, spec: FetchSpec) -> Answer:
    """Fetch one source."""
    return fetch_all(fetcher, [spec])[spec]


def latest_all(fetcher: Fetcher, specs: Iterable[FetchSpec]) -> Mapping[FetchSpec, str | FetchFailure | None]:
    """The current commit or archive of each version, as by `Fetcher.latest`."""
    return _in_threads(lambda source, version, _: fetcher.latest(source, version), dict.fromkeys(specs))


def _in_threads(
    work: Callable[[Source, str | None, str | None], T], specs: Iterable[FetchSpec]
) -> dict[FetchSpec, T | FetchFailure]:
    """The result of `work` for each of the specs."""
    check_stop()

    def result(spec: FetchSpec) -> T | FetchFailure:
        try:
            return work(*spec)
        except (InvalidSourceError, OSError) as error:
            return FetchFailure(spec.source.declared, error)

    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(_MAX_THREADS)
    try:
        calls = {spec: pool.submit(copy_context().run, result, spec) for spec in specs}
        return {spec: call.result() for spec, call in calls.items()}
    except BaseException:
        # After Ctrl-C or a cancellation, don't wait for a server that may never answer.
        pool.shutdown(wait=False, cancel_futures=True)
        if git := sys.modules.get("skillbag.supply.sources.git_command"):
            git.end_all()
        raise
    finally:
        pool.shutdown(wait=False)
