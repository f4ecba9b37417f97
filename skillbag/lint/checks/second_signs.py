"""Signs near a place that make a weak one strong."""

from __future__ import annotations

import re

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.lint.signals.addresses import DOWNLOADS, AddressTrait, addresses
from skillbag.lint.signals.nearness import around
from skillbag.lint.signals.secret_paths import LITERALS, secret_paths
from skillbag.lint.signals.sending import first_sending
from skillbag.lint.signals.tongues import sends_elsewhere

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
    r"|\b(?:curl|wget)\b[^\n|]{0,300}\|[ \t]*(?:sudo[ \t]+)?(?:ba|z)?sh\b"
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
        bool(_TRANSFER().search(near)) or first_sending(near) is not None or sends_elsewhere(near, 0, len(near)),
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
