"""Suppressions in the files: `skillbag: ignore[rule-id] reason="…" until=2027-01-01` in a Markdown or a `#` comment.

A comment at the end of a line with other text speaks of that line; one on a line of its own of the next line that is
not blank. `ignore-file[…]` speaks of the whole file. Suppressions without a reason, past their date, or without effect are
findings themselves: rules of the family `suppressions` look at each `Judged`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

from skillbag.documents.source import Document
from skillbag.findings import Finding
from skillbag.workspace.text import TextFile

MARK = b"skillbag: ignore"
"""What a text must hold for it to be searched for suppressions."""

_COMMENT = re.compile(
    r"(?P<open><!--|#)[ \t]*skillbag: ignore(?P<file>-file)?(?:\[(?P<rules>[^\]\n]*)\])?(?P<rest>[^\n]*)"
)
_REASON = re.compile(r"""reason=(?:"([^"\n]*)"|'([^'\n]*)'|(\S+))""")
_UNTIL = re.compile(r"""until=["']?([^\s"'>]+)["']?""")
_DATE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")


@dataclass(frozen=True)
class Suppression:
    """One comment: the rules that it names, the 1-based line that it speaks of (0: the file), reason and end.

    `until` is the date as written, None without one; `start` and `end` are the comment's offsets.
    """

    path: str
    rules: tuple[str, ...]
    line: int
    reason: str
    until: str | None
    start: int
    end: int


class Judged(NamedTuple):
    """A suppression after the run: which of its rules had nothing to suppress, and whether its date is over.

    `unused` leaves out rules that did not run; `malformed` says what is wrong with its form, if anything.
    """

    suppression: Suppression
    unused: tuple[str, ...]
    expired: bool
    malformed: str


def read_suppressions(text: TextFile) -> list[Suppression]:
    """The suppressions of one text; those shown in code fences and code spans of Markdown are examples, not meant."""
    document = text.document
    found = []
    for match in _COMMENT.finditer(document.text):
        if text.language == "markdown" and not _counts(text, match):
            continue
        rest = match["rest"].partition("-->")[0] if match["open"] == "<!--" else match["rest"]
        reason, until = _REASON.search(rest), _UNTIL.search(rest)
        found.append(
            Suppression(
                path=document.path,
                rules=tuple(name.strip() for name in (match["rules"] or "").split(",") if name.strip()),
                line=0 if match["file"] else _line(document, match),
                reason=next((group for group in reason.groups() if group), "").strip() if reason else "",
                until=until[1] if until else None,
                start=match.start(),
                end=match.start() + len(match[0]) - len(match["rest"]) + len(rest.rstrip()),
            )
        )
    return found


def _counts(text: TextFile, match: re.Match[str]) -> bool:
    if match.start() < text.body:
        return match["open"] == "#"
    if match["open"] == "#":
        # In a fence of YAML or shell, a comment of that language.
        return any(f.body_start <= match.start() < f.body_end for f in text.markdown.fences if f.info in _YAML)
    return not text.markdown.in_code(match.start())


_YAML = ("yaml", "yml")


def _line(document: Document, match: re.Match[str]) -> int:
    number = document.position(match.start()).line
    line = document.line(number)
    before = line[: line.find(match["open"])] if match["open"] in line else ""
    after = line.partition("-->")[2] if match["open"] == "<!--" else ""
    if before.strip(" \t>-*") or after.strip():
        return number
    last = document.position(len(document.text)).line
    number += 1
    while number < last and not document.line(number).strip():
        number += 1
    return number


def apply_suppressions(
    findings: list[Finding],
    suppressions: Iterable[Suppression],
    ran: AbstractSet[str],
    defined: AbstractSet[str],
    today: str,
) -> tuple[list[Finding], list[Judged]]:
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
            if finding.rule in suppression.rules and suppression.line in (0, finding.line):
                used.add(finding.rule)
                if not expired:
                    gone.add(id(finding))
        unused = tuple(rule for rule in suppression.rules if rule in ran and rule not in used)
        judged.append(Judged(suppression, unused if not malformed else (), expired, malformed))
    return [finding for finding in findings if id(finding) not in gone], judged


def _malformed(suppression: Suppression, defined: AbstractSet[str]) -> str:
    if not suppression.rules:
        return "it names no rule in brackets"
    unknown = [rule for rule in suppression.rules if rule not in defined]
    if unknown:
        return f"there is no rule {', '.join(unknown)}"
    if suppression.until is not None and not _DATE.fullmatch(suppression.until):
        return "its end is not a date such as 2027-01-31"
    return ""
