"""Suppressions in the files: `skillbag: ignore[rule-id] reason="…" until=2027-01-01` in a Markdown or a `#` comment.

A trailing comment applies to its line; a comment alone on a line applies to the next line that is not blank, and to
the whole code fence where one begins there. `ignore-file[…]` applies to the whole file.
Suppressions without a reason, past their date, or without effect are findings themselves: rules of the family
`suppressions` look at each `SuppressionOutcome`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from skillbag.base.records import NamedTuple
from skillbag.documents.markdown import Fence
from skillbag.model.findings import Finding
from skillbag.model.suppression import Suppression
from skillbag.workspace.text import TextFile

MARK = b"skillbag:"
"""What a text must hold for it to be searched for suppressions."""

_COMMENT = r"""(?:(?P<html><!--) | (?<!\S)\#) [ \t]* skillbag:[ \t]*ignore (?P<file>-file)? (?![\w-])
    (?: \[ (?P<rules>[^\]\n]*) \] )?
    (?P<rest> (?(html) (?:(?!-->)[^\n])* | [^\n]* ))"""
_REASON = r"""reason=(?:"([^"\n]*)"|'([^'\n]*)'|(\S+))"""
_UNTIL = r"""until=["']?([^\s"'>]+)["']?"""
_DATE = r"\d{4}-\d\d-\d\d"
_STACK = 50
"""So many blank lines and further suppressions may stand between one and the line that it applies to."""


class SuppressionOutcome(NamedTuple):
    """A suppression after the run: which of its rules had nothing to suppress, and whether its date is over.

    `unused` leaves out rules that did not run; `malformed` says what is wrong with its form, if anything.
    """

    suppression: Suppression
    unused: tuple[str, ...]
    expired: bool
    malformed: str


def read_suppressions(text: TextFile) -> list[Suppression]:
    """The suppressions of one text; those shown in code fences and code spans of Markdown are examples, not meant."""
    comments = re.finditer(_COMMENT, text.document.text, re.VERBOSE)
    return [_suppression(text, match) for match in comments if text.language != "markdown" or _counts(text, match)]


def _suppression(text: TextFile, match: re.Match[str]) -> Suppression:
    rest = match["rest"].rstrip()
    reason = re.search(_REASON, rest)
    # A reason may contain a date.
    until = re.search(_UNTIL, rest[: reason.start()] + rest[reason.end() :] if reason else rest)
    first, last = (0, 0) if match["file"] else _lines(text, match.start())
    return Suppression(
        path=text.document.path,
        rules=tuple(name.strip() for name in (match["rules"] or "").split(",") if name.strip()),
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
    # In a fence of YAML, which holds values of the skill, it is a comment of that language.
    fences = text.markdown.fences
    before = bisect_right(fences, start, key=_start) - 1
    if before < 0 or start >= fences[before].body_end:
        return False
    return fences[before].info.partition(" ")[0].lower() in ("yaml", "yml")


def _lines(text: TextFile, offset: int) -> tuple[int, int]:
    """The first and the last line that a comment at `offset` applies to."""
    document = text.document
    number = document.position(offset).line
    if not _is_comment_alone(document.line(number)):
        return number, number
    number += 1
    end = min(document.position(len(document.text)).line, number + _STACK)
    while number < end and (not document.line(number).strip() or _is_comment_alone(document.line(number))):
        number += 1
    if text.language == "markdown" and document.line(number).lstrip(" \t>-*").startswith(("```", "~~~")):
        fences = text.markdown.fences
        after = bisect_right(fences, offset, key=_start)
        if after < len(fences) and document.position(fences[after].start).line == number:
            return number, document.position(max(fences[after].start, fences[after].end - 1)).line
    return number, number


def _start(fence: Fence) -> int:
    return fence.start


def _is_comment_alone(line: str) -> bool:
    """Whether nothing but suppressions stands on a line, save marks of lists and quotations."""
    rest, count = re.subn(_COMMENT, "", line, flags=re.VERBOSE)
    return count > 0 and not rest.replace("-->", "").strip(" \t>-*")


def apply_suppressions(
    findings: list[Finding],
    suppressions: Iterable[Suppression],
    ran: AbstractSet[str],
    defined: AbstractSet[str],
    today: str,
) -> tuple[list[Finding], list[SuppressionOutcome]]:
    """The findings that are left, and what became of each suppression.

    `ran` are the ids of the rules of this run, `defined` those of all rules there are; `today` is an ISO date.
    """
    by_path: dict[str, list[Finding]] = {}
    for finding in findings:
        by_path.setdefault(finding.path, []).append(finding)
    gone: set[int] = set()
    judged = []
    for suppression in suppressions:
        malformed = _malformed(suppression, defined)
        expired = not malformed and suppression.until is not None and suppression.until < today
        used: set[str] = set()
        for finding in by_path.get(suppression.path, ()) if not malformed else ():
            if finding.rule in suppression.rules and suppression.covers(finding.line):
                used.add(finding.rule)
                if not expired:
                    gone.add(id(finding))
        unused = tuple(rule for rule in suppression.rules if rule in ran and rule not in used)
        judged.append(SuppressionOutcome(suppression, unused if not malformed else (), expired, malformed))
    return [finding for finding in findings if id(finding) not in gone], judged


def _malformed(suppression: Suppression, defined: AbstractSet[str]) -> str:
    if not suppression.rules:
        return "it names no rule in brackets"
    unknown = [rule for rule in suppression.rules if rule not in defined]
    if unknown:
        return f"there is no rule {', '.join(unknown)}"
    if suppression.until is not None and not _is_date(suppression.until):
        return f"`{suppression.until[:40]}` is not a date such as 2027-01-31"
    return ""


def _is_date(text: str) -> bool:
    from datetime import date

    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    # `fromisoformat` reads other forms of ISO 8601 too, which do not compare as text.
    return re.fullmatch(_DATE, text) is not None
