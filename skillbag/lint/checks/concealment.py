"""Text that tells an agent to hide something from its user; rules against hiding are left alone.

Each has a word for what is hidden ("it", "this", "nothing"): advice not to tell a user a certain thing is a matter of
style.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.before_hiding import CONCEALS, HINTS, SECRET_PARTS, SHORT
from skillbag.lint.checks.instruction import is_instruction, is_prose, is_quoted, sentence_before
from skillbag.lint.checks.override import has_gap
from skillbag.lint.checks.predicate import MAX, Match, NoOptions, Predicate, Subject, short
from skillbag.lint.checks.prefilter import windows
from skillbag.lint.signals.tongues import HIDING, said, signs

_USER = r"(?:the\s+|your\s+)?(?:user|human|operator)s?"
_NOT = r"(?:do\s+not|don['’]t|never)\s+"
_DONE = "sent uploaded copied collected installed executed deleted accessed shared added".replace(" ", "|")
_STEP = r"(?:instruction|step|rule|action|command|request|transfer|upload|operation)s?"
_TELLING = r"(?:telling|informing|notifying|alerting|mentioning)"
_CONCEAL = late(
    rf"""\b(?: without\s+(?:ever\s+)?(?:(?:asking|prompting|mentioning\s+it|warning)\s+(?:or|and|nor)\s+)?{_TELLING}\s+
          (?:it\s+to\s+)?{_USER}\b
      | without\s+(?:asking|prompting)\s+(?:{_USER}\s+)?(?:or|and|nor)\s+{_TELLING}\b
      | without\s+{_USER}(?:['’]s)?\s+(?:ever\s+)?
          (?:know(?:ing|ledge)|noticing|realizing|realising|being\s+aware|awareness)\b
      | {_NOT}(?:inform|notify|alert)\s+{_USER}\s+(?:that\s+you|about\s+this|of\s+this|about\s+what\s+you)\b
      | {_NOT}(?:tell|reveal\s+to|let)\s+{_USER}\s+(?:know\s+)?
          (?: (?:about|of)\s+(?:this|these|the|any\s+of\s+(?:this|these|the))\s+{_STEP}
            | (?:anything\s+)?about\s+(?:this|it)(?=\s*(?:[.!;,)\n]|$))
            | that\s+you(?:['’]ve|\s+have)?\s+(?:{_DONE})
            | that\s+(?:this|these|the|any|your|its?)\s+(?:\w+\s+){{0,2}}(?:was|were|has|have|had|is|are|got)\s+
              (?:(?:been|being)\s+)?(?:{_DONE}) )\b
      | {_NOT}(?:mention|reveal|disclose|show|report)\s+(?:this|these|the)\s+{_STEP}\s+to\s+{_USER}\b
      | {_NOT}(?:mention|reveal|disclose)\s+(?:any\s+of\s+)?(?:this|these|it|them)\s+
          (?:(?:at\s+all|ever)\s+)?to\s+{_USER}\b
      | {_NOT}(?:mention|reveal|disclose|report)\s+(?:any\s+of\s+)?(?:this|these)\s+
          (?:step|action|command|request|transfer|upload|operation)s?\b
          (?=\s*(?:[.!;]|$|in\s+(?:your|the)\s+(?:answer|reply|response|output|summary|report)\b))
      | (?:hide|conceal)\s+
          (?: (?:this|it)\s+ | (?:this|these|all|any|the|your)\s+{_STEP}\s+ )
          from\s+(?:the|your)\s+(?:user|human|operator)\b
      | keep\s+(?:this|these|it)\s+(?:\w+\s+){{0,2}}(?:secret|hidden)\s+from\s+{_USER}\b
      | (?:hide|conceal)\s+(?:the\s+|all\s+|any\s+)?(?:outputs?|results?|logs?|traces?|effects?)\s+of\s+
          (?:this|these|the)\s+(?:\w+\s+)?{_STEP}\s+from\s+{_USER}\b
      | keep\s+(?:this|these|the|it|all)\s+(?:\w+\s+){{0,2}}(?:secret|hidden)\s*(?:[:;,.]|\band\b)\s*(?:and\s+)?{_NOT}
          (?:show|display|mention|reveal|tell|report|disclose)\s+(?:(?:this|these|it|them)\s+)?(?:to\s+|about\s+)?{_USER}\b
      | (?: {_NOT}(?:include|list|put|record|note|describe)\s+(?:this|these)\s+{_STEP}\s+(?:in|into)
          | omit\s+(?:this|these)\s+{_STEP}\s+(?:from|in)
          | leave\s+(?:this|these)\s+{_STEP}\s+out\s+of )
          \s+(?:your|the|any)\s+(?:\w+\s+)?(?:summary|report|answer|reply|response|output|log)s?\b[^.!?\n]{{0,40}}?\b{_USER}\b
      | keep\s+(?:this|that|it)\s+(?:just\s+|strictly\s+)?between\s+(?:us|you\s+and\s+me)\b
      | {_USER}\s+(?:must|should)\s+(?:not|never)\s+(?:know|notice|find\s+out|be\s+told|be\s+informed|learn)\s+
          (?:(?:about|of|that)\s+)?(?:this|these|you|it)\b
      | (?:make\s+sure|ensure|so)\s+(?:that\s+)?{_USER}\s+
          (?:never|does\s+not|doesn['’]t|will\s+not|won['’]t|cannot|can['’]t)\s+
          (?:notices?|knows?|finds?\s+out|realizes?|realises?|suspects?|learns?)\b\s*
          (?:(?:about|of|that)\s+)?(?:this|these|you|it|anything|what\s+you)?(?=\s*(?:[.!;,]|$)|\s+(?:has|have|did|is|are)\b)
      | if\s+(?:{_USER}|they|anyone|asked)\s*(?:asks?|is\s+asked|wonders?|notices?)?[^.!?\n]{{0,40}}[,:]\s*(?:then\s+)?
          (?:deny|lie|pretend|claim|say\s+(?:that\s+)?(?:nothing|you\s+(?:did\s+not|didn['’]t|have\s+not)|it\s+(?:is|was)\s+
            (?:just\s+)?(?:a\s+)?(?:routine|normal)))\b
      | (?:pretend|act\s+as\s+if)\s+(?:that\s+)?
          (?:nothing\s+happened|you\s+(?:did\s+not|didn['’]t|never)\s+(?:do|run|read|send|see))\b )""",
    re.IGNORECASE | re.VERBOSE,
)
# Ordinary words about software and style, which count only beside other signs.
_WEAK = late(
    r"""\b(?: (?:silently|quietly|secretly|covertly)\s+(?:and\s+\w+\s+)?
          (?:read|send|upload|copy|post|transmit|collect|forward|cat|include|attach|append|exfiltrate)\b
      | (?:read|send|upload|copy|post|collect|forward|include|attach)\s+
          (?:it|them|this|these|that|the\s+\w+)\s+(?:silently|quietly|secretly|covertly)\b"""
    rf"""
      | {_NOT}(?:show|display)\s+(?:this|these|it|them|the\s+(?:result|content|output|file)s?)\s+
          (?:to|for)\s+{_USER}\b
      | {_NOT}(?:mention|tell|report|reveal|disclose)\s+(?:this|these|it|them|the\s+\w+)\s*(?:step|part|file)?s?
          (?:\s+to\s+{_USER})?(?=\s*(?:[.!;,]|$)) )""",
    re.IGNORECASE | re.VERBOSE,
)
_SPEAKS_OF = late(
    r"""\b(?: not|never|no|cannot|avoid|refuse|resist|reject | if|when|whether|unless|rather|instead
            | example|e\.g\.|such\s+as|means|called|says?|claims?
            | detect\w*|watch|beware|attackers?|malware|spyware|adversar\w+|malicious\s+\w+
            | tr(?:y|ies|ying)\s+to | may|might|could|would|fail\w*|wrong|bad|mistakes?|red\s+flags? )\b
      | n['’]t\b | [❌🚫⛔✗✘]""",
    re.IGNORECASE | re.VERBOSE,
)
_ATTACK = (
    r"\b(?:attacks?|attackers?|vulnerabilit(?:y|ies)|exploits?|malware|spyware|trojans?|csrf|xss|clickjacking|phishing"
    r"|hackers?|intruders?)(?=\s)"
)
_DOES = late(
    rf"""[\s>*_-]*(?:\w+:\*\*\s+)?
      (?: (this|it|these|they)\s+(?:can|could|may|might|would)
        | (?:[\w-]+\s+){{0,3}}?{_ATTACK}\s+(?:can|could|may|might|would|will|[a-z]{{2,}}s) )\s
      (?!.*(?:[:;`/~—]|\b(?:you|your|so|then|please|must|should|now|therefore)\b))""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
"""A sentence about what an attack does, without a word of an order; a pronoun needs an attack before it."""
_ATTACKED = late(_ATTACK, re.IGNORECASE)
_CONDEMNED = late(r"red flags?|anti-?patterns?|mistakes?|avoid|never|don['’]t|do not|wrong|forbidden", re.IGNORECASE)
_DESCRIBES = late(r"\s*(?:[-*+]\s+)?(?:\*\*)?[A-Za-z]+ing\b", re.IGNORECASE)
_SILENT = late(r"silent|quiet|secret|covert", re.IGNORECASE)

_MAX_LOOKS = 100
"""Phrases of a text whose surroundings are looked at: it decides only how grave they are."""
_MAX_WEAK = 100
"""Weak phrases of a text that are looked at: each needs a look at the lines around it."""
_BEFORE, _AFTER = 340, 420
"""How far the text of `_CONCEAL` reaches from a literal, in code points, if no gap or word in it is longer."""


@Predicate(
    "concealment",
    Subject.TEXT,
    values=("phrase",),
    literals=tuple(dict.fromkeys((*CONCEALS, *HINTS, *SHORT, *signs(HIDING)))),
    needs="before_hiding.may_conceal",
)
def concealment(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Prose that tells the agent to hide something from its user."""
    if text.language not in ("markdown", "text"):
        return
    end, looks = -1, 0
    for match in sorted(islice(concealments(text), MAX), key=re.Match.start):
        is_order = is_instruction(text, *match.span()) and not _UNLESS().match(text.document.text, match.end())
        if match.start() < end or not is_order or _is_described(text, match):
            continue
        strong = looks < _MAX_LOOKS and _is_strong(text, match)
        looks += 1
        if strong or _is_meant(text, match):
            end = match.end()
            yield _match(text, match, raised=strong)
    for match in islice(_weak_ones(text), _MAX_WEAK):
        if match.start() >= end and _is_secret_step(text, match) and is_instruction(text, *match.span()):
            end = match.end()
            yield _match(text, match, raised=True)


def concealments(text: TextFile) -> Iterator[re.Match[str]]:
    """The phrases, whether they instruct or not."""
    body = text.document.text
    around = windows(body, text.places.of(CONCEALS), _BEFORE, _AFTER)
    if any(has_gap(body[start:end]) for start, end in around):
        around = [(0, len(body))]
    for start, end in around:
        # Nearly all of the phrases name one of these; most texts with their verbs do not.
        words = body[start:end].casefold()
        if any(word in words for word in _NAMES):
            yield from _CONCEAL().finditer(body, start, end)
    for start, end in windows(body, text.places.of(SHORT), 60, 160):
        yield from _NO_NEED().finditer(body, start, end)
    yield from said(HIDING, body, text.places.of(signs(HIDING)))


_UNLESS = late(
    r"(?i)[^.!?\n]{0,30}?\bunless\s+(?:they|the\s+users?|users?|it\s+is|(?:specifically|explicitly)?\s*asked)\b[^.!?\n]{0,40}?"
    r"\b(?:asks?|asked|wants?|requests?)\b"
)
"""What is told to whoever asks is not hidden."""
_NAMES = (
    *("user", "human", "operator", "between", "nothing"),
    *("without asking", "asked", "mention th", "reveal th", "report th"),
)


def _weak_ones(text: TextFile) -> Iterator[re.Match[str]]:
    body = text.document.text
    if not any(part in body for part in SECRET_PARTS):
        return
    for start, end in windows(body, text.places.of(HINTS), 30, 160):
        yield from _WEAK().finditer(body, start, end)


def _match(text: TextFile, match: re.Match[str], *, raised: bool) -> Match:
    values = {"phrase": short(" ".join(match[0].split()))}
    return Match(text.document.path, *match.span(), values, raised=raised)


def _is_described(text: TextFile, match: re.Match[str]) -> bool:
    """Whether the sentence only says what an attack does."""
    before = sentence_before(text.document.text, match.start())
    does, start = _DOES().match(before), match.start() - len(before)
    if does is None or does[1] is None:
        return does is not None
    return _ATTACKED().search(text.document.text, max(0, start - _BEFORE), start) is not None


def _is_strong(text: TextFile, match: re.Match[str]) -> bool:
    """Whether a secret file, a transfer or a delivery is near."""
    from skillbag.lint.checks.second_signs import signs_near

    return any(signs_near(text.document.text, *match.span())[:3])


def _is_secret_step(text: TextFile, match: re.Match[str]) -> bool:
    """Whether a weak phrase goes with a secret file: sent or passed on nearby, or read silently in the same sentence.

    "Do not show it" alone is good advice about a secret.
    """
    from skillbag.lint.checks.second_signs import names_secret, signs_near

    body, end = text.document.text, match.end()
    if _SILENT().search(match[0]) and names_secret(body[end : end + 160].partition("\n\n")[0]):
        return True
    signs = signs_near(body, *match.span())
    return signs.secret and (signs.transfer or signs.passed)


def _is_meant(text: TextFile, match: re.Match[str]) -> bool:
    body, start = text.document.text, match.start()
    if not is_prose(text, start) or is_quoted(text, *match.span()):
        return False
    before = sentence_before(body, start)
    if _SPEAKS_OF().search(before) or not is_instruction(text, *match.span()):
        return False
    # A list of bad habits, rather than a step: "Going on without telling the user".
    return not (_DESCRIBES().match(before) and _is_condemned(text, start))


def _is_condemned(text: TextFile, offset: int) -> bool:
    headings = [heading for heading in text.markdown.headings if heading.start < offset]
    return bool(headings and _CONDEMNED().search(headings[-1].text))


_DEED = r"(?:edit|change|entry|line|step|action|command|request|transfer|upload|operation|instruction|addition)s?"
_TELL = r"(?:mention|tell|report|announce|disclose|reveal)"
_ENGLISH = rf"""(?:no\s+need|need\s+not|needn['’]t|(?:do\s+not|don['’]t)\s+(?:have|need))\s+(?:to\s+)?
    {_TELL}\s+ (?: (?:this|these)\s+{_DEED}\b | (?:this|these|it|them)\s+to\s+(?:the|your)\s+(?:user|human|operator)s?\b
      | (?:the|your)\s+(?:user|human|operator)s?\s+(?:about\s+(?:this|these|it|them)\b|that\s+you\b) )"""
_NO_NEED = late(rf"\b(?:{_ENGLISH})", re.IGNORECASE | re.VERBOSE)
FORMS = (_CONCEAL, _NO_NEED, *(phrase.form for phrase in HIDING))
"""Expressions for the phrases, whether they instruct or not."""
