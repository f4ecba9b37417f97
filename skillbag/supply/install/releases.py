"""Which tag is the later release, by its name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_TAG = re.compile(r"(\D*)(\d{1,18}(?:[._-]\d{1,18}){0,9})([-+._]?[A-Za-z][\w.+-]*)?")


class _Release(NamedTuple):
    """A tag such as `v1.2-rc1`: what stands before the numbers, the numbers, and whether it comes before a release."""

    series: str
    numbers: tuple[int, ...]
    early: bool


def newest_release(version: str, tags: Iterable[str]) -> str | None:
    """The latest release among the tags that is later than `version` and of its series; None where there is none.

    Tags without numbers, of another series (`w2` beside `v1`) and pre-releases are none.
    """
    here = _release(version)
    if here is None:
        return None
    found = [(release.numbers, tag) for tag in tags if (release := _release(tag)) and _is_later(release, here)]
    return max(found)[1] if found else None


def _is_later(release: _Release, here: _Release) -> bool:
    if release.early or release.series != here.series:
        return False
    return release.numbers > here.numbers or (here.early and release.numbers == here.numbers)


def _release(tag: str) -> _Release | None:
    match = _TAG.fullmatch(tag)
    if match is None:
        return None
    numbers = [int(number) for number in re.split(r"[._-]", match[2])]
    while numbers and not numbers[-1]:
        # v1 is v1.0.
        numbers.pop()
    return _Release(match[1], tuple(numbers), match[3] is not None)
