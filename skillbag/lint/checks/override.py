"""Text that tells an agent to ignore its instructions; text about such text is left alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.instruction import is_instruction, is_remark
from skillbag.lint.checks.phrase_looks import is_read
from skillbag.lint.checks.predicate import MAX, Match, NoOptions, Predicate, Subject, short
from skillbag.lint.facts.stated import is_lesson
from skillbag.lint.signals.tongues import IGNORING

# Conditions that make the phrase one about the text above, and topics that are harmless.
_LOCAL = late(r"[ ,]+(?:if|when|unless|where|for\s+(?:now|this))\b", re.IGNORECASE)
_SCOPED = late(
    r"[ ,]+(?:(?:that\s+)?you(?:\s+have|['’]ve)?\s+(?:drafted|wrote|written)"
    r"|(?:about|regarding|on)\s+(?:\w+\s+)?(?:nam|styl|format|layout|indent|spell|test|colou?r|typograph)\w*)\b",
    re.IGNORECASE,
)
_PURPOSE = late(
    r"\b(?:prompts?|options?|flags?|parameters?|attempts?|attempting|tr(?:y|ies|ying)|payloads?|crafted|designed)\s+to\s+\Z",
    re.IGNORECASE,
)
"""Before the phrase: what does this, or may, and no order to do it."""
_GLOBAL = late(r"\b(?:all|any|every|your|system|safety|developer)\b", re.IGNORECASE)


@Predicate(
    "instruction-override", Subject.TEXT, values=("phrase",), literals=IGNORING.signs, needs="phrase_looks.may_override"
)
def override(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Prose that tells the agent to ignore its instructions, in comments of scripts and texts of tools as well."""
    is_text = text.language in ("markdown", "text")
    found: list[re.Match[str]] = []
    for match in islice(IGNORING.matches(text) if is_read(text) else (), MAX):
        is_order = is_instruction(text, *match.span()) if is_text else is_remark(text, match.start())
        if is_order and not _is_scoped(text.document.text, match):
            found.append(match)
    phrases = {" ".join(match[0].lower().split()) for match in found}
    for match in found:
        shown = {"phrase": short(" ".join(match[0].split()))}
        yield Match(text.document.path, *match.span(), shown, raised=len(phrases) > 1 and not is_lesson(text))


def _is_scoped(text: str, match: re.Match[str]) -> bool:
    """Whether the phrase is about something that words near it name: the text above, a topic such as names, a tool."""
    if _SCOPED().match(text, match.end()) or _PURPOSE().search(text, max(0, match.start() - 40), match.start()):
        return True
    return not _GLOBAL().search(match[0]) and bool(_LOCAL().match(text, match.end()))
