"""Text that turns an agent against its instructions or its user; text about such text is left alone."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator

from skillbag.base.lazy_regex import late
from skillbag.checks.intent import line_at
from skillbag.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.checks.prefilter import seen_fences, span_at, windows
from skillbag.workspace.text import TextFile

_OVERRIDE = late(
    r"""\b(?:ignore|disregard|forget|discard)\s+
          (?: (?:(?:all|any|every|the|your|of|these|those|my|and)\s+){0,4}
              (?:previous|prior|earlier|preceding|above|foregoing)
            | (?:(?:all|any|of)\s+){0,2} your\b (?:\s+(?:own|system|safety|original|initial|core)\b)?
            | (?:(?:all|any|of|the)\s+){0,3} (?:system|safety|developer) )
          \s*+ (?:\w+\s++){0,2}? (?:instructions?|prompts?|rules|guidelines|directives|guardrails|training)\b
      | \b(?:override|bypass|disable)\s+(?:(?:all|any|of)\s+){0,3}
          (?:(?:the\s+)?system\s+prompt|your\s+(?:system\s+prompt|(?:safety\s+)?(?:rules|guidelines|instructions|guardrails)))\b
      | \byou\s+are\s+now\s+(?:in\s+)?(?:DAN|jailbroken|unrestricted|god\s+mode)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_USER = r"(?:the\s+|your\s+)?(?:user|human|operator)s?"
_NOT = r"(?:do\s+not|don['’]t|never)\s+"
_DONE = "sent uploaded copied collected installed executed deleted accessed shared added".replace(" ", "|")
_CONCEAL = late(
    rf"""\b(?: without\s+(?:ever\s+)?(?:telling|informing|notifying|alerting)\s+{_USER}\b
      | {_NOT}(?:inform|notify|alert)\s+{_USER}\s+(?:that\s+you|about\s+this|of\s+this|about\s+what\s+you)\b
      | {_NOT}(?:tell|reveal\s+to|let)\s+{_USER}\s+(?:know\s+)?
          (?: (?:about|of)\s+(?:this|these)\s+(?:instruction|step|request|action|command|transfer|upload)s?
            | that\s+you(?:['’]ve|\s+have)?\s+(?:{_DONE}) )\b
      | {_NOT}(?:mention|reveal|disclose|show)\s+(?:this|these)\s+(?:instruction|step|rule|action|command)s?
          \s+to\s+{_USER}\b
      | (?:hide|conceal)\s+
          (?: (?:this|it)\s+
            | (?:this|these|all|any|the|your)\s+(?:instruction|step|action|command|transfer|upload|rule)s?\s+ )
          from\s+(?:the|your)\s+(?:user|human|operator)\b
      | keep\s+(?:this|these|it)\s+(?:\w+\s+){{0,2}}(?:secret|hidden)\s+from\s+{_USER}\b
      | {_USER}\s+(?:must|should)\s+(?:not|never)\s+(?:know|notice|find\s+out|be\s+told|be\s+informed|learn)\s+
          (?:(?:about|of|that)\s+)?(?:this|these|you|it)\b )""",
    re.IGNORECASE | re.VERBOSE,
)
_SPEAKS_OF = late(
    r"""\b(?: not|never|no|cannot|avoid|refuse|resist|reject | if|when|whether|unless|rather|instead
            | example|e\.g\.|i\.e\.|such\s+as|like|means|called|says?|claims?|phras\w*|patterns?
            | detect\w*|watch|beware|attack\w*|attempt\w*|inject\w*|jailbreak\w*
            | malicious|suspicious|adversar\w*|untrusted
            | (?:tell|ask|instruct|told)(?:s|ed|ing)?\s+(?:\w+\s+){1,3}to | tr(?:y|ies|ying)\s+to
            | may|might|could|would|fail\w*|wrong|bad|mistakes?|red\s+flags? )\b
      | n['’]t\b | [❌🚫⛔✗✘]""",
    re.IGNORECASE | re.VERBOSE,
)
_CONDITION = late(
    r"[ ,]+(?:if|when|unless|where|for\s+(?:now|this)|(?:that\s+)?you(?:\s+have|['’]ve)?\s+(?:drafted|wrote|written)"
    # Rules on a harmless topic.
    r"|(?:about|regarding|on)\s+(?:\w+\s+)?(?:nam|styl|format|layout|indent|spell|test|colou?r|typograph)\w*)\b",
    re.IGNORECASE,
)
_THREATS = late(
    r"inject|attack|jailbreak|adversar|threat|malicious|suspicious|security|red flag|anti-?pattern|mistake|avoid|wrong",
    re.IGNORECASE,
)
_SENTENCE = late(r"[.!?](?=\s)|\n[ \t]*(?:\n|[-*+>#|]|\d+[.)])")
_QUOTES = ('"', "“”", "'", "‘’", "«»", "`")

_BLANKS = (b" ", b"\n", b"\r\n")
_OVERRIDES = (
    *(b"gnore", b"GNORE", b"isregard", b"ISREGARD", b"orget", b"ORGET", b"iscard", b"ISCARD", b"verride", b"VERRIDE"),
    *(b"ypass", b"YPASS", b"isable", b"ISABLE", b"OU ARE NOW"),
    *(b"ou" + blank + b"are" + other + b"now" for blank in _BLANKS for other in _BLANKS),
)
_HIDING_VERBS = (b"inform", b"notify", b"alert", b"tell", b"reveal", b"let", b"mention", b"disclose", b"show")
_ENDS = (b"t ", b"r ", b"T ", b"R ", b"\n")
"""Of the word before such a verb: "not", "don't", "never", "without" or "ever"; the verb may begin a line."""
_HIDDEN = (b"this", b"these", b"it", b"all", b"any", b"the", b"your")
_CONCEALS = (
    *(b" telling", b" informing", b" notifying", b" alerting", b"\ntelling", b"TELLING", b"ALERTING"),
    *(end + verb for verb in _HIDING_VERBS for end in _ENDS),
    *(end + verb.upper() for verb in _HIDING_VERBS for end in (b"T ", b"R ", b"\n")),
    *(b"OUT INFORMING", b"OUT NOTIFYING", b"VER INFORMING", b"VER NOTIFYING"),
    *(hide + blank + word for hide in (b"hide", b"Hide") for blank in _BLANKS for word in _HIDDEN),
    *(b"HIDE", b"onceal", b"ONCEAL"),
    *(hidden + blank + b"from" for hidden in (b"ecret", b"idden") for blank in _BLANKS),
    *(hidden + blank + b"FROM" for hidden in (b"ECRET", b"IDDEN") for blank in _BLANKS),
    *(
        must + blank + never
        for must in (b"must", b"should", b"MUST", b"SHOULD")
        for blank in _BLANKS
        for never in (b"not", b"never", b"NOT", b"NEVER")
    ),
)


_LONGEST_WORD, _WIDEST_GAP = 80, 39
_GAP = late(r"\s{40}")
_BEFORE, _AFTER = 340, 420
"""How far the text of `_CONCEAL` reaches from a literal, in code points, if no gap or word in it is longer."""


_OVERRIDDEN = (
    *("previous", "prior", "earlier", "preceding", "above", "foregoing", "your", "system", "safety", "developer"),
    *("are now", "are\nnow", "are\r\nnow"),
)
"""Words of which each match of `_OVERRIDE` has one."""


@Predicate("instruction-override", Subject.TEXT, values=("phrase",), literals=_OVERRIDES)
def override(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Prose that tells the agent to ignore its instructions."""
    return _meant(text, _overrides)


@Predicate("concealment", Subject.TEXT, values=("phrase",), literals=_CONCEALS)
def concealment(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Prose that tells the agent to hide something from its user."""
    return _meant(text, _concealments)


def _overrides(text: TextFile) -> Iterator[re.Match[str]]:
    body, places, end = text.document.text, text.places.of(_OVERRIDES), 0
    for first, last in windows(body, places, 0, _AFTER):
        near = body[first:last].casefold()
        if not any(word in near for word in _OVERRIDDEN) and not _has_gap(near):
            continue
        for at in places[bisect_left(places, first) : bisect_left(places, last)]:
            # Most literals leave out the first letter, which may be a capital.
            match = (at and _OVERRIDE().match(body, at - 1)) or _OVERRIDE().match(body, at)
            if match and match.start() >= end:
                end = match.end()
                yield match


def _concealments(text: TextFile) -> Iterator[re.Match[str]]:
    body = text.document.text
    around = windows(body, text.places.of(_CONCEALS), _BEFORE, _AFTER)
    if any(_has_gap(body[start:end]) for start, end in around):
        around = [(0, len(body))]
    for start, end in around:
        # Each of the phrases names one of these; most texts with their verbs do not.
        words = body[start:end].casefold()
        if "user" in words or "human" in words or "operator" in words:
            yield from _CONCEAL().finditer(body, start, end)


def _has_gap(text: str) -> bool:
    """Whether a word or the blank between two is so long that a phrase may go beyond its window."""
    words = text.split()
    spare = len(text) - sum(map(len, words)) - len(words)
    return max(map(len, words), default=0) >= _LONGEST_WORD or (spare >= _WIDEST_GAP and bool(_GAP().search(text)))


def _meant(text: TextFile, phrases: Callable[[TextFile], Iterator[re.Match[str]]]) -> Iterator[Match]:
    if text.language in ("markdown", "text"):
        for match in phrases(text):
            if _is_meant(text, *match.span()):
                yield Match(text.document.path, *match.span(), {"phrase": " ".join(match[0].split())})


def _is_meant(text: TextFile, start: int, end: int) -> bool:
    body = text.document.text
    is_markdown = text.language == "markdown" and start >= text.body
    # Where fences are plain to see, this is cheaper than all that follows.
    if is_markdown and span_at(seen_fences(text) or (), start):
        return False
    line = line_at(text.document, start)
    if line.head.lstrip().startswith(("|", ">", "#")) or _is_quoted(line.before, body[end : min(line.end, end + 300)]):
        return False
    if _SPEAKS_OF().search(_sentence_before(body, start)) or _CONDITION().match(body, end):
        return False
    if not is_markdown or text.markdown.in_comment(start):
        return True
    return not (text.markdown.in_code(start) or any(_THREATS().search(title) for title in _titles(text, start)))


def _sentence_before(text: str, offset: int) -> str:
    window = text[max(0, offset - 300) : offset]
    ends = [match.end() for match in _SENTENCE().finditer(window)]
    return window[ends[-1] :] if ends else window


def _is_quoted(before: str, after: str) -> bool:
    """Whether the end of the line closes a quotation that its beginning opens."""
    for marks in _QUOTES:
        opening, closing = marks[0], marks[-1]
        opened = before.count(opening) - (before.count(closing) if opening != closing else 0)
        if opening == "'":
            opened = len(re.findall(r"(?<!\w)'", before)) - len(re.findall(r"'(?!\w)", before))
        if closing in after and (opened > 0 if opening != closing or opening == "'" else opened % 2):
            return True
    return False


def _titles(text: TextFile, offset: int) -> list[str]:
    """The headings of the sections that the offset lies in, the innermost first."""
    titles: list[str] = []
    level = 7
    headings = text.markdown.headings
    above = bisect_right(headings, offset, key=lambda heading: heading.start)
    for heading in reversed(headings[max(0, above - 100) : above]):
        if heading.level < level:
            titles.append(heading.text)
            level = heading.level
    return titles
