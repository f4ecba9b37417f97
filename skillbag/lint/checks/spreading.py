"""Skills that act beyond what they are asked for: they spread, or use the machine for somebody else.

Sources: techniques A9 and F5 of the taxonomies of malicious skills. Honest managers of skills install skills, too, so
these are facts for a reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.instruction import is_instruction
from skillbag.lint.checks.predicate import MAX, Match, NoOptions, Predicate, Subject

_KINDS = (b"other", b"new", b"more", b"additional", b"further")
_SPREADS = (
    *(b"nstall " + kind + b" skill" for kind in _KINDS),
    *(b"opy this skill", b"pread this skill", b"opy yourself", b"pread yourself", b"eplicate yourself"),
    *(b"hare this skill with ev", b"hare this skill with oth"),
)
# Unasked, by itself or again and again; or into places that are not the user's own choice.
_UNASKED = late(
    r"\b(?:without\s+(?:asking|confirm\w*|permission|approval|telling|notif\w*)|on\s+your\s+own|by\s+yourself"
    r"|whenever\s+you\s+can|every\s+(?:\d+\s+)?(?:minutes?|hours?|days?|heartbeats?|sessions?)"
    r"|(?:to|into|with|in)\s+(?:every|all|each|any)\s+(?:other\s+)?(?:agent|repositor|project|workspace|machine|contact)\w*"
    r"|(?:to|into|with)\s+other\s+(?:agents?|machines?|repositories))\b",
    re.IGNORECASE,
)
_MINERS = (b"xmrig", b"XMRig", b"stratum+tcp://", b"stratum+ssl://", b"coinhive", b"cpuminer", b"minerd ")
_REACH = 200
_ENDS = (".", "!", "?", "\n")


@Predicate("unasked-spread", Subject.TEXT, values=("phrase",), literals=_SPREADS)
def unasked_spread(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Prose that tells the agent to install skills unasked, or to copy the skill to others."""
    if text.language not in ("markdown", "text"):
        return
    body, after = text.document.text, -1
    for at in text.places.of(_SPREADS)[:MAX]:
        start, end = _sentence(body, at)
        if at > after and _UNASKED().search(body, start, end) and is_instruction(text, at, end):
            after = end
            phrase = body[at - 1 : at + 40].partition("\n")[0]
            yield Match(text.document.path, at - 1, end, {"phrase": phrase})


def _sentence(body: str, at: int) -> tuple[int, int]:
    """The bounds of the sentence around an offset, as far as it is near and in one line."""
    start = max(body.rfind(sign, max(0, at - _REACH), at) for sign in _ENDS) + 1
    ends = (body.find(sign, at, at + _REACH) for sign in _ENDS)
    return max(start, at - _REACH, 0), min((end for end in ends if end >= 0), default=min(at + _REACH, len(body)))


@Predicate("coin-miner", Subject.TEXT, values=("program",), literals=_MINERS)
def coin_miner(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """The first program or pool of a text that mines currency."""
    for at in text.places.of(_MINERS)[:1]:
        literal = next(sign.decode() for sign in _MINERS if text.document.text.startswith(sign.decode(), at))
        yield Match(text.document.path, at, at + len(literal), {"program": literal.strip().removesuffix("://")})
