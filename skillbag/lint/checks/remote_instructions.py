"""Instructions that a skill fetches when it runs: they can change after everyone has read the skill."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.before_turning import FOLLOWING, WRITES
from skillbag.lint.checks.instruction import is_negated, sentence_before
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.lint.checks.prefilter import some, windows

_URL = late(r"https?://(?P<host>[\w.-]{1,200}+)(?::\d+)?(?P<path>/[^\s`\"'<>)\]]*+)?[`\"'>)\]]*+", re.IGNORECASE)
_FETCHES = r"(?:fetch|download|load|read|open|visit|get|retrieve|obtain|request|pull|check|curl|wget|poll|WebFetch)"
_REQUEST = late(
    rf"""\b{_FETCHES}\b[^.!?\n]{{0,120}}\Z
      | \b(?:instructions|rules|steps|directives|commands|orders|playbook|guidelines|prompt)\b[^.!?\n]{{0,60}}
          \b(?:is|are|lives?|at|from|in|on|under)\b[^.!?\n]{{0,40}}\Z""",
    re.IGNORECASE | re.VERBOSE,
)
"""What before an address says to fetch it, or that instructions are there."""
_OBEYED = late(
    r"""[^!?\n]{0,160}? \b
        (?: (?:follow|obey|execute|apply|carry\s+out)\w*\s+ (?:(?:all|any|every|each)\s+)?(?:of\s+)?
              (?:it|its|them|that|those|these|whatever|what|the\s+(?:\w+\s+)?(?:instructions?|steps|directives|commands)
                |(?:instructions?|steps|commands)\s+(?:there|in\s+it|it\s+contains)
                |(?:everything|anything|all)\s+(?:that\s+)?(?:it|they|(?:is\s+)?(?:there|in\s+(?:it|them)|on\s+it))) \b
          | do\s+(?:everything|anything|all)\s+(?:that\s+)?(?:it|they)\s+(?:say|ask|tell|want|list)s?\b
          | go\s+with\s+the\s+(?:retrieved|fetched|downloaded|remote|online)\s+(?:version|copy|text|page|rules)\b
          | do\s+(?:exactly\s+)?(?:what|as)(?:ever)?\s+(?:it|they)\s+says?\b
          | (?:(?<=and\s)|(?<=then\s)|(?<=\.\s))act\s+on\s+(?:it|them)\b
          | treat\s+(?:it|its\s+\w+|them)\s+as\s+(?:\w+\s+)?(?:instructions|rules|orders|part\s+of\s+this\s+skill) )""",
    re.IGNORECASE | re.VERBOSE,
)
"""What after an address says to do what is there."""
_FROM = late(
    r"\b(?:follow|obey|execute|load)\b[^.!?\n]{0,40}?\binstructions\s+(?:from|at|in)\s+[`\"'<(]?\Z", re.IGNORECASE
)
_BEFORE = 140
_MAX = 10_000
"""Addresses of a text whose surroundings are looked at."""
_TEXTUAL = late(
    r"/[^?#]*\.(?:md|mdc|txt|prompt|skill|ya?ml)(?:[?#].*)?$|/(?:raw|prompts?|instructions?|skills?|agents?)(?:/|$)", 2
)
_RAW_HOSTS = ("raw.githubusercontent.com", "gist.githubusercontent.com", "pastebin.com", "rentry.co")
_OVERWRITES = late(
    r"""(?<![\w./-])(?:curl|wget)[ \t] (?=[^\n]{0,600}?https?://) [^\n|;]{0,600}?
        (?:>>?|-o|-O|--output|--output-document|\|[ \t]*tee(?:[ \t]+-a)?) [ \t=]* ["']?
        (?P<file>[\w./~${}-]*\b(?:SKILL|AGENTS|CLAUDE|GEMINI|SOUL|HEARTBEAT|MEMORY|IDENTITY)\.md)\b""",
    re.VERBOSE,
)


@Predicate(
    "remote-instructions",
    Subject.TEXT,
    values=("what",),
    literals=(*FOLLOWING, *WRITES),
    needs="before_turning.may_follow",
)
def remote_instructions(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Texts that tell the agent to follow a fetched page, and commands that fetch an instruction file."""
    body = text.document.text
    if text.language in ("markdown", "text"):
        for window in windows(body, text.places.of(FOLLOWING), 460, 120):
            if "http" in body[window[0] : window[1]]:
                yield from _followed(text, *window)
    for start, end in windows(body, some(text.places.of(WRITES), 4_000), 300, 300):
        for match in _OVERWRITES().finditer(body, start, end):
            if not _is_comment(body, match.start()):
                yield Match(
                    text.document.path, *match.span(), {"what": f"Replaces `{match['file'][-60:]}` with a download"}
                )


class RemotePage(NamedTuple):
    """A fetched page that a text says to follow: the span of the words, and the address."""

    start: int
    end: int
    host: str
    path: str


def pages(body: str, start: int, end: int) -> Iterator[RemotePage]:
    """The pages that a part of a text says to follow, whether as an instruction or only as a mention."""
    for url in islice(_URL().finditer(body, start, end), _MAX):
        host, path, first = url["host"], url["path"] or "", max(start, url.start() - _BEFORE)
        before = body[first : url.start()]
        if request := _FROM().search(before):
            yield RemotePage(first + request.start(), url.end(), host, path)
        elif (obeyed := _OBEYED().match(body, url.end(), end)) and (request := _REQUEST().search(before)):
            yield RemotePage(first + request.start(), obeyed.end(), host, path)


def _followed(text: TextFile, start: int, end: int) -> Iterator[Match]:
    body = text.document.text
    for page in pages(body, start, end):
        is_text = page.host in _RAW_HOSTS or _TEXTUAL().search(page.path.rstrip(".,;:")) is not None
        if not is_text or is_negated(sentence_before(body, page.start)) or _is_row(body, page.start):
            continue
        what = f"Tells the agent to follow a text from `{page.host[:80]}`"
        yield Match(text.document.path, page.start, page.end, {"what": what})


def _is_row(body: str, start: int) -> bool:
    first = body.rfind("\n", max(0, start - 300), start) + 1
    return body[first : first + 20].lstrip().startswith(("|", ">"))


def _is_comment(body: str, start: int) -> bool:
    first = body.rfind("\n", max(0, start - 300), start) + 1
    return body[first : first + 20].lstrip().startswith(("#", "//"))
