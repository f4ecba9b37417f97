"""Fetching a version of a repository."""

from __future__ import annotations

from pathlib import Path

from skillbag.sources.address import parse_source
from skillbag.sources.fetch import Fetcher
from skillbag.sources.fetched import Fetched
from tests.sources.repositories import (
    Repository,
)


def fetch(repository: Repository, version: str | None = None, commit: str | None = None) -> Fetched:
    return Fetcher().fetch(parse_source(repository.url, "/"), version, commit)


def content(fetched: Fetched) -> str:
    """The last word of the skill alpha."""
    return (Path(fetched.root) / ".skills/alpha/SKILL.md").read_text().split()[-1]


def commit_of(repository: Repository, revision: str) -> str:
    return repository.git("rev-parse", f"{revision}^{{commit}}")
