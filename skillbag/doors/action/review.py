"""Comments on a pull request, each once, whatever happens in between."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import NamedTuple

from skillbag.doors.action.comments import MAX, ReportedFinding, ReviewComment, comments_on, mark_of
from skillbag.doors.action.event import PullRequest
from skillbag.doors.action.github_api import Api, ApiError, UncertainError, wait
from skillbag.kernel.base.json_reading import from_json
from skillbag.kernel.workspace.git import repository
from skillbag.report.summary import counted

_ATTEMPTS = 3
_NO_RIGHT = (401, 403, 404)
_NOT_ON_A_LINE = 422


class CheckReport(NamedTuple):
    """The JSON report of a check."""

    findings: tuple[ReportedFinding, ...]


class Review(NamedTuple):
    """What came of it: a sentence for the log, and whether something failed."""

    remark: str
    failed: bool = False


def review(report: str, pull: PullRequest, variables: Mapping[str, str] = os.environ) -> Review:
    """Comment on the findings in the JSON report, in the checked-out repository around the current folder."""
    here = os.path.realpath(os.getcwd())
    top = repository(here)
    token = variables.get("SKILLBAG_TOKEN", "")
    if not token or top is None:
        missing = "a token (input token)" if top else "a clone; actions/checkout makes one"
        return Review(f"No review comments: they need {missing}.", failed=True)
    with open(report, encoding="utf-8") as file:
        findings = from_json(CheckReport, json.load(file)).findings
    address = variables.get("GITHUB_API_URL") or "https://api.github.com"
    try:
        with Api(address, token, pull) as api:
            comments = list(comments_on(findings, api.files(), top, here)) if findings else []
            return _write(api, comments)
    except ApiError as error:
        if error.status in _NO_RIGHT and not isinstance(error, UncertainError):
            return Review(
                "No review comments: the token may not write them. They need `permissions: pull-requests: write`, and"
                " the tokens of pull requests from forks may only read. The log and the annotations have all findings."
            )
        return Review(f"The review comments could not be written: {error}.", failed=True)


def _write(api: Api, comments: list[ReviewComment]) -> Review:
    """Write the comments that are not there yet. After an uncertain answer look again: it may have had its effect."""
    chosen, left = comments[:MAX], len(comments) - MAX
    new = chosen
    for attempt in range(1, _ATTEMPTS + 1):
        known = {mark_of(body) for body in api.comments()} if chosen else set()
        new = [comment for comment in chosen if comment.mark not in known]
        if not new:
            break
        try:
            _post(api, new, left)
            break
        except UncertainError as error:
            if attempt == _ATTEMPTS:
                raise
            wait(max(error.wait, 2.0**attempt))
    known_before = f", {len(chosen) - len(new)} were there already" if len(new) < len(chosen) else ""
    return Review(f"{counted(len(new), 'review comment')} written{known_before}.")


def _post(api: Api, comments: list[ReviewComment], left: int) -> None:
    more = f" {counted(left, 'more finding')} on changed lines: see the job's summary." if left > 0 else ""
    body = f"SkillBag check: {counted(len(comments), 'finding')} on changed lines.{more}"
    try:
        api.review(body, [comment.posted for comment in comments])
    except ApiError as error:
        if error.status != _NOT_ON_A_LINE:
            raise
        _post_singly(api, comments)


def _post_singly(api: Api, comments: list[ReviewComment]) -> None:
    """One by one: the diff may have changed meanwhile, so that a line is not in it any more."""
    for comment in comments:
        try:
            api.comment(comment.posted)
        except ApiError as error:
            if error.status != _NOT_ON_A_LINE:
                raise
