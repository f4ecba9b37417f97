"""From findings to comments on the lines of a pull request.

The texts are of the checked repository, hence untrusted: each is masked, escaped, and limited in size. A suggestion is
shown in a code block with a longer fence than any within it.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from skillbag.doors.action.github_api import ChangedFile, PostedComment
from skillbag.kernel.base.short_hash import short_hash
from skillbag.kernel.fs.read import Unreadable, read
from skillbag.kernel.model.findings import Severity
from skillbag.lint.rules.index import LATE_RULES, RULES
from skillbag.report.markdown import escaped
from skillbag.report.sanitize import masked, visible

MAX = 30
"""Comments of one review; GitHub slows down who writes many."""

_LONGEST = 1_000
_LARGEST = 10_000
_MAX_LINES = 100
_LEVELS = tuple(Severity)
_MARK = re.compile(r"<!-- skillbag: ([0-9a-f]{24}) -->\s*\Z", re.ASCII)
_OURS = frozenset((*LATE_RULES, *(row[0] for row in RULES)))


class ReviewComment(NamedTuple):
    """A comment on the lines `first` to `last` of a file, with a mark by which a later run knows it."""

    path: str
    first: int
    last: int
    body: str
    mark: str

    @property
    def posted(self) -> PostedComment:
        """As the API of GitHub takes it."""
        one = PostedComment(self.path, self.last, self.body)
        return one._replace(start_line=self.first, start_side="RIGHT") if self.first < self.last else one


class ReportedOffset(NamedTuple):
    """A place in a text, in code points."""

    offset: int


class ReportedEdit(NamedTuple):
    """An edit of a finding in the JSON report."""

    path: str
    kind: str
    text: str = ""
    start: ReportedOffset = ReportedOffset(0)
    end: ReportedOffset = ReportedOffset(0)


class ReportedFinding(NamedTuple):
    """A finding in the JSON report, as far as a comment needs it."""

    rule: str
    level: Severity
    path: str
    line: int
    message: str
    fix: str | None
    edits: tuple[ReportedEdit, ...]
    url: str | None


class ChangedText(NamedTuple):
    """A file of the pull request: its place in the working tree, and its lines."""

    changed: ChangedFile
    lines: list[str]


def mark_of(body: str) -> str | None:
    """The mark at the end of a comment; what stands before may be the repository's text."""
    match = _MARK.search(body)
    return match[1] if match else None


def comments_on(
    findings: Iterable[ReportedFinding], files: Mapping[str, ChangedFile], top: str, here: str
) -> Iterator[ReviewComment]:
    """A comment for each finding on a line of the diff, errors first.

    `findings` are those of the JSON report; its paths are relative to `here`, those of `files` to the repository at
    `top`. A file that is not the same as in the pull request gets none: the lines of a merge may be others.
    """
    texts: dict[str, ChangedText | None] = {}
    seen: Counter[str] = Counter()
    for finding in sorted(findings, key=lambda finding: _LEVELS.index(finding.level)):
        place = os.path.realpath(os.path.join(here, finding.path))
        path = os.path.relpath(place, top).replace(os.sep, "/")
        if path not in files:
            continue
        if path not in texts:
            texts[path] = _text(place, top, files[path])
        text = texts[path]
        if text and files[path].holds(finding.line, finding.line):
            yield _comment(finding, text, os.path.join(here, finding.path), seen, here)


def _text(place: str, top: str, changed: ChangedFile) -> ChangedText | None:
    data = read(place, top)
    if isinstance(data, Unreadable) or changed.blob not in _names(data):
        return None
    return ChangedText(changed, data.decode("utf-8", "replace").removeprefix("\ufeff").split("\n"))


def _names(data: bytes) -> set[str]:
    """The names that git has for a content; with line ends as in the working tree, or as it stores them."""
    found = set()
    for content in (data, data.replace(b"\r\n", b"\n")):
        whole = b"blob %d\0%b" % (len(content), content)
        found |= {hashlib.sha1(whole, usedforsecurity=False).hexdigest(), hashlib.sha256(whole).hexdigest()}
    return found


def _comment(finding: ReportedFinding, text: ChangedText, path: str, seen: Counter[str], here: str) -> ReviewComment:
    line = finding.line
    content = text.lines[line - 1] if line <= len(text.lines) else ""
    key = "\0".join((finding.rule, text.changed.path, finding.message, " ".join(content.split())))
    seen[key] += 1
    # Without the line's number: a comment is known again after lines before it came or went.
    mark = short_hash(f"{key}\0{seen[key]}", 24)
    change = _change(finding.edits, text, path, here)
    first, last = change[:2] if change else (line, line)
    parts = [f"**{finding.level.value}** {_rule(finding)}: {_prose(finding.message)}"]
    if finding.fix:
        parts.append(_prose(finding.fix))
    if change:
        parts.append(_block(change[2]))
    return ReviewComment(text.changed.path, first, last, "\n\n".join([*parts, f"<!-- skillbag: {mark} -->"]), mark)


def _rule(finding: ReportedFinding) -> str:
    name, url = escaped(visible(finding.rule)), finding.url
    # A team's rule comes from the repository, and so does its address.
    return f"[{name}]({url})" if finding.rule in _OURS and url else name


def _prose(text: str) -> str:
    shown = escaped(visible(masked(text)))
    return shown if len(shown) <= _LONGEST else f"{escaped(visible(masked(text))[: _LONGEST // 2])}…"


def _change(edits: Sequence[ReportedEdit], text: ChangedText, path: str, here: str) -> tuple[int, int, str] | None:
    """The lines that the edits change, and what they become; None where that can't be shown, or is not in a hunk."""
    if not edits or any(os.path.join(here, edit.path) != path for edit in edits):
        return None
    old = "\n".join(text.lines)
    new = _edited(old, edits)
    if new is None:
        return None
    before, after = old.split("\n"), new.split("\n")
    codes = [code for code in difflib.SequenceMatcher(None, before, after, False).get_opcodes() if code[0] != "equal"]
    if not codes:
        return None
    (_, start, _, into, _), (_, _, end, _, out) = codes[0], codes[-1]
    if start == end:
        # A suggestion replaces lines: one that inserts repeats the line before or after.
        start, end, into, out = (start - 1, end, into - 1, out) if start else (start, end + 1, into, out + 1)
    changed = "\n".join(after[into:out])
    is_shown = _is_plain("\n".join([*before[start:end], changed])) and text.changed.holds(start + 1, end)
    return (start + 1, end, changed) if is_shown and into < out else None


def _edited(old: str, edits: Sequence[ReportedEdit]) -> str | None:
    if edits[0].kind == "write" and len(edits) == 1:
        return edits[0].text
    if any(edit.kind != "replace" for edit in edits):
        return None
    pieces, at = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.start.offset, edit.end.offset)):
        if edit.start.offset >= at:
            pieces += [old[at : edit.start.offset], edit.text]
            at = edit.end.offset
    return "".join([*pieces, old[at:]])


def _is_plain(text: str) -> bool:
    """Whether a text can be shown as it is: no secret, no invisible character, not too long."""
    lines = text.split("\n")
    if len(text) > _LARGEST or len(lines) > 2 * _MAX_LINES:
        return False
    return masked(text) == text and all(visible(line) == line for line in lines)


def _block(text: str) -> str:
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}suggestion\n{text}\n{fence}"
