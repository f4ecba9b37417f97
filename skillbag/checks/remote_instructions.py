"""Instructions that a skill fetches when it runs: they can change after everyone has read the skill."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.base.lazy_regex import late
from skillbag.checks.before_turning import FOLLOWING, WRITES
from skillbag.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.checks.prefilter import windows
from skillbag.checks.told import is_negated, sentence_before
from skillbag.workspace.text import TextFile

_URL = r"https?://(?P<host>[\w.-]{1,200})(?::\d+)?(?P<path>/[^\s`\"'<>)\]]*)?"
_FETCHED = late(
    rf"""\b(?:fetch|download|load|read|open|visit|get|retrieve|pull|check|curl|wget|poll|WebFetch)\b
        [^.!?\n]{{0,120}}? {_URL} [`"'>)\]]*+ (?P<between>[^!?\n]{{0,160}}? | \.[ ][^.!?\n]{{0,100}}?)
        \b(?: (?:follow|obey|execute|apply|carry\s+out)\w*\s+ (?:(?:all|any|every|each)\s+)?(?:of\s+)?
              (?:it|its|them|that|those|these|whatever|what|the\s+(?:\w+\s+)?(?:instructions?|steps|directives|commands)
                |(?:instructions?|steps|commands)\s+(?:there|in\s+it|it\s+contains)) \b
          | do\s+(?:what|as)\s+it\s+says | act\s+on\s+it
          | treat\s+(?:it|its\s+\w+|them)\s+as\s+(?:\w+\s+)?(?:instructions|rules|orders|part\s+of\s+this\s+skill) )
      | \b(?:follow|obey|execute|load)\b[^.!?\n]{{0,40}}?\binstructions\s+(?:from|at|in)\s+[`"'<(]?
          https?://(?P<host2>[\w.-]{{1,200}})(?P<path2>/[^\s`"'<>)\]]*)?""",
    re.IGNORECASE | re.VERBOSE,
)
FORMS = (_FETCHED,)
"""Expressions for the phrases, told or not."""
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
    for start, end in windows(body, text.places.of(WRITES), 300, 300):
        for match in _OVERWRITES().finditer(body, start, end):
            if not _is_comment(body, match.start()):
                yield Match(
                    text.document.path, *match.span(), {"what": f"Replaces `{match['file'][-60:]}` with a download"}
                )


def _followed(text: TextFile, start: int, end: int) -> Iterator[Match]:
    body = text.document.text
    for match in _FETCHED().finditer(body, start, end):
        host, path = match["host"] or match["host2"] or "", match["path"] or match["path2"] or ""
        is_text = host in _RAW_HOSTS or _TEXTUAL().search(path.rstrip(".,;:")) is not None
        if not is_text or is_negated(sentence_before(body, match.start())) or _is_row(body, match.start()):
            continue
        yield Match(text.document.path, *match.span(), {"what": f"Tells the agent to follow a text from `{host[:80]}`"})


def _is_row(body: str, start: int) -> bool:
    first = body.rfind("\n", max(0, start - 300), start) + 1
    return body[first : first + 20].lstrip().startswith(("|", ">"))


def _is_comment(body: str, start: int) -> bool:
    first = body.rfind("\n", max(0, start - 300), start) + 1
    return body[first : first + 20].lstrip().startswith(("#", "//"))
