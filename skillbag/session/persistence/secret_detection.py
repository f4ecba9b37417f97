"""Values that are secrets, by their name or by what they look like."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from urllib.parse import unquote

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.secrets.address_secrets import address_secrets
from skillbag.kernel.secrets.detection import find_secrets, looks_secret
from skillbag.kernel.secrets.disclosure import disclosures, is_named_secret
from skillbag.kernel.secrets.names import composed, secret_class
from skillbag.kernel.secrets.random_strings import is_random_string
from skillbag.session.settings.value import Value

Leaf = str | int | float


def leaves(name: str, value: Value) -> Iterator[tuple[str, Leaf]]:
    """The texts and numbers of a value, each with its name: that of the parameter, and its keys in mappings.

    What follows an option in a list is named by it.
    """
    if value.items:
        before = ""
        for item in value.items:
            yield from leaves(before if before.startswith("-") else name, item)
            before = item.written
    elif isinstance(value.value, int | float) and not _is_count(value.written):
        yield name, value.written
    else:
        yield from _leaves(name, value.value)


def _leaves(name: str, value: object) -> Iterator[tuple[str, Leaf]]:
    if isinstance(value, dict):
        if isinstance(named := value.get("name"), str):
            yield from _leaves(named, value.get("value"))
        for key, item in value.items():
            yield "", key
            # The key of `wifi: {key: …}` is none alone.
            yield from _leaves(key if secret_class(key) else f"{name} {key}", item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(name, item)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield name, value


_DECIMAL = late(r"true|false|[-+]?[\d.]+(?:e[-+]?\d+)?", re.IGNORECASE)
_LONGEST_COUNT = 20
"""Digits of the largest number that programs count with, 2**64."""


def _is_count(written: str) -> bool:
    """Whether a number is only a number: `0x…` and very long digits may encode text."""
    return _DECIMAL().fullmatch(written) is not None and not (written.isdigit() and len(written) > _LONGEST_COUNT)


_PRIVATE_KEY = late(r"PRIVATE KEY(?: BLOCK)?-----")
TELLS = "tells a password or another secret"
"""Why a text is a secret that only its words give away."""
_DEPTH = 3
"""Levels of nested encodings that are decoded."""


def why_secret(name: str, value: Value) -> str | None:
    """Why a value must never be written down, in words that follow "it"; None if it is no secret.

    The reason repeats nothing of the value. (Clause inputs.no-secrets.)
    """
    return next(filter(None, (_why(key, leaf) for key, leaf in leaves(name, value))), None)


def is_secret(text: str) -> bool:
    """Whether a text without a name is or contains a secret."""
    return _why("", text) is not None


def _why(name: str, leaf: Leaf) -> str | None:
    if is_named_secret(name, str(leaf), is_number=not isinstance(leaf, str)):
        return "is a secret by its name"
    if not isinstance(leaf, str):
        return None
    # A name beside it reveals some credentials; blanks and invisible characters within hide them.
    for text in (leaf, f"{name}={leaf}", "".join(char for char in leaf if char.isprintable() and char != " ")):
        if secrets := find_secrets(text):
            return f"holds what looks like a credential ({secrets[0].kind})"
    if looks_secret(name, leaf):
        return "is a secret: its name says so, and a generator wrote it"
    if _PRIVATE_KEY().search(leaf):
        return "holds a private key, or a part of one"
    # An option in a list is followed by its value.
    if name and any(disclosures(composed(f"{name}{' ' if name.startswith('-') else ': '}{leaf}"))):
        return TELLS
    return _why_text(leaf, _DEPTH)


def _why_text(text: str, depth: int) -> str | None:
    if any(disclosures(composed(text))):
        return TELLS
    if any(address_secrets(text)):
        return "holds an address with a password or a token in it"
    for word in _WORD().findall(text):
        decoded = _decoded(word) if depth else None
        if decoded is None:
            if is_random_string(word):
                return "looks like a secret: only a generator writes such a word"
        elif find_secrets(decoded) or _CODED_LOGIN().fullmatch(decoded) or _why_text(decoded, depth - 1):
            return "holds a credential in coded form"
    return None


_CODED_LOGIN = late(r"[\w.@+-]+:\S{4,}")
_WORD = late(r"[^\s\"'`,;()<>]+")
_BASE64 = late(r"[A-Za-z0-9+/_-]{12,}={0,2}")
_HEX = late(r"(?:[0-9A-Fa-f]{2}){8,}")


def _decoded(word: str) -> str | None:
    """The decoded text of a word; None if it encodes none."""
    if "%" in word and (text := unquote(word)) != word:
        return text
    try:
        if _HEX().fullmatch(word):
            text = bytes.fromhex(word).decode()
        elif _BASE64().fullmatch(word):
            plain = word.rstrip("=").replace("-", "+").replace("_", "/")
            text = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode()
        else:
            return None
    except (binascii.Error, UnicodeDecodeError):
        return None
    return text if text.replace("\n", " ").isprintable() else None
