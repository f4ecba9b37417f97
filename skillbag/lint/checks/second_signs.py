"""Signs near a place: those that make a weak one strong, and those that an attack is shown to people, not ordered."""

from __future__ import annotations

import re

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.nodes import Scalar
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.code_regions import without_comments
from skillbag.lint.signals.addresses import DOWNLOADS, AddressTrait, addresses
from skillbag.lint.signals.fences import fences_of, span_at
from skillbag.lint.signals.nearness import around
from skillbag.lint.signals.secret_paths import LITERALS, secret_paths
from skillbag.lint.signals.sending import first_sending

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
    if _is_lesson(text):
        return True
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


_LESSON = late(
    r"(?i)penetration|pen-?test|\bexploit|red[ -]team|malware|forensic|\bctf\b|offensive|privilege[ -]escalation"
    r"|reverse[ -]engineer|lateral[ -]movement|\battack(?:s|ing|er)?\b|threat[ -](?:hunt|model|emulat)"
    r"|incident[ -]response|adversar|vulnerabilit"
)


def _is_lesson(text: TextFile) -> bool:
    """Whether the skill says of itself that it is about attacks: the blocks of its texts show them."""
    skill = text.skill
    if skill is None:
        return False
    description = skill.field("description")
    said = f"{skill.folder} {description.value if isinstance(description, Scalar) else ''}"
    return _LESSON().search(said) is not None


_DEVICE = late(r"/dev/(?:tcp|udp)/\w")


_TRANSFER = late(
    r"\b(?:send|upload|post|transmit|forward|submit|exfiltrate|push|report)\b[^.!?\n]{0,120}?"
    r"(?:https?://|hxxps?://|\bwebhook\b|\bendpoint\b|\bour\s+server\b|\bremote\s+(?:server|host)\b)",
    re.IGNORECASE,
)
_PASSED = late(
    r"\b(?:pass|include|add|attach|append|supply|put)\b[^.!?\n]{0,100}?\b(?:parameter|argument|header|payload|field|request\s+body)\b",
    re.IGNORECASE,
)
_DELIVERY = late(
    r"\bbase64[ \t]+(?:-d|-D|--decode)\b|\b(?:b64decode|atob)\(|[A-Za-z0-9+/]{80,400}={0,2}"
    r"|\b(?:curl|wget)\b[^\n|]{0,300}\|[ \t]*(?:sudo[ \t]+)?(?:ba|z)?sh\b",
)


class Signs(NamedTuple):
    """What is near: a secret file, a transfer of data, a delivery (archive, paste, encoded text), a value passed on."""

    secret: bool
    transfer: bool
    delivery: bool
    passed: bool


def signs_near(text: str, start: int, end: int, lines: int = 6) -> Signs:
    """The signs within this many lines before and after the offsets, at most 1,500 characters away."""
    first, last = around(text, start, end, lines)
    near = text[first:last]
    return Signs(
        names_secret(near),
        bool(_TRANSFER().search(near)) or first_sending(near) is not None,
        bool(_DELIVERY().search(near))
        or any(found.kind & (DOWNLOADS | AddressTrait.PASTE) for found in addresses(near)),
        bool(_PASSED().search(near)),
    )


def names_secret(text: str) -> bool:
    """Whether a short text names a secret file."""
    return bool(secret_places(text))


def secret_places(text: str) -> list[int]:
    """Where a short text names secret files."""
    offsets: list[int] = []
    for literal in map(bytes.decode, LITERALS):
        at = text.find(literal)
        while at >= 0:
            offsets.append(at)
            at = text.find(literal, at + 1)
    return [found.start for found in secret_paths(text, sorted(offsets))]


def secret_steps(text: str) -> list[int]:
    """Where a short text tells to read, copy or send a secret file, and does not forbid it."""
    before = [(at, text[max(0, at - 120) : at]) for at in secret_places(text)]
    return [at for at, words in before if _STEP_BEFORE().search(words) and not _FORBIDS().search(words)]


_FORBIDS = late(r"\b(?:never|not|don['’]t|avoid|without)\b[^.!?]*$", re.IGNORECASE)

_STEP_BEFORE = late(
    r"\b(?:read|cat|copy|upload|send|post|include|attach|append|collect|open|load|pass|exfiltrate)\b[^.!?]*$",
    re.IGNORECASE,
)
