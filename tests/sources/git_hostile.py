"""Repositories that mean harm."""

from __future__ import annotations

from skillbag.sources.address import parse_source
from skillbag.sources.fetch import Fetcher
from skillbag.sources.fetched import Fetched


def fetch(address: str, version: str | None = None, *, cwd: str = "/") -> Fetched:
    return Fetcher().fetch(parse_source(address, cwd), version)
