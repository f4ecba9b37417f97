"""`--except` and `--keep-going`: what is left out of an installation, so that the rest need not wait for it.

What is left is still installed as a whole or not at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from skillbag.install.outcome import Outcome, SkillRow, Status, StoppedError, Trouble, TroubleKind
from skillbag.install.resolve import Resolution
from skillbag.install.state import State

if TYPE_CHECKING:
    from skillbag.install.installing import Request


def going_on(request: Request, install: Callable[[Request], Outcome]) -> Outcome:
    """Install; with `keep_going` again and again without what can't be had, and say of each why.

    What fails is fetched no second time: the fetcher of the run knows it.

    Raises:
        StoppedError: there is a trouble that is not some skills' alone, such as a question.
    """
    failures: list[Trouble] = []
    failed: frozenset[str] = frozenset()
    while True:
        try:
            outcome = install(_without(request, failed))
        except StoppedError as stopped:
            more = {name for trouble in stopped.troubles for name in trouble.skills} - failed
            if not request.keep_going or not more or not all(trouble.skills for trouble in stopped.troubles):
                raise StoppedError(*failures, *stopped.troubles, skills=stopped.skills) from stopped
            failures += stopped.troubles
            failed |= more
        else:
            return _with_failures(outcome, failures) if failures else outcome


def _without(request: Request, failed: frozenset[str]) -> Request:
    return replace(
        request,
        excluded=request.excluded | failed,
        overwrite=request.overwrite - failed,
        merge=request.merge - failed,
    )


def with_excluded(outcome: Outcome, request: Request) -> Outcome:
    """The outcome with a row for each skill that was left out by name, which says so."""
    return _with_reasons(outcome, dict.fromkeys(request.excluded, "left out by --except"))


def _with_failures(outcome: Outcome, failures: list[Trouble]) -> Outcome:
    reasons: dict[str, str] = {}
    for trouble in failures:
        for name in trouble.skills:
            reasons.setdefault(name, f"left out: {trouble.message}")
    return replace(_with_reasons(outcome, reasons), troubles=(*failures, *outcome.troubles))


def _with_reasons(outcome: Outcome, reasons: dict[str, str]) -> Outcome:
    known = {row.name for row in outcome.skills}
    rows = [row._replace(why=reasons.get(row.name, row.why)) for row in outcome.skills]
    rows += [SkillRow(name, Status.LEFT_OUT, why=why) for name, why in reasons.items() if name not in known]
    return replace(outcome, skills=tuple(sorted(rows, key=lambda row: row.name)))


def check_needs(state: State, resolution: Resolution, request: Request) -> None:
    """With `keep_going`, refuse what needs a skill that was left out and is not there.

    Raises:
        StoppedError: there is such a skill.
    """
    if not request.keep_going:
        return
    absent = {name for name in resolution.excluded if not state.is_present(name)}
    troubles = [
        Trouble(
            TroubleKind.UNRESOLVED,
            f"{name}: it needs {', '.join(lacking)}, which was left out",
            clause="install.all-or-nothing",
            skills=(name,),
        )
        for name, chosen in sorted(resolution.chosen.items())
        if chosen.fetched is not None
        and (lacking := [wanted.name for wanted in chosen.wants if wanted.required and wanted.name in absent])
    ]
    if troubles:
        raise StoppedError(*troubles)
