"""Versions as SemVer 2.0.0 has them, and ranges of npm's syntax (skill runtime, section 9).

Whether a text is a version or a range is decided by its form alone. Comparing them takes the package semantic-version,
an extra that is imported at the first comparison.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.extras import to_install
from skillbag.kernel.base.lazy_regex import late

if TYPE_CHECKING:
    from semantic_version import NpmSpec, Version

_NUMBER = r"(?:0|[1-9][0-9]{0,15})"
_MARK = r"(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)"
_AFTER = rf"(?:-{_MARK}(?:\.{_MARK})*)?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?"
_VERSION = late(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}{_AFTER}")
_LENGTH = 256

_ANY = r"[xX*]"
_PARTIAL = rf"(?:{_NUMBER}(?:\.{_NUMBER}(?:\.{_NUMBER}{_AFTER}|\.{_ANY})?|(?:\.{_ANY}){{1,2}})?)"
_COMPARATOR = late(
    rf"(?P<operator>\^|~|>=|<=|>|<|!=|=|)v?(?P<version>{_PARTIAL})|(?:>=|=)?(?P<any>{_ANY})(?:\.{_ANY}){{0,2}}"
)
_HYPHEN = late(rf"(?<![^ ])(v?(?:{_PARTIAL}|{_ANY})) +- +(v?(?:{_PARTIAL}|{_ANY}))(?![^ ])")
_GAP = late(r"(?<=[<>=^~]) +")


class _Alternative(NamedTuple):
    """Comparators that must all hold: those of npm's syntax, joined by spaces, and the versions that are left out."""

    wanted: str
    unwanted: tuple[str, ...]


class VersionRange(NamedTuple):
    """A range of versions as it was written, and its alternatives, one of which must hold."""

    text: str
    alternatives: tuple[_Alternative, ...]


def is_version(text: str) -> bool:
    """Whether `text` is a version of SemVer 2.0.0, of at most 256 characters."""
    return len(text) <= _LENGTH and _VERSION().fullmatch(text) is not None


@lru_cache(maxsize=256)
def parse_range(text: str) -> VersionRange | None:
    """The range that `text` describes; None where it is none.

    Known are `^ ~ >= <= > < = !=`, `x` and `*` as parts, `A - B`, and `||`. A comma or a space means "and".
    """
    if len(text) > _LENGTH:
        return None
    alternatives = [_alternative(part) for part in text.replace(",", " ").split("||")]
    known = [alternative for alternative in alternatives if alternative is not None]
    return VersionRange(text, tuple(known)) if len(known) == len(alternatives) else None


def _alternative(text: str) -> _Alternative | None:
    spread = _HYPHEN().sub(_spread, text)
    matches = [_COMPARATOR().fullmatch(word) for word in _GAP().sub("", spread).split(" ") if word]
    wanted, unwanted = [], []
    for match in matches:
        if match is None:
            return None
        version = "*" if match["any"] else match["version"].partition("+")[0]
        if match["operator"] == "!=":
            unwanted.append(version)
        else:
            wanted.append((match["operator"] or "") + version)
    return _Alternative(" ".join(wanted) or "*", tuple(unwanted)) if matches else None


def latest(versions: Iterable[str]) -> str | None:
    """The highest of the versions that is no pre-release, else the highest; None where there is none.

    Other texts are skipped. Needs no extra.
    """
    known = [text for text in versions if is_version(text)]
    released = [text for text in known if "-" not in text.partition("+")[0]]
    return max(released or known, key=_precedence, default=None)


def in_order(versions: Iterable[str]) -> list[str]:
    """The versions in rising order; other texts are skipped."""
    return sorted(filter(is_version, versions), key=_precedence)


def _precedence(version: str) -> tuple[object, ...]:
    """A key that orders versions as SemVer 2.0.0 does (its section 11); build metadata settles the rest."""
    core, _, build = version.partition("+")
    numbers, dash, marks = core.partition("-")
    ordered = [(0, int(mark), "") if mark.isdecimal() else (1, 0, mark) for mark in marks.split(".")] if dash else []
    return tuple(map(int, numbers.split("."))), not dash, ordered, build


def _spread(hyphen: re.Match[str]) -> str:
    """`A - B` as comparators; any version is no upper bound."""
    return f">={hyphen[1]}" if hyphen[2] in "xX*" else f">={hyphen[1]} <={hyphen[2]}"


def satisfies(version: str, wanted: VersionRange) -> bool:
    """Whether a version of SemVer 2.0.0 is in the range; False for any other text.

    Raises:
        UserError: the package semantic-version is not installed.
    """
    known = _version(version)
    return known is not None and any(_holds(known, alternative) for alternative in wanted.alternatives)


def highest(versions: Iterable[str], wanted: VersionRange) -> str | None:
    """The highest of the versions that are in the range; None where there is none. Other texts are skipped.

    Raises:
        UserError: the package semantic-version is not installed.
    """
    known = [(number, text) for text in versions if (number := _version(text)) is not None and satisfies(text, wanted)]
    return max(known, key=lambda pair: pair[0])[1] if known else None


def _holds(version: Version, alternative: _Alternative) -> bool:
    if version.prerelease:
        # Only where a comparator names one of the same triple; the package takes 2.0.0-a for less than 2.0.0.
        triple, words = f"{version.major}.{version.minor}.{version.patch}", alternative.wanted.split(" ")
        if not any(word.lstrip("^~<>=").startswith(f"{triple}-") for word in words):
            return False
        # The package judges a pre-release by one comparator rightly, by several not.
        holds = all(_admits(word, version, triple) for word in words)
    else:
        holds = bool(_spec(alternative.wanted).match(version))
    return holds and not any(_spec(text).match(version) for text in alternative.unwanted)


def _admits(word: str, version: Version, triple: str) -> bool:
    """Whether a pre-release of `triple` is within one comparator."""
    spec = _spec(word)
    own = word.lstrip("^~<>=").partition("-")[0] == triple
    return bool(spec.match(version)) if own else _is_within(spec.clause, version)


def _is_within(clause: Any, version: Version) -> bool:
    """Whether a pre-release is within the bounds that come from another version or a partial one."""
    inner = getattr(clause, "clauses", None)
    if inner is not None:
        return (all if type(clause).__name__ == "AllOf" else any)(_is_within(part, version) for part in inner)
    if (target := getattr(clause, "target", None)) is None:
        return True
    if clause.operator == "<" and version.truncate() == target:
        return False
    return bool(_COMPARE[clause.operator](version, target))


_COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    ">=": operator.ge,
    ">": operator.gt,
    "!=": operator.ne,
}


_MISSING = "comparing versions of skills needs the package semantic-version: "


@lru_cache(maxsize=1024)
def _version(text: str) -> Version | None:
    try:
        from semantic_version import Version
    except ImportError as error:
        raise UserError(_MISSING + to_install("runtime")) from error
    return Version(text) if is_version(text) else None


@lru_cache(maxsize=256)
def _spec(text: str) -> NpmSpec:
    from semantic_version import NpmSpec

    return NpmSpec(text)
