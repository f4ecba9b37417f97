"""Tags in descriptions: those that YAML takes for a comment, malformed ones, and names of companions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.source import Document
from skillbag.kernel.model.findings import TextEdit
from skillbag.kernel.standard.names import fixable, is_name
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.summary import TAG
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


_RESERVED = late(r"#(?:run|use)\b", re.IGNORECASE)
_MALFORMED = late(
    r"""\#(?:run|use)[/:\\._-]*           # no name
      | \#run[:\\._-]+(?:always|last)     # another separator
      | \#run/(?:always|last)/.*""",
    re.VERBOSE | re.IGNORECASE,
)
_CAPITALS = late(r"#(?!run/|use/)(?i:run|use)/\S+")
_SEPARATORS = late(r"[\s,;]+")
_KNOWN_RUN = ("#run/always", "#run/last")


def _tokens(skill: Skill) -> Iterator[str]:
    """The words of a description that begin with `#run` or `#use`, each once."""
    text = skill.description.value if skill.description else ""
    if "#" in text:
        for token in dict.fromkeys(_SEPARATORS().split(text)):
            if _RESERVED().match(token):
                yield token


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
    for token in _tokens(skill):
        if _MALFORMED().fullmatch(token) or _CAPITALS().fullmatch(token):
            yield Match(skill.path, *_span(skill, token), {"tag": short(token)})


@Predicate("unknown-run-tag", Subject.SKILL, values=("tag",))
def unknown_run_tag(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Tags of the group `run` that the standard does not define."""
    for token in _tokens(skill):
        if token.startswith("#run/") and token not in _KNOWN_RUN and not _MALFORMED().fullmatch(token):
            yield Match(skill.path, *_span(skill, token), {"tag": short(token)})


@Predicate("companion-name-not-canonical", Subject.SKILL, values=("tag", "canonical"))
def companion_name(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """`#use/` tags whose name is not canonical."""
    description = skill.description
    if description is None or "#use/" not in description.value:
        return
    for name in dict.fromkeys(match[2] for match in TAG.finditer(description.value) if match[1] == "use"):
        if not is_name(name):
            tag, better = f"#use/{name}", fixable(name)
            start, end = _span(skill, tag)
            values = {"tag": short(tag), "canonical": f"`#use/{better}`" if better else "its canonical name"}
            safe = better is not None and end - start == len(tag)
            edits = (TextEdit(skill.path, start, end, f"#use/{better}"),) if safe else ()
            yield Match(skill.path, start, end, values, edits)
