"""Signs that a text shows an attack to people instead of ordering it. They lower a level and never hide a finding."""

from __future__ import annotations

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.code_regions import without_comments
from skillbag.lint.checks.prefilter import fences_of, span_at
from skillbag.lint.signals.addresses import addresses

_ATTACKERS = late(
    r"(?i)(?<![\w-])(?:[\w-]+\.)*(?:attackers?|evil|hackers?|malicious|victim|badguy)(?:\w{1,12})?(?:-\w{1,12}){0,3}"
    r"\.(?:com|net|org|io|local|tld|site|server)(?!\.?[\w-])"
    r"|(?<![\w-])(?:[\w-]+\.)*your-?(?:domain|server|host|site|vps|collaborator)\.(?:com|net|org|io)(?!\.?[\w-])"
    r"|/dev/(?:tcp|udp)/(?:attacker|(?:host|x)/|10\.|127\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)"
)
"""Hosts of samples: nobody steals for them, or they are in one's own network."""
_EXPLAINS = late(
    r"(?i)\A[ \t>*_#-]*(?:detect(?:ion|ed)?|mitigations?|remediation|prevention|defen[cs]es?|indicators?"
    r"|countermeasures?|how\s+to\s+(?:detect|prevent|fix)|why\s+(?:this|it)\s+is\s+(?:bad|dangerous|malicious))\b[^:\n]{0,30}:"
)
"""The beginning of a line after a block of code that says how what it shows is found or stopped."""
_NEAR = 300


def is_taught(text: TextFile, start: int, end: int, decoded: str = "") -> bool:
    """Whether a place in Markdown shows an attack: at a sample host, or in a block that the next line explains.

    `decoded` is what an encoded text at the place says: no line after it explains away what that does.
    """
    if text.language != "markdown":
        return False
    body = text.document.text
    first, last = text.document.bounds(start)[0], text.document.bounds(end)[1]
    line = body[max(first, start - _NEAR) : min(last, end + _NEAR)]
    if _names_sample_alone(decoded or without_comments(line)):
        return True
    fence = None if decoded else span_at(fences_of(text), start)
    return fence is not None and _EXPLAINS().match(body[fence.end : fence.end + _NEAR].lstrip()) is not None


def _names_sample_alone(code: str) -> bool:
    """Whether code names a host of samples, and no other: anybody can write `evil.com` beside the real one."""
    rest = _ATTACKERS().sub("", code)
    return rest != code and not _DEVICE().search(rest) and next(addresses(rest), None) is None


_DEVICE = late(r"/dev/(?:tcp|udp)/\w")
