"""The event that started the job, the pull request that it is about, and the commit that is compared with."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import NamedTuple

from skillbag.kernel.workspace.git import ask, repository

_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
AUTO = "auto"
_NONE = ("", "false", "none")
_MERGE = re.compile(r"refs/pull/\d+/merge", re.ASCII)


class PullRequest(NamedTuple):
    """A pull request: the repository that it is made to, its number, and the commits of its base and head."""

    repository: str
    number: int
    base: str
    head: str


def pull_request(variables: Mapping[str, str] = os.environ) -> PullRequest | None:
    """The pull request of the job; None for other events, and for one that does not look like an event."""
    try:
        with open(variables["GITHUB_EVENT_PATH"], encoding="utf-8") as file:
            found = json.load(file)["pull_request"]
        name = variables["GITHUB_REPOSITORY"]
        base, head = found["base"]["sha"], found["head"]["sha"]
        number = found["number"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    is_sound = _REPOSITORY.fullmatch(name) and _COMMIT.fullmatch(base) and _COMMIT.fullmatch(head)
    return PullRequest(name, number, base, head) if is_sound and isinstance(number, int) else None


class Base(NamedTuple):
    """The commit to compare with, empty for a check of everything; a remark for the log."""

    commit: str
    remark: str = ""


def base_of(requested: str, folder: str, variables: Mapping[str, str] = os.environ) -> Base:
    """What the input `changed-since` leads to, in the checked-out repository around `folder`.

    Of a pull request, the runner checks out the merge with its base, whose first parent is then the base itself.
    """
    if requested in _NONE:
        return Base("")
    if requested != AUTO:
        return Base(requested)
    found = pull_request(variables)
    if found is None:
        return Base("")
    top = repository(folder)
    for commit in _candidates(found, top, variables) if top else ():
        if ask(top or "", ["merge-base", commit, "HEAD"]):
            return Base(commit)
    return Base(
        "",
        "The base of the pull request is not in the clone, so everything is checked. Give actions/checkout a"
        " fetch-depth of 2, or of 0 where it checks out another commit than the merge.",
    )


def _candidates(found: PullRequest, top: str | None, variables: Mapping[str, str]) -> list[str]:
    is_merge = _MERGE.fullmatch(variables.get("GITHUB_REF", "")) and top
    head = (ask(top, ["rev-parse", "--verify", "--quiet", "HEAD"]) or b"").decode("ascii", "replace") if top else ""
    first = ["HEAD^1"] if is_merge and head.strip() == variables.get("GITHUB_SHA") else []
    return [*first, found.base]
