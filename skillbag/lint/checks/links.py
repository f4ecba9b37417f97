"""Links and images of Markdown texts that lead nowhere, out of their skill, or to a missing heading."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple, cached_property
from skillbag.kernel.documents.markdown import Fence, Link, scan
from skillbag.kernel.documents.markdown_fences import holds_html, outside, plain_fences
from skillbag.kernel.documents.source import Document, read_document
from skillbag.kernel.model.findings import Moved
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.own_paths import OwnPath, read_own
from skillbag.lint.checks.path_resolution import (
    Locator,
    PathStatus,
    ResolvedPath,
    is_changelog,
    is_host_page,
    is_sample,
    read_absolute,
    read_climb,
    read_written,
)
from skillbag.lint.checks.predicate import MAX, Match, Predicate, Subject, match_at
from skillbag.lint.checks.prefilter import glance_at, in_outer_fence, line_around
from skillbag.lint.signals.fences import seen_fences

_COUNTEREXAMPLE = late(r"❌|✗|✘|\b(?:BAD|Bad|WRONG|Wrong)\b\W{0,3}[:—–-]")
# The line says that the file is in the reader's own project.
_THEIRS = late(
    r"\b(?:in|of|from|within)\s+(?:your|their|the\s+user['’]s)\s+(?:\w+\s+)?(?:project|repo|app|code)", re.IGNORECASE
)
# Fragments that are not headings: lines, pages, text fragments, states of a viewer.
_NO_HEADING = late(r"(?:L\d+.*|top|:~:.*|anchor|.*[=/!{<].*|)\Z")

_EMPTY, _VARIABLE = "empty", "variable"
# `handlers[kind]()`, or an image with an empty link around it, which is a badge.
_CALL_OR_BADGE = late(r"(?:[\w)\]]\[[^\[\]]*|\))\]\(\Z")
_TOP = late(r"\[[^\[\]]*(?:\b[Tt]op\b|↑|⬆|\b[Bb]ack\b)[^\[\]]*\]\([<#]*\Z")
# Blanks to be filled in, `[Component name]`: a text with some around a link is a template.
_BLANKS = late(r"\[[A-Z][a-z][\w /'-]{1,40}\](?![(\[])")
_FEW_BLANKS = 4
_AROUND = 600


class LinkFaults(NamedTuple):
    """`kinds`: those to report, of `missing`, `wrong-case`, `leaves-skill`, `leaves-target`, `absolute`, `no-anchor`,
    `variable` and `empty`.

    `changelog`: of changelogs only; otherwise, of all other texts.
    """

    kinds: tuple[str, ...] = ()
    changelog: bool = False


class _Fault(NamedTuple):
    kind: str
    link: Link
    detail: str


@Predicate("link", Subject.TEXT, values=("target", "detail", "advice"), options=LinkFaults)
def link(text: TextFile, options: LinkFaults) -> Iterable[Match]:
    """Links, images and definitions with one of the faults in `options`; samples are left alone."""
    if text.language != "markdown" or not (faults := _faults(text)) or is_changelog(text.relative) != options.changelog:
        return ()
    found = [fault for fault in faults if fault.kind in options.kinds]
    return [_match(text, fault, number) for number, fault in enumerate(found)]


def _match(text: TextFile, fault: _Fault, number: int) -> Match:
    """The match for a fault; of a path that leads nowhere with the file that it means."""
    target, detail, place = fault.link.target, fault.detail, text.document.path
    values = {"target": target, "detail": detail, "advice": ""}
    own = read_own(text, target)
    prefix = own.prefix if own and text.skill and own.base == text.skill.directory else ""
    written = read_written(target.removeprefix(prefix))
    path = written.path if written else read_climb(target.removeprefix(prefix))
    if fault.kind not in _NOWHERE or not path:
        return match_at(place, fault.link, values)
    # Most texts have no fault.
    from skillbag.lint.checks.path_advice import MAX_ADVISED, advice, looked, missing_folder, place_of, rewritten

    if fault.kind == PathStatus.MISSING:
        values["detail"] = looked(text, path)
    found = Locator(text).find(path).path if fault.kind == PathStatus.WRONG_CASE else place_of(text, path)
    if found and written and not _LinkChecker(text).has_anchor(found, written.anchor):
        found = None
    if found is None:
        values["advice"] = advice(text, path) if number < MAX_ADVISED else ""
        cause = "" if values["advice"] else missing_folder(os.path.dirname(place), path)
        return match_at(place, fault.link, values)._replace(cause=cause)
    folder = text.skill.directory if prefix and text.skill else os.path.dirname(place)
    better = prefix + os.path.relpath(found, folder).replace(os.sep, "/")
    values["advice"] = f"Did you mean `{better}`? "
    edits = rewritten(text, fault.link.start, fault.link.end, prefix + path, better)
    return match_at(place, fault.link, values, edits)._replace(moved=Moved(prefix + path, better))


_NOWHERE = frozenset({PathStatus.MISSING, PathStatus.WRONG_CASE, PathStatus.LEAVES_TARGET})


# Several rules ask for the faults of one text in a row.
@lru_cache(maxsize=1)
def _faults(text: TextFile) -> tuple[_Fault, ...]:
    checker = _LinkChecker(text)
    if is_sample(text.relative) or not _is_suspect(text, checker):
        return ()
    markdown = text.markdown
    counts: Counter[str] = Counter()
    faults = []
    for link in markdown.links:
        verdict = checker.verdict(link.target)
        # Whether a link is meant takes most of the time; more than `MAX` of a kind are not reported.
        if verdict is None or counts[verdict[0]] > MAX or markdown.in_comment(link.start):
            continue
        if checker.is_meant(link, verdict[0]) and not in_outer_fence(text, link.start):
            faults.append(_Fault(verdict[0], link, verdict[1]))
            counts[verdict[0]] += 1
    return tuple(faults)


def _is_suspect(text: TextFile, checker: _LinkChecker) -> bool:
    """Whether the text has to be parsed: something that looks like a link is at fault, or is not certain."""
    glance = glance_at(text)
    known = text.skill.paths if text.skill else frozenset()
    # The targets by path and anchor.
    wanted: dict[str, dict[str, str]] = {}
    for target in glance.targets - known:
        if not target.startswith(("https://", "http://")):
            path, _, anchor = target.partition("#")
            wanted.setdefault(path, {})[anchor] = target
    return (
        glance.odd
        or "" in glance.targets
        or "#" in glance.targets
        or any(
            checker.verdict(target)
            for path, targets in wanted.items()
            if not checker.clearly_exist(path, targets)
            for target in targets.values()
        )
    )


class _LinkChecker:
    """Checks the links of one text; results by target and anchors by file are kept."""

    def __init__(self, text: TextFile) -> None:
        self.text = text
        self.verdicts: dict[str, tuple[str, str] | None] = {}
        self.seen: dict[str, frozenset[str]] = {}
        self.anchors: dict[str, frozenset[str] | None] = {}

    @cached_property
    def locator(self) -> Locator:
        return Locator(self.text)

    def is_meant(self, link: Link, kind: str) -> bool:
        """Whether a link at fault is no counterexample, and not one into the reader's own project."""
        before, after = line_around(self.text.document.text, link.start, link.end)
        if _COUNTEREXAMPLE().search(before):
            return False
        if kind == _EMPTY:
            # `[Back to top](#)` leads to the top of the page.
            is_top = link.target == "#" and _TOP().search(before)
            return not is_top and not _CALL_OR_BADGE().search(before)
        if kind != PathStatus.MISSING:
            return True
        around = self.text.document.text[max(link.start - _AROUND, 0) : link.end + _AROUND]
        return not _THEIRS().search(f"{before} {after}") and len(_BLANKS().findall(around)) < _FEW_BLANKS

    def clearly_exist(self, path: str, anchors: Iterable[str]) -> bool:
        """Whether the anchors are headings of this text, or of a file that the listing has."""
        place, skill = self.text.document.path, self.text.skill
        if path:
            if skill is None or "/" in self.text.relative or path not in skill.paths:
                return False
            place = f"{skill.directory}/{path}"
        return self._seen_anchors(place).issuperset(_loose("\n".join(anchors)).split("\n"))

    def verdict(self, target: str) -> tuple[str, str] | None:
        """The kind of fault of a target and the file name for the message, or None."""
        if target not in self.verdicts:
            self.verdicts[target] = self._verdict(target)
        return self.verdicts[target]

    def _verdict(self, target: str) -> tuple[str, str] | None:
        if not target or target == "#":
            return _EMPTY, ""
        if own := read_own(self.text, target):
            return self._verdict_below(own, target)
        if absolute := read_absolute(target):
            return None if self._is_in_repository(absolute) else (PathStatus.ABSOLUTE, "")
        written = read_written(target)
        if written is None:
            climb = read_climb(target)
            place = self.locator.find(climb) if climb else None
            return (place.kind, "") if place and self._leaves(place) else None
        place = (
            self.locator.find(written.path) if written.path else ResolvedPath(PathStatus.FOUND, self.text.document.path)
        )
        name = os.path.basename(place.path)
        if place.kind in (PathStatus.FOUND, PathStatus.LEAVES_SKILL) and not self.has_anchor(
            place.path, written.anchor
        ):
            return "no-anchor", name
        is_sound = place.kind is PathStatus.FOUND or (
            place.kind is PathStatus.LEAVES_TARGET and not self._leaves(place)
        )
        return None if is_sound else (place.kind, name)

    def _verdict_below(self, own: OwnPath, target: str) -> tuple[str, str] | None:
        """The verdict on a path below a name of the skill's or plugin's folder."""
        if self.text.skill is None or own.base != self.text.skill.directory:
            return None if own.is_there else (PathStatus.MISSING, "")
        replaced = own.prefix == "${CLAUDE_SKILL_DIR}/"
        return self._verdict(target.removeprefix(own.prefix)) or (None if replaced else (_VARIABLE, ""))

    def _leaves(self, place: ResolvedPath) -> bool:
        """Whether a place is out of the target, and no page of the code host."""
        return place.kind is PathStatus.LEAVES_TARGET and not is_host_page(self.locator.root, place.path)

    def _is_in_repository(self, path: str) -> bool:
        """Whether an absolute path is one from the top of the repository, as code hosts read it."""
        return self.text.skill is None or self.locator.near(path.lstrip("/")).kind is PathStatus.FOUND

    def has_anchor(self, path: str, anchor: str) -> bool:
        """Whether a place is a heading of a file; what is no heading of a page passes."""
        if _NO_HEADING().match(anchor) or not path.lower().endswith((".md", ".markdown")):
            return True
        wanted = _loose(anchor.removeprefix("user-content-"))
        if not wanted or wanted in self._seen_anchors(path):
            return True
        if path not in self.anchors:
            self.anchors[path] = self._read_anchors(path)
        anchors = self.anchors[path]
        return anchors is None or wanted in anchors

    def _seen_anchors(self, path: str) -> frozenset[str]:
        """The anchors that are plain to see; most links lead to one of them."""
        if path not in self.seen:
            document, own = self._document(path), path == self.text.document.path
            text = document.text if document else ""
            body = self.text.body if own else 0
            self.seen[path] = _plain_anchors(text, body, seen_fences(self.text) if own else plain_fences(text))
        return self.seen[path]

    def _read_anchors(self, path: str) -> frozenset[str] | None:
        if path == self.text.document.path:
            anchors = self.text.markdown.anchors
        else:
            document = self._document(path)
            if document is None:
                return None
            anchors = scan(document.text).anchors
        return frozenset(_loose(anchor) for anchor in anchors)

    def _document(self, path: str) -> Document | None:
        if path == self.text.document.path:
            return self.text.document
        skill = self.text.skill
        if skill and path.startswith(skill.directory + os.sep):
            document = skill.read(path[len(skill.directory) + 1 :].replace(os.sep, "/"))
        else:
            document = read_document(path, self.locator.root)
        return document if isinstance(document, Document) else None


_HEADING = late(r"\n#{1,6} ([^\n<&\[\\]++)(?=\n|\Z)")
_SIGNS = late(r"[^\w\n]++|_++")
_ASCII_SIGNS = bytes(code for code in range(128) if not chr(code).isalnum() and code != 10)


def _plain_anchors(text: str, body: int, fences: Iterable[Fence] | None) -> frozenset[str]:
    """The loose anchors of headings whose words are plain to see; none where fences are not, or beside HTML.

    What is before the offset `body` has no headings.
    """
    prose = "" if fences is None else f"\n{outside(text, fences, body)}"
    return frozenset() if holds_html(prose) else frozenset(_loose("\n".join(_HEADING().findall(prose))).split("\n"))


def _loose(anchors: str) -> str:
    """Anchors or headings, in lines, without what hosts treat differently: all but letters and digits."""
    if anchors.isascii():
        return anchors.lower().encode().translate(None, _ASCII_SIGNS).decode()
    return _SIGNS().sub("", anchors.casefold())
