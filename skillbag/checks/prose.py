"""Unfinished prose: unclosed fences, empty bodies, placeholders, descriptions that do not say when."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from skillbag.base.lazy_regex import late
from skillbag.checks.path_resolution import is_sample
from skillbag.checks.predicate import Match, NoOptions, Predicate, Subject, match_at, short
from skillbag.checks.prefilter import lines_of, outer_fence, seen_fences
from skillbag.documents.source import Document
from skillbag.workspace.skill import Skill
from skillbag.workspace.text import TextFile

_FENCE = late(r"```+|~~~+")


@Predicate("unclosed-fence", Subject.TEXT, values=("fault",))
def unclosed_fence(text: TextFile, options: NoOptions) -> Iterable[Match]:
    """A code fence that runs to the end of its text."""
    source = text.document.text
    if text.language != "markdown" or ("`" not in source and "~" not in source) or seen_fences(text) is not None:
        return ()
    path, starts = text.document.path, [fence.start for fence in text.markdown.fences if not fence.closed]
    return [Match(path, start, _line_end(source, start), {"fault": _fence_fault(text, start)}) for start in starts]


def _fence_fault(text: TextFile, start: int) -> str:
    outer = outer_fence(text, start)
    if outer is None or outer == start:
        return "This code fence is not closed"
    line = text.document.position(outer).line
    return f"The fence opened at line {line} is closed early by the one inside it"


def _line_end(source: str, start: int) -> int:
    end = source.find("\n", start)
    return len(source[:end].rstrip("\r")) if end >= 0 else len(source)


_SHORT = 400
# Possessive: a long run of blanks must not be split in all possible ways.
_NO_TEXT = late(r"(?:\s++|#{1,6}(?:[ \t][^\n]*+|(?=\n|\Z))|<!--.*?-->|-{3,}(?=\s|\Z))*+\Z", re.DOTALL)


@Predicate("body-empty", Subject.SKILL)
def empty_body(skill: Skill, options: NoOptions) -> Iterable[Match]:
    """A `SKILL.md` without instructions: nothing after the front matter, or headings and comments alone."""
    document = skill.document
    if skill.problem is not None or not isinstance(document, Document):
        return ()
    if len(document.text) - skill.body_start > _SHORT or not _NO_TEXT().match(document.text, skill.body_start):
        return ()
    at = max(0, len(document.text[: skill.body_start].rstrip()))
    return (Match(document.path, at, at),)


# A line that is nothing but a placeholder; text about TODO lists is not one.
_PLACEHOLDER = late(
    r"^[ \t]*(?:[-*+][ \t]+|\d{1,3}[.)][ \t]+|#{1,6}[ \t]+)?(?:\*\*|__)?(?P<text>"
    r"\[(?:TODO|FIXME|TBD)\b[^\]\n]*\](?!\()"
    r"|(?<!# )(?:TODO|FIXME|TBD)(?:\*\*|__)?(?::[^\n]*+|[ \t.]*+)"
    r"|\[?(?:[Ii]nsert|[Aa]dd|[Pp]ut|[Ww]rite|[Ee]nter)(?: your)? (?:instructions?|description|content|text|details)"
    r" (?:here|below)\]?[.]?"
    r"|\[?[Yy]our (?:description|instructions|content|text) (?:goes )?here\]?[.]?"
    r"|[Ll]orem ipsum dolor[^\n]*+"
    r")(?:\*\*|__)?[ \t]*\r?$",
    re.MULTILINE,
)
_DESCRIPTION = late(
    r"\[?(?:TODO|FIXME|TBD)\b(?![- ](?:list|comment|item|manag|app|track|file|note|mark))|.*\[(?:TODO|FIXME|TBD)\b|"
    r".*\blorem ipsum dolor\b|.*\byour description (?:goes )?here\b"
    r"|[\[<]?(?:insert|add|enter|write|put) (?:an? |the |your )?"
    r"(?:short |brief |clear )?description\b(?! (?:of|to|for|field|in) )|replace with (?:a |the )?description\b",
    re.IGNORECASE,
)
_NAMED = (b"description", b"instructions", b"instruction", b"content", b"text", b"details")
_LITERALS = (b"TODO", b"FIXME", b"TBD", b"orem ipsum", b"nsert ", *(word + b" here" for word in _NAMED), b"goes here")
_HINTS = ("todo", "fixme", "tbd", "lorem", "description")


@Predicate("placeholder-line", Subject.TEXT, values=("text",), literals=_LITERALS)
def placeholder_line(text: TextFile, options: NoOptions) -> Iterator[Match]:
    """Lines of a body that are nothing but a placeholder; code, comments and samples are left alone."""
    if text.language != "markdown" or is_sample(text.relative):
        return
    body = text.document.text
    for line in lines_of(body, text.places.of(_LITERALS)):
        match = _PLACEHOLDER().match(body, *line) if line[0] >= text.body else None
        if match is None:
            continue
        start = match.start("text")
        if not text.markdown.in_code(start) and not text.markdown.in_comment(start):
            placeholder = match["text"].rstrip()
            yield Match(text.document.path, start, start + len(placeholder), values={"text": short(placeholder)})


@Predicate("placeholder-description", Subject.SKILL, values=("text",))
def placeholder_description(skill: Skill, options: NoOptions) -> Iterable[Match]:
    """A description that a template left behind."""
    description = skill.description
    if description is None:
        return ()
    lowered = description.value.lower()
    if not any(hint in lowered for hint in _HINTS) or not _DESCRIPTION().match(description.value):
        return ()
    return (match_at(skill.path, description, {"text": short(description.value.strip())}),)


_WHEN = late(
    r"\b(?:when|whenever|while|before|after|during|if|once|upon|triggers?|triggered|invoked?|asks?|asked"
    r"|use (?:this|it|for|to)|used (?:for|to|by)|useful for|(?:for|in) (?:cases|situations|tasks)"
    r"|needs? to|wants? to)\b|#run/"
    # Words for an occasion in other languages.
    r"|当|當|适用|適用|用于|用於|触发|觸發|时使用|時使用|時に|とき|際に|場合|때|경우"
    r"|\b(?:cuando|quand|lorsque|wenn|quando|когда|zaman|durumunda)\b",
    re.IGNORECASE,
)


@Predicate("no-when", Subject.SKILL)
def no_when(skill: Skill, options: NoOptions) -> Iterable[Match]:
    """A description that says what the skill does, but not when to use it."""
    description = skill.description
    if description is None or not description.value or _WHEN().search(description.value):
        return ()
    return (match_at(skill.path, description),)
