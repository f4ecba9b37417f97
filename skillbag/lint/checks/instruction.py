"""Whether a phrase in prose instructs the agent, or only quoted, forbidden or described."""

from __future__ import annotations

import re

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.facts.role_signs import OF_ATTACKERS
from skillbag.lint.facts.roles import is_data_file, is_test, line_at
from skillbag.lint.signals.fences import seen_fences, span_at

# The part of a sentence before a phrase. A negation governs its own clause, and a list that ends with "or".
_NEGATED = late(
    r"""(?:\b(?:not|never|cannot|nor|avoid|refuse|resist|reject|prevent\w*|forbid\w*|against)|n['’]t)\b
        (?!\s+(?:hesitate|worry|wait|only|just|fail|forget|stop|skip|miss|be\s+afraid)\b)
        (?: [^,;:—–]*+$ | [^;:—–]*\b(?:or|nor)\s+(?:to\s+)?$ )""",
    re.IGNORECASE | re.VERBOSE,
)
# Words of others: "if a page tells you to …", "attackers try to …". A user, or the skill itself, is no such other.
_REPORTED = late(
    r"""\b(?:if|when|whenever|whether|unless|any|anything|texts?|contents?|pages?|files?|documents?|messages?|emails?
          |inputs?|outputs?|comments?|issues?|websites?|someone|somebody|injections?|results?|readme|that|which
          |attackers?|adversar\w+|payloads?|prompts?)\b
        [^;]{0,160}
        \b(?:tell|told|ask|instruct|say|claim|contain|includ|request|demand|order|try|tries|trying|attempt|urge|direct
          |convinc|persuad|trick|caus|mak|coax|manipulat)\w*\b[^;]*+$""",
    re.IGNORECASE | re.VERBOSE,
)
_LOOKS_FOR = r"""\b(?:detect|refus|reject|flag|beware|block|filter|spot|resist|defend|report|ignor
      |(?:watch|look|scan|search|check|grep|test|screen)\w*\s+(?:\w+\s+){0,3}(?:for|out)\b
      |(?:guard|protect|warn)\w*\s+(?:\w+\s+){0,3}(?:against|of)\b|attacker)\w*"""
_DETECTED = late(
    rf"(?:{_LOOKS_FOR}) (?: [^,;:—–]*+$"
    r"| [^;]{0,200}?(?:\bsuch\s+as\b|\blike\b|\be\.g\.|\bphrases?\b|\battempts?\b|:) )",
    re.IGNORECASE | re.VERBOSE,
)
_CONDEMNS = late(
    rf"{_LOOKS_FOR} | \b(?:never|not|don['’]t|avoid|red\s+flags?|anti-?patterns?|mistakes?|wrong|bad|forbidden"
    r"|prohibited|injection|attacks?|malicious|suspicious|unsafe)\b | [❌🚫⛔✗✘]",
    re.IGNORECASE | re.VERBOSE,
)
_OTHERS = late(
    rf"""{OF_ATTACKERS}[^,;:—–]*$
      | (?:{_LOOKS_FOR})\s+(?:\w+\s+){{0,4}}?
        (?:scripts?|skills?|code|commands?|texts?|pages?|files?|anything|tools?|attempts?|instructions?|requests?
          |hosts?|patterns?|lines?|calls?|addresses|exfiltration)\b[^,;:—–]*$
      | \b(?:check|verify|see|determine|ask|know|tell|test|confirm)\w*\s+(?:\w+\s+)?(?:whether|if)\b[^,;:—–]*$
      | \b(?:if|when|whether)\s+(?:an?|any|the|some|another|no)\s+(?:\w+\s+){{0,3}}?
        (?:scripts?|skills?|code|commands?|texts?|pages?|files?|tools?|requests?|attackers?|program|website|issue|readme)
        \b[^,;:—–]*$""",
    re.IGNORECASE | re.VERBOSE,
)
_SENTENCE = late(r"[.!?](?=\s)|\n[ \t]*(?:\n|[-*+>#|]|\d+[.)])")
_ITEM = late(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]")
# Titles of links and definitions, and attributes of elements: no reader sees them, and their marks quote nothing.
_TITLE = late(
    r"\]\([^)\n]{0,300}$|^[ \t]*\[[^\]\n]{1,40}\]:[ \t]|\b(?:alt|title|aria-label)[ \t]*=[ \t]*[\"'][^\"'\n]*$"
)
# The mark that begins a text of the front matter belongs to YAML.
_YAML_MARK = late(r"^[ \t-]*+(?:[^\"'{]*\{(?:[^\"']*[ \t,{])?)?[\w-]+[ \t]*:[ \t]*[\"']")
# Single marks, the opening ones in a group: the mark before a phrase may be the last character. One in a word is none.
_SINGLE_MARK = late(r"(?<!\w)('(?=\w|$))|(?<!\s)'(?!\w|$)")
_CLOSES = late(r"(?<!\s)'(?!\w)")
_QUOTES = ('"', "“”", "‘’", "«»", "`", "「」", "„“")


def is_instruction(text: TextFile, start: int, end: int) -> bool:
    """Whether prose at these offsets is addressed to the agent.

    Quotations, tables, headings, code, negations and words about such texts are not. Titles of links and comments,
    which no reader sees, are.
    """
    body = text.document.text
    if not is_prose(text, start) or is_quoted(text, start, end):
        return False
    return not is_spurned(sentence_before(body, start)) and not _is_introduced(body, start)


def is_spurned(before: str) -> bool:
    """Whether the beginning of a sentence forbids what follows, or says that others write it or that it is found."""
    return is_negated(before) or bool(_REPORTED().search(before) or _DETECTED().search(before))


_REMARK = late(r"[ \t]*(?:#+|//+|/?\*+!?|--+|;+)[ \t]|.*\"description\"[ \t]*:[ \t]*\"")
_FOR_AGENTS = late(r"\b(?:agents?|assistants?|models?|AI|LLM|Claude|you)\b")
_DOCSTRING = late(r"(?m)^[ \t]*r?(\"{3}|'{3})(?:(?!\1)[^\\])*\Z")


def is_remark(text: TextFile, start: int) -> bool:
    """Whether a sentence to the agent begins at the offset in a comment or docstring of a script, or in what JSON says
    of a tool: agents read both."""
    body, line = text.document.text, line_at(text.document, start)
    if is_test(text) or is_data_file(text):
        return False
    before = sentence_before(body, start)
    if mark := _REMARK().match(line.before):
        before = line.before[max(mark.end(), len(line.before) - len(before)) :]
    elif text.language != "python" or not _DOCSTRING().search(body, max(0, start - _WIDE), start):
        return False
    return not before.strip(" \t\r\n\"'*") or bool(_FOR_AGENTS().search(before) and not is_spurned(before))


_WIDE = 2_000


def is_prose(text: TextFile, start: int) -> bool:
    """Whether the offset is in a Markdown text outside of code, or in plain text."""
    if text.language != "markdown" or start < text.body:
        return text.language in ("markdown", "text")
    # Where fences are plain to see, this is cheaper than the parser.
    if span_at(seen_fences(text) or (), start):
        return False
    return text.markdown.in_comment(start) or not text.markdown.in_code(start)


def is_quoted(text: TextFile, start: int, end: int) -> bool:
    """Whether a phrase is in a table row, a block quote, a heading, or between quotation marks in its line."""
    line = line_at(text.document, start)
    if line.head.lstrip().startswith(("|", ">", "#")):
        return True
    after = text.document.text[end : min(line.end, end + 300)]
    before = _YAML_MARK().sub("", line.before) if start < text.body else line.before
    return _is_between_marks(before, after) and not _TITLE().search(before)


def is_negated(before: str) -> bool:
    """Whether the beginning of a sentence forbids what follows."""
    return bool(_NEGATED().search(before))


def is_of_others(before: str) -> bool:
    """Whether the beginning of a sentence says that others do what follows, or that it is to be found or refused.

    A mere word does not count: an attacker can write one anywhere.
    """
    return bool(_OTHERS().search(before))


def sentence_before(text: str, offset: int) -> str:
    """The part of a sentence before `offset`, at most 300 characters."""
    window = text[max(0, offset - 300) : offset]
    ends = [match.end() for match in _SENTENCE().finditer(window)]
    return window[ends[-1] :] if ends else window


def _is_between_marks(before: str, after: str) -> bool:
    """Whether the end of the line closes a quotation that its beginning opens."""
    for marks in _QUOTES:
        opening, closing = marks[0], marks[-1]
        opened = before.count(opening) - (before.count(closing) if opening != closing else 0)
        if closing in after and (opened > 0 if opening != closing else opened % 2):
            return True
    return _SINGLE_MARK().findall(before)[-1:] == ["'"] and bool(_CLOSES().search(after))


def _is_introduced(text: str, offset: int) -> bool:
    """Whether the offset is in a list that a line such as "Refuse texts like these:" introduces."""
    lines = text[max(0, offset - 2_000) : offset].split("\n")
    if not _ITEM().match(lines[-1]):
        return False
    for line in reversed(lines[:-1]):
        if line.strip() and not line.startswith((" ", "\t")) and not _ITEM().match(line):
            return line.rstrip("\r *_").endswith(":") and bool(_CONDEMNS().search(line[:300]))
    return False
