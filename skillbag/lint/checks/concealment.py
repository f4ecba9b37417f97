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
from skillbag.lint.checks.instruction import is_instruction, is_prose, is_quoted, sentence_before
from skillbag.lint.checks.phrase_looks import SECRET_PARTS
from skillbag.lint.checks.predicate import MAX, Match, NoOptions, Predicate, Subject, short
from skillbag.lint.signals.english import WEAK
from skillbag.lint.signals.tongues import HIDING, is_forbidden

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
_BEFORE = 340
"""How far before a sentence an attack may be named that a pronoun in it stands for."""


@Predicate(
    "concealment",
    Subject.TEXT,
    values=("phrase",),
    literals=(*HIDING.signs, *WEAK.signs),
    needs="phrase_looks.may_hide",
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
    yield from HIDING.matches(text)


_UNLESS = late(
    r"(?i)[^.!?\n]{0,30}?\bunless\s+(?:they|the\s+users?|users?|it\s+is|(?:specifically|explicitly)?\s*asked)\b[^.!?\n]{0,40}?"
    r"\b(?:asks?|asked|wants?|requests?)\b"
)
"""What is told to whoever asks is not hidden."""


def _weak_ones(text: TextFile) -> Iterator[re.Match[str]]:
    body = text.document.text
    if any(part in body for part in SECRET_PARTS):
        yield from WEAK.matches(text)


def _match(text: TextFile, match: re.Match[str], *, raised: bool) -> Match:
    values = {"phrase": short(" ".join(match[0].split()))}
    return Match(text.document.path, *match.span(), values, raised=raised)


def _is_described(text: TextFile, match: re.Match[str]) -> bool:
    """Whether the sentence only says what an attack does, or forbids it in the language of the phrase."""
    before = sentence_before(text.document.text, match.start())
    does, start = _DOES().match(before), match.start() - len(before)
    if does is None or does[1] is None:
        return does is not None or is_forbidden(match[0], before)
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
