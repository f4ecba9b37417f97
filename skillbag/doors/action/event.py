"""The event that started the job, and the pull request that it is about."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import NamedTuple

_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


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
        repository = variables["GITHUB_REPOSITORY"]
        base, head = found["base"]["sha"], found["head"]["sha"]
        number = found["number"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    is_sound = _REPOSITORY.fullmatch(repository) and _COMMIT.fullmatch(base) and _COMMIT.fullmatch(head)
    return PullRequest(repository, number, base, head) if is_sound and isinstance(number, int) else None
