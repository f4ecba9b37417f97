"""Suppressions in the files: `skillbag: ignore[rule-id] reason="…" until=2027-01-01` in a Markdown or a `#` comment.

A trailing comment applies to its line; a comment alone on a line applies to the next line that is not blank, and to
the whole code fence where one begins there. `ignore-file[…]` applies to the whole file.
Suppressions without a reason, past their date, or without effect are findings themselves: rules of the family
`suppressions` look at each `SuppressionOutcome`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cache
from operator import attrgetter

from skillbag.kernel.base.name_lists import closest, split_list
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.model.findings import Finding, Suppression
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, match_at
from skillbag.lint.signals.fences import fences_of, span_at

MARK = b"skillbag:"
"""Only texts with these bytes are searched for suppressions."""

_COMMENT = r"""(?:(?P<html><!--) | (?<!\S)\#) [ \t]* skillbag:[ \t]*
    (?: ignore (?P<file>-file)? (?![\w-]) | (?P<other> (?:ignore|disable|noqa) (?:-[\w-]+)? ) (?![\w-]))
    (?: \[ (?P<rules>[^\]\n]*) \] )?
    (?P<rest> (?(html) (?:(?!-->)[^\n])* | [^\n]* ))"""
_REASON = r"""reason=(?:"([^"\n]*)"|'([^'\n]*)'|(\S+))"""
_UNTIL = r"""until=["']?([^\s"'>]+)["']?"""
_LONGEST = 40
"""Characters of a wrong name that a message repeats."""
_STACK = 50
"""How many blank lines and further suppressions may stand between a suppression and its line."""


class SuppressionOutcome(NamedTuple):
    """A suppression after the run: which of its rules had nothing to suppress, and whether its date is over.

    `unused` leaves out rules that did not run; `malformed` says what is wrong with its form, if anything.
    """

    suppression: Suppression
    unused: tuple[str, ...]
    expired: bool
    malformed: str


def read_suppressions(text: TextFile) -> list[Suppression]:
    """The suppressions of one text; those in code fences and code spans of Markdown are examples and do not count."""
    comments = re.finditer(_COMMENT, text.document.text, re.VERBOSE)
    # Each line is read once, however many suppressions are in it or above it.
    kind = cache(lambda number: _kind(text.document.line(number)))
    return [
        _suppression(text, match, kind) for match in comments if text.language != "markdown" or _counts(text, match)
    ]


def _suppression(text: TextFile, match: re.Match[str], kind: Callable[[int], str]) -> Suppression:
    rest = match["rest"].rstrip()
    reason = re.search(_REASON, rest)
    # A reason may contain a date.
    until = re.search(_UNTIL, rest[: reason.start()] + rest[reason.end() :] if reason else rest)
    is_whole = not match["html"] or text.document.text.startswith("-->", match.end())
    named = (match["rules"] or "") if is_whole and not match["other"] else ""
    first, last = (0, 0) if match["file"] else _lines(text, match.start(), kind)
    return Suppression(
        path=text.document.path,
        rules=split_list([named]),
        first=first,
        last=last,
        reason=next((group for group in reason.groups() if group), "").strip() if reason else "",
        until=until[1] if until else None,
        start=match.start(),
        end=match.end() - len(match["rest"]) + len(rest),
    )


def _counts(text: TextFile, match: re.Match[str]) -> bool:
    start = match.start()
    if start < text.body:
        return not match["html"]
    if match["html"]:
        return not text.markdown.in_code(start)
    # In a fence of YAML, which has values of the skill, it is a YAML comment.
    fence = span_at(fences_of(text), start)
    return fence is not None and fence.info.partition(" ")[0].lower() in ("yaml", "yml")


def _lines(text: TextFile, offset: int, kind: Callable[[int], str]) -> tuple[int, int]:
    """The first and the last line that a comment at `offset` applies to."""
    document = text.document
    number = document.position(offset).line
    if kind(number) != _COMMENTS:
        return number, number
    number += 1
    end = min(document.position(len(document.text)).line, number + _STACK)
    while number < end and kind(number) in (_BLANK, _COMMENTS):
        number += 1
    if text.language == "markdown" and kind(number) == _MARKS:
        fences = fences_of(text)
        following = bisect_right(fences, offset, key=lambda fence: fence.start)
        if following < len(fences) and document.position(fences[following].start).line == number:
            return number, document.position(max(fences[following].start, fences[following].end - 1)).line
    return number, number


_BLANK, _COMMENTS, _MARKS, _OTHER = "blank", "comments", "marks", "other"


def _kind(line: str) -> str:
    """Whether a line is blank, has suppressions alone, or begins like a fence (after marks of lists and quotations)."""
    if not line.strip():
        return _BLANK
    rest, count = re.subn(_COMMENT, "", line, flags=re.VERBOSE)
    if count and not rest.replace("-->", "").strip(" \t>-*"):
        return _COMMENTS
    return _MARKS if line.lstrip(" \t>-*").startswith(("```", "~~~")) else _OTHER


def apply_suppressions(
    findings: list[Finding],
    suppressions: Iterable[Suppression],
    ran: AbstractSet[str],
    defined: AbstractSet[str],
    today: str,
) -> tuple[list[Finding], list[SuppressionOutcome]]:
    """The findings that are not suppressed, and the outcome of each suppression.

    `ran` are the ids of the rules of this run, `defined` those of all rules; `today` is an ISO date.
    """
    by_rule: dict[tuple[str, str], list[Finding]] = {}
    for finding in sorted(findings, key=attrgetter("line")):
        by_rule.setdefault((finding.path, finding.rule), []).append(finding)
    suppressed: set[int] = set()
    outcomes = []
    for suppression in suppressions:
        malformed = _malformed(suppression, defined)
        expired = not malformed and suppression.until is not None and suppression.until < today
        used: set[str] = set()
        for rule in dict.fromkeys(suppression.rules) if not malformed else ():
            covered = _covered(suppression, by_rule.get((suppression.path, rule), []))
            used.update(finding.rule for finding in covered)
            suppressed.update(() if expired else map(id, covered))
        unused = tuple(rule for rule in suppression.rules if rule in ran and rule not in used)
        outcomes.append(SuppressionOutcome(suppression, unused if not malformed else (), expired, malformed))
    return [finding for finding in findings if id(finding) not in suppressed], outcomes


def _covered(suppression: Suppression, findings: list[Finding]) -> list[Finding]:
    """Those of a rule's findings in the file, by line, that are in its lines."""
    if suppression.first == 0:
        return findings
    first = bisect_left(findings, suppression.first, key=attrgetter("line"))
    return findings[first : bisect_right(findings, suppression.last, key=attrgetter("line"))]


def _malformed(suppression: Suppression, defined: AbstractSet[str]) -> str:
    if not suppression.rules:
        return "it is not `ignore[rule-id]` or `ignore-file[rule-id]` in a comment of one line"
    # A name with a slash is one of a skill's rule for scans (skill runtime, section 8).
    unknown = [rule for rule in suppression.rules if rule not in defined and not is_of_scan(rule)]
    if unknown:
        return _unknown(unknown[0][:_LONGEST], defined)
    if suppression.until is not None and not _is_date(suppression.until):
        return f"`{suppression.until[:_LONGEST]}` is not a date such as 2027-01-31"
    return ""


def _unknown(rule: str, defined: AbstractSet[str]) -> str:
    # A hostile file could have very many names, so only a few ids are compared with each.
    alike = sorted(name for name in defined if name[:3] == rule[:3] or rule.endswith(name))
    close = closest(rule, alike, 0.8)
    advice = f"did you mean `{close}`?" if close else "it names rules by their ids, no families or clauses"
    return f"there is no rule `{rule}`; {advice}"


def is_of_scan(rule: str) -> bool:
    """Whether a rule is one of a skill, `SKILL/RULE`, which `runtime scan` knows and `check` does not."""
    skill, slash, name = rule.partition("/")
    return bool(skill and slash and name)


def _is_date(text: str) -> bool:
    from datetime import date

    # `fromisoformat` reads other forms of ISO 8601 too, which do not compare as text.
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _at(outcome: SuppressionOutcome, **values: str) -> Match:
    return match_at(outcome.suppression.path, outcome.suppression, values)


@Predicate("suppression-no-reason", Subject.SUPPRESSION)
def no_reason(outcome: SuppressionOutcome, _: NoOptions) -> Iterator[Match]:
    """Suppressions without a reason."""
    if not outcome.malformed and not outcome.suppression.reason:
        yield _at(outcome)


@Predicate("suppression-expired", Subject.SUPPRESSION, values=("until",))
def expired(outcome: SuppressionOutcome, _: NoOptions) -> Iterator[Match]:
    """Suppressions whose date has passed."""
    if outcome.expired:
        yield _at(outcome, until=outcome.suppression.until or "")


@Predicate("suppression-without-effect", Subject.SUPPRESSION, values=("rules",))
def without_effect(outcome: SuppressionOutcome, _: NoOptions) -> Iterator[Match]:
    """Suppressions of rules that find nothing there."""
    if outcome.unused:
        yield _at(outcome, rules=", ".join(f"`{rule}`" for rule in outcome.unused))


@Predicate("suppression-malformed", Subject.SUPPRESSION, values=("reason",))
def malformed(outcome: SuppressionOutcome, _: NoOptions) -> Iterator[Match]:
    """Suppressions that name no rule or an unknown one, or whose date is invalid."""
    if outcome.malformed:
        yield _at(outcome, reason=outcome.malformed)
