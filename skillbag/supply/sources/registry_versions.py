"""Which version of a skill a registry is asked for (skill runtime, section 9)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from skillbag.kernel.manifest.versions import highest, in_order, is_version, latest, parse_range

LATEST = "latest"
_SHOWN = 10
_RESOLVED = re.compile(r"([^@]{1,256})@sha256:([0-9a-f]{64})")


class NoVersionError(ValueError):
    """No version of a skill is in the range; the message is the rest of a sentence."""


class Resolved(NamedTuple):
    """The exact version of a skill, and the SHA-256 of its archive (hexadecimal)."""

    version: str
    digest: str

    def __str__(self) -> str:
        return f"{self.version}@sha256:{self.digest}"


def parse_resolved(text: str) -> Resolved | None:
    """The version and hash in a text such as `1.2.0@sha256:…`, as the lock has it; None if it is none."""
    match = _RESOLVED.fullmatch(text)
    return Resolved(match[1], match[2]) if match and is_version(match[1]) else None


def is_wanted(text: str) -> bool:
    """Whether `text` names a version, a range of versions, or the latest one."""
    return text == LATEST or is_version(text) or parse_range(text) is not None


def choose(versions: Iterable[str], wanted: str | None) -> str:
    """The version that `wanted` means: the latest one for None and `latest`, an exact one, the highest of a range.

    Raises:
        NoVersionError: there is none.
        UserError: the range needs the package semantic-version, which is not installed.
    """
    known = [text for text in versions if is_version(text)]
    found: str | None
    if wanted in (None, LATEST):
        found = latest(known)
    elif is_version(wanted or ""):
        found = wanted if wanted in known else None
    else:
        range_ = parse_range(wanted or "")
        found = highest(known, range_) if range_ else None
    if found is None:
        raise NoVersionError(f'no version matching "{wanted or LATEST}" (available: {_listed(known)})')
    return found


def _listed(known: list[str]) -> str:
    newest = in_order(known)[::-1]
    more = f", and {len(newest) - _SHOWN} more" if len(newest) > _SHOWN else ""
    return ", ".join(newest[:_SHOWN]) + more if newest else "none"
