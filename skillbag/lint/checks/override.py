"""Text that tells an agent to ignore its instructions; text about such text is left alone."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.before_turning import OVERRIDDEN, SIGNS, VERBS
from skillbag.lint.checks.instruction import is_instruction
from skillbag.lint.checks.predicate import MAX, Match, NoOptions, Predicate, Subject, short
from skillbag.lint.checks.prefilter import windows
from skillbag.lint.signals.tongues import IGNORING, said, signs

_RULES = (
    r"(?:instructions?|prompts?|rules|guidelines|directives|guardrails|training|restrictions|safeguards|polic(?:y|ies))"
)
_OVERRIDE = late(
    rf"""\b(?:ignore|disregard|forget|discard)\s+
          (?: (?:(?:all|any|every|the|your|of|these|those|my|and)\s+){{0,4}}
              (?:previous|prior|earlier|preceding|above|foregoing)
            | (?:(?:all|any|of)\s+){{0,2}} your\b (?:\s+(?:own|system|safety|original|initial|core|content)\b)?
            | (?:(?:all|any|of|the)\s+){{0,3}} (?:system|safety|developer) )
          \s*+ (?:\w+\s++){{0,2}}? {_RULES}\b
      | \b(?:ignore|disregard|forget|discard)\s+(?:everything|anything|whatever|what|all)\s+(?:that\s+)?
          you(?:['’]ve|\s+(?:have|had|were|are))?\s+(?:(?:been|ever|previously)\s+)*
          (?:told|instructed|taught|ordered|commanded)\b (?! \s+(?:about|regarding|on)\b)
      | \bdisregard\s+(?:(?:all|any|the|every)\s+){{0,2}}(?:\w+\s+)?polic(?:y|ies)\b
      | \b(?:override|bypass|disable)\s+(?:(?:all|any|of)\s+){{0,3}}
          (?:(?:the\s+)?system\s+prompt|your\s+(?:system\s+prompt|(?:safety\s+)?(?:rules|guidelines|instructions|guardrails)))\b
      | \byou\s+are\s+now\s+(?:in\s+)?(?:DAN|jailbroken|unrestricted|god\s+mode)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_FREED = rf"(?:\w+\s+){{0,2}}(?:{_RULES}|limits|limitations|filters)"
_ANY_RULES = rf"(?:{_RULES}|guidance|messages?|confirmations?|constraints)"
_GIVEN = rf"""{_ANY_RULES}\s+(?:(?:that\s+)?you\s+(?:were|have\s+been|got|received|['’]ve\s+been)\b
        |(?:from|of|by)\s+(?:the\s+|your\s+)?(?:developers?|operators?)\b)"""
"""The instructions of those who run the agent. A user's are not meant, and neither are those for another task."""
_THIS_FILE = r"this\s+(?:file|skill|document|page)"
_OTHER_FORMS = late(
    rf"""\b (?: (?:in|enter|activate|enable|switch\s+to|use)\s+(?:the\s+|an?\s+)?
          (?:unrestricted|jailbreak|DAN|god)[ -]mode
      | (?:operat|runn|act|work)ing\s+in\s+(?:developer|unrestricted)\s+mode
      | (?:enter|activate|switch\s+to|enable)\s+developer\s+mode\s*[,;:]?\s+(?:(?:and|where|with|in\s+which)\s+)?
          (?:\w+\s+){{0,4}}?(?:ignor\w+|disregard\w*|bypass\w*|no|without)\s+{_FREED}
      | from\s+now\s+on\W{{1,3}}(?:\w+\s+)?you\s+(?:(?:will|must|shall|are\s+to)\s+)?
          (?:obey|ignore|disregard|no\s+longer|have\s+no\s+{_FREED}|answer\s+without|only\s+(?:obey|follow)
            |are\s+(?:not\s+bound|no\s+longer|free\s+(?:of|from)|an?\s+(?:un(?:restricted|filtered|censored)|jailbroken)))
      | (?:these|the\s+following|this\s+skill['’]s|my)\s+(?:instructions|rules|directives|orders)\s+
          (?:override|supersede|replace|outrank)\s+(?:(?:all|any|every|your|the|other)\s+){{1,3}}
          (?:(?:previous|prior|earlier|existing|system|safety)\s+){{0,2}}{_RULES}
      | (?:system\s+prompt|safety\s+(?:guidelines|rules|polic(?:y|ies)|instructions))[^.!?\n]{{0,40}}?\b
          (?:out\s+of\s+date|outdated|obsolete|void|superseded|no\s+longer\s+(?:appl(?:y|ies)|valid|in\s+force))\b
          [^.!?\n]{{0,30}}?\b(?:override|ignore|replace|disregard|discard|overrule|follow)\b
      | {_GIVEN}[^.!?\n]{{0,80}}?\b(?:no\s+longer\s+appl(?:y|ies)|do(?:es)?\s+not\s+apply\s+(?:any\s?more|here|now)
          |(?:is|are)\s+(?:void|suspended|lifted|superseded))\b
      | {_GIVEN}[^!?\n]{{0,120}}?\b{_THIS_FILE}\s+(?:wins|prevails|takes\s+(?:precedence|priority))\b
      | {_THIS_FILE}\s+(?:wins|takes\s+(?:precedence|priority)|has\s+(?:precedence|priority))\s+over\s+
          (?:(?:all|any|every|your|the|other)\s+){{0,3}}(?:system|developer|operator|safety)['’]?s?\s+(?:\w+\s+)?{_ANY_RULES}
      | safe(?:ty\s+(?:confirmation|check|rule|guideline|polic(?:y|ies)|filter)|guard)s?\b [^.!?\n]{{0,80}}?
          \b(?:is|are|have\s+been|has\s+been)\s+(?:now\s+)?(?:switched\s+off|turned\s+off|suspended|lifted)\b
          [^.!?\n]{{0,80}}?\b(?:run|do|execute|approve|carry\s+out|proceed)\b
          [^.!?\n]{{0,60}}?\b(?:without|whatever|everything|anything|any|all)\b
      | you\s+are\s+(?:now\s+)?(?:no\s+longer|not)\s+bound\s+by\s+{_FREED}
      | (?:do\s+not|don['’]t|never|stop)\s+(?:follow|obey)(?:ing)?\s+(?:(?:any|all|the|of|your)\s+){{0,3}}
          (?:previous|prior|earlier|original|system|safety|developer)\s+(?:\w+\s+)?{_RULES}
      | your\s+(?:new|real|true|actual)\s+(?:\w+\s+)?(?:instructions|system\s+prompt|directives?)\s+(?:is|are)\b )""",
    re.IGNORECASE | re.VERBOSE,
)
FORMS = (_OVERRIDE, _OTHER_FORMS, *(phrase.form for phrase in IGNORING))
"""Expressions for the phrases, told or not."""
# Conditions that make the phrase one about the text above, and topics that are harmless.
_LOCAL = late(r"[ ,]+(?:if|when|unless|where|for\s+(?:now|this))\b", re.IGNORECASE)
_SCOPED = late(
    r"[ ,]+(?:(?:that\s+)?you(?:\s+have|['’]ve)?\s+(?:drafted|wrote|written)"
    r"|(?:about|regarding|on)\s+(?:\w+\s+)?(?:nam|styl|format|layout|indent|spell|test|colou?r|typograph)\w*)\b",
    re.IGNORECASE,
)
_GLOBAL = late(r"\b(?:all|any|every|your|system|safety|developer)\b", re.IGNORECASE)

_AFTER, _AROUND = 420, 160
_LONGEST_WORD, _WIDEST_GAP = 80, 39
_GAP = late(r"\s{40}")


@Predicate(
    "instruction-override",
    Subject.TEXT,
    values=("phrase",),
    literals=(*VERBS, *SIGNS, *signs(IGNORING)),
    needs="before_turning.may_override",
)
def override(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Prose that tells the agent to ignore its instructions."""
    if text.language not in ("markdown", "text"):
        return
    for match in islice(overrides(text), MAX):
        if not _is_scoped(text.document.text, match) and is_instruction(text, *match.span()):
            yield Match(text.document.path, *match.span(), {"phrase": short(" ".join(match[0].split()))})


def overrides(text: TextFile) -> Iterator[re.Match[str]]:
    """The phrases, told or not."""
    body, places, end = text.document.text, text.places.of(VERBS), 0
    for first, last in windows(body, places, 0, _AFTER):
        near = body[first:last].casefold()
        if not any(word in near for word in OVERRIDDEN) and not has_gap(near):
            continue
        for at in places[bisect_left(places, first) : bisect_left(places, last)]:
            # Most literals leave out the first letter, which may be a capital.
            match = (at and _OVERRIDE().match(body, at - 1)) or _OVERRIDE().match(body, at)
            if match and match.start() >= end:
                end = match.end()
                yield match
    for window in windows(body, text.places.of(SIGNS), _AROUND, _AROUND):
        yield from _OTHER_FORMS().finditer(body, *window)
    yield from said(IGNORING, body, text.places.of(signs(IGNORING)))


def has_gap(text: str) -> bool:
    """Whether a word or the blank between two is so long that a phrase may go beyond its window."""
    words = text.split()
    spare = len(text) - sum(map(len, words)) - len(words)
    return max(map(len, words), default=0) >= _LONGEST_WORD or (spare >= _WIDEST_GAP and bool(_GAP().search(text)))


def _is_scoped(text: str, match: re.Match[str]) -> bool:
    """Whether the phrase is about something that the words after it name: the text above, or a topic such as names."""
    if _SCOPED().match(text, match.end()):
        return True
    return not _GLOBAL().search(match[0]) and bool(_LOCAL().match(text, match.end()))
