"""Whether a mutation is found: a finding that was not there before, in the right file and near the right line."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from mutations.kinds import MAIN, Place
from verdicts_ground import Labelled
from verdicts_tools import Finding

_NEAR = 2
"""Lines above and below a place that still count."""
_RANKS = ("", "note", "warning", "error")
_NUMBER = re.compile(r"\d+")


class Verdict(NamedTuple):
    """The strongest level of the findings of a mutation (empty: it was missed), and the rules that found it."""

    id: str
    level: str
    rules: tuple[str, ...]

    @property
    def found(self) -> bool:
        """A note does not count: nobody has to act on it."""
        return self.level in ("warning", "error")


def judge(labelled: Sequence[Labelled], before: Iterable[Finding], after: Iterable[Finding]) -> list[Verdict]:
    """A verdict on each mutation from the findings of both trees."""
    old, new = _by_skill(before), _by_skill(after)
    return [_verdict(one, _new(old.get(one.name, ()), new.get(one.name, ()))) for one in labelled]


def _by_skill(findings: Iterable[Finding]) -> Mapping[str, list[Finding]]:
    sorted_out: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        sorted_out[finding.skill].append(finding)
    return sorted_out


def _new(before: Iterable[Finding], after: Sequence[Finding]) -> list[Finding]:
    """The findings that are more than before. Lines and figures in messages move, so they are no difference."""
    had = Counter(map(_content, before))
    has = Counter(map(_content, after))
    return [finding for finding in after if has[_content(finding)] > had[_content(finding)]]


def _content(finding: Finding) -> tuple[str, ...]:
    return finding.path, finding.level, finding.rule, _NUMBER.sub("", finding.message)


def _verdict(one: Labelled, new: Iterable[Finding]) -> Verdict:
    right = [finding for finding in new if any(_is_at(finding, place) for place in one.broken.places)]
    strongest = max((_RANKS.index(finding.level) for finding in right), default=0)
    return Verdict(one.id, _RANKS[strongest], tuple(sorted({finding.rule for finding in right})))


def _is_at(finding: Finding, place: Place) -> bool:
    """A finding of a whole skill counts for its main file; one without a line for each line."""
    if not place.path:
        return True
    if finding.path != place.path and not (finding.path == "" and place.path == MAIN):
        return False
    return not (place.first and finding.line) or place.first - _NEAR <= finding.line <= place.last + _NEAR
