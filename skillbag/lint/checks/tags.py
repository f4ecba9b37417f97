"""Tags in descriptions: those that YAML takes for a comment, malformed ones, and names of companions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.source import Document
from skillbag.kernel.model.findings import TextEdit
from skillbag.kernel.standard.names import fixable
from skillbag.kernel.standard.tags import OddTag, TagFault, odd_tags
from skillbag.kernel.workspace.skill import Skill
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, match_at, short

_STARTS_WITH_TAG = late(r"#[A-Za-z0-9-]+/[A-Za-z0-9_-]+")


class Tails(NamedTuple):
    """`kind` of tail: `tags` of the description, `comment-tags` after a quoted one, or other `words`."""

    kind: str = "tags"


@Predicate("dropped-tail", Subject.SKILL, values=("tail",), options=Tails)
def dropped_tail(skill: Skill, options: Tails) -> Iterator[Match]:
    """Text after `#` beside the description, which is a comment to YAML; quoting keeps tags."""
    description = skill.description
    hidden = description.hidden if description else None
    if description is None or hidden is None:
        return
    comment = "comment-tags" if _STARTS_WITH_TAG().match(hidden.value) else "words"
    if options.kind != ("tags" if description.counts else comment):
        return
    edits: tuple[TextEdit, ...] = ()
    if description.counts and isinstance(skill.document, Document):
        edits = (_quoting(skill.document, description.start, hidden.end),)
    yield match_at(skill.path, hidden, {"tail": short(hidden.value)}, edits)


def _quoting(document: Document, start: int, end: int) -> TextEdit:
    """The value and its tail between quotes, in the style that needs the fewest escapes."""
    raw = document.text[start:end]
    text = raw.lstrip()
    lead = raw[: len(raw) - len(text)]
    quoted = "'" + text.replace("'", "''") + "'" if '"' in text or "\\" in text else f'"{text}"'
    return TextEdit(document.path, start, end, lead + quoted)


def _odd(skill: Skill, fault: TagFault) -> Iterator[OddTag]:
    text = skill.description.value if skill.description else ""
    return (odd for odd in odd_tags(text) if odd.fault is fault)


def _span(skill: Skill, token: str) -> tuple[int, int]:
    """The span of the token in the description, or of the whole description if it is folded or escaped."""
    description = skill.description
    if description is None or not isinstance(skill.document, Document):
        return 0, 0
    start, end = description.start, description.end
    if description.hidden:
        end = max(end, description.hidden.end)
    match = re.compile(re.escape(token) + r"(?![^\s,;\"'])").search(skill.document.text, start, end)
    return match.span() if match else (start, end)


@Predicate("malformed-tag", Subject.SKILL, values=("tag",))
def malformed_tag(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Words meant as tags of the groups `run` and `use` that do not have the form `#group/name`."""
    for odd in _odd(skill, TagFault.FORM):
        yield Match(skill.path, *_span(skill, odd.text), {"tag": short(odd.text)})


@Predicate("unknown-run-tag", Subject.SKILL, values=("tag", "meant"))
def unknown_run_tag(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Tags of the group `run` that the standard does not define, and tags that are no words of their own."""
    for odd in _odd(skill, TagFault.NAME):
        meant = f"; did you mean `{odd.meant}`?" if odd.meant else ""
        yield Match(skill.path, *_span(skill, odd.text), {"tag": short(odd.text), "meant": meant})


@Predicate("companion-name-not-canonical", Subject.SKILL, values=("tag", "canonical"))
def companion_name(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """`#use/` tags whose name is not canonical."""
    for odd in _odd(skill, TagFault.COMPANION):
        start, end = _span(skill, odd.text)
        values = {"tag": short(odd.text), "canonical": f"`{odd.meant}`" if odd.meant else "its canonical name"}
        safe = fixable(odd.text.removeprefix("#use/")) is not None and end - start == len(odd.text)
        edits = (TextEdit(skill.path, start, end, odd.meant),) if safe else ()
        yield Match(skill.path, start, end, values, edits)
