"""Links and images of Markdown texts that lead nowhere, out of their skill, or to a missing heading."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import lru_cache

from skillbag.base.lazy_regex import late
from skillbag.base.records import NamedTuple
from skillbag.checks.path_resolution import Kind, Locator, ResolvedPath, is_sample, read_written
from skillbag.checks.predicate import Match, Predicate, Subject, match_at
from skillbag.checks.prefilter import glance_at, in_outer_fence, line_around
from skillbag.documents.markdown import Link, scan
from skillbag.documents.source import Document, read_document
from skillbag.workspace.text import TextFile

_COUNTEREXAMPLE = late(r"❌|✗|✘|\b(?:BAD|Bad|WRONG|Wrong)\b\W{0,3}[:—–-]")
# The line says that the file is in the reader's own project.
_THEIRS = late(
    r"\b(?:in|of|from|within)\s+(?:your|their|the\s+user['’]s)\s+(?:\w+\s+)?(?:project|repo|app|code)", re.IGNORECASE
)
_PREFIXES = ("${CLAUDE_SKILL_DIR}/", "{baseDir}/")
# Fragments that are not headings: lines, pages, text fragments, states of a viewer.
_NO_HEADING = late(r"(?:L\d+.*|top|:~:.*|anchor|.*[=/!{<].*|)\Z")


class LinkFaults(NamedTuple):
    """`kinds`: the faults to report, of `missing`, `wrong-case`, `leaves-skill`, `leaves-target`, `no-anchor`."""

    kinds: tuple[str, ...] = ()


class _Fault(NamedTuple):
    kind: str
    link: Link
    detail: str


@Predicate("link", Subject.TEXT, values=("target", "detail"), options=LinkFaults)
def link(text: TextFile, options: LinkFaults) -> Iterable[Match]:
    """Links, images and definitions with one of the faults in `options`; samples are left alone."""
    if text.language != "markdown" or not (faults := _faults(text)):
        return ()
    return [
        match_at(text.document.path, fault.link, {"target": fault.link.target, "detail": fault.detail})
        for fault in faults
        if fault.kind in options.kinds
    ]


# Several rules ask for the faults of one text in a row.
@lru_cache(maxsize=1)
def _faults(text: TextFile) -> tuple[_Fault, ...]:
    if not _is_suspect(text) or is_sample(text.relative):
        return ()
    markdown = text.markdown
    meant = (link for link in markdown.links if not markdown.in_comment(link.start))
    checker = _LinkChecker(text)
    faults = (fault for link in meant if (fault := checker.fault(link)))
    return tuple(fault for fault in faults if not in_outer_fence(text, fault.link.start))


def _is_suspect(text: TextFile) -> bool:
    """Whether a link needs a closer look: it is neither an address nor a file and heading that clearly exist."""
    glance = glance_at(text)
    if glance.html:
        return True
    known = text.skill.paths if text.skill else frozenset()
    wanted: dict[str, set[str]] = {}
    for target in glance.targets - known:
        if not target.startswith(("https://", "http://")):
            path, _, anchor = target.partition("#")
            wanted.setdefault(path, set()).add(anchor)
    return not all(anchors <= _plain_anchors_of(path, text) for path, anchors in wanted.items())


def _plain_anchors_of(path: str, text: TextFile) -> frozenset[str]:
    """The anchors that clearly exist in this text, or in the file `path` of the skill."""
    if not path:
        return _plain_anchors(text.document.text)
    if text.skill is None or "/" in text.relative or path not in text.skill.paths:
        return frozenset()
    document = text.skill.read(path)
    return _plain_anchors(document.text) if isinstance(document, Document) else frozenset()


_HEADING = late(r"\n##*+ ([A-Za-z0-9 ]++)(?=\n|\Z)")


def _plain_anchors(text: str) -> frozenset[str]:
    """The anchors of headings of plain words; none where fences are not of the simplest form."""
    if ("~" in text and "~~~" in text) or ("<" in text and "<!--" in text):
        return frozenset()
    if "`" in text:
        pieces = text.split("```")
        # Each fence begins a line, is closed, and its closing line is three backticks alone.
        begun = {piece[-1:] for piece in pieces[:-1]} <= {"\n"}
        closed = {piece[:1] for piece in pieces[2::2]} <= {"\n", "\r", ""}
        if len(pieces) % 2 == 0 or not begun or not closed or "`" in {piece[:1] for piece in pieces[1::2]}:
            return frozenset()
        text = "".join(pieces[::2])
    return frozenset("\n".join(_HEADING().findall(text)).lower().replace(" ", "-").split("\n"))


class _LinkChecker:
    """Checks the links of one text; results by target and anchors by file are kept."""

    def __init__(self, text: TextFile) -> None:
        self.text = text
        self.locator = Locator(text)
        self.verdicts: dict[str, tuple[str, str] | None] = {}
        self.anchors: dict[str, frozenset[str] | None] = {}

    def fault(self, link: Link) -> _Fault | None:
        if link.target not in self.verdicts:
            self.verdicts[link.target] = self._verdict(link.target)
        verdict = self.verdicts[link.target]
        if verdict is None:
            return None
        before, after = line_around(self.text.document.text, link.start, link.end)
        if _COUNTEREXAMPLE().search(before) or (verdict[0] == Kind.MISSING and _THEIRS().search(f"{before} {after}")):
            return None
        return _Fault(verdict[0], link, verdict[1])

    def _verdict(self, target: str) -> tuple[str, str] | None:
        """The kind of fault of a target and the file name for the message, or None."""
        for prefix in _PREFIXES:
            target = target.removeprefix(prefix)
        written = read_written(target)
        if written is None:
            return None
        place = self.locator.find(written.path) if written.path else ResolvedPath(Kind.FOUND, self.text.document.path)
        name = os.path.basename(place.path)
        if place.kind in (Kind.FOUND, Kind.LEAVES_SKILL) and not self._has_anchor(place.path, written.anchor):
            return "no-anchor", name
        return None if place.kind is Kind.FOUND else (place.kind, name)

    def _has_anchor(self, path: str, anchor: str) -> bool:
        if _NO_HEADING().match(anchor) or not path.lower().endswith((".md", ".markdown")):
            return True
        if path not in self.anchors:
            self.anchors[path] = self._read_anchors(path)
        anchors = self.anchors[path]
        wanted = _loose(anchor.removeprefix("user-content-"))
        return anchors is None or not wanted or wanted in anchors

    def _read_anchors(self, path: str) -> frozenset[str] | None:
        if path == self.text.document.path:
            anchors = self.text.markdown.anchors
        else:
            document = read_document(path, self.locator.root)
            if not isinstance(document, Document):
                return None
            anchors = scan(document.text).anchors
        return frozenset(_loose(anchor) for anchor in anchors)


def _loose(anchor: str) -> str:
    # Hosts treat punctuation and repeated spaces differently; all of them keep letters and digits.
    return "".join(character for character in anchor.casefold() if character.isalnum())
