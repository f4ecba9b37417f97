"""JSON Web Tokens: whether a text is one, and whether it is a sample."""

from __future__ import annotations

import re

_UNSIGNED = ("eyJhbGciOiJub25l", "eyJ0eXAiOiJKV1QiLCJhbGciOiJub25l")
"""Headers of tokens that name `none` as their algorithm."""


def is_web_token(token: str) -> bool:
    """Whether the parts are base64, and the first two JSON."""
    import json

    try:
        header, claims, *_ = [_decoded(part) for part in token.split(".")]
        json.loads(header.decode())
        json.loads(claims.decode())
    except (ValueError, RecursionError):
        return False
    return True


def is_sample(token: str) -> bool:
    """Whether a token is unsigned, or its claims call it a sample."""
    _, claims, *signature = token.split(".")
    if not any(signature) or is_unsigned(token):
        return True
    words = r"1234567890|John Doe|example|sample|demo|test|dummy|your"
    return bool(re.search(words, claims_of(claims), re.IGNORECASE))


def is_unsigned(token: str) -> bool:
    """Whether the header says that there is no signature."""
    return token.startswith(_UNSIGNED)


def claims_of(coded: str) -> str:
    """The text of a token's second part; empty where it is none."""
    try:
        return _decoded(coded).decode("utf-8", "replace")
    except ValueError:
        return ""


def decoded_text(coded: str) -> str:
    """The text that is coded in base64, in one of its alphabets; empty where it is none."""
    try:
        return _decoded(coded.rstrip("=").replace("+", "-").replace("/", "_")).decode()
    except ValueError:
        return ""


def _decoded(part: str) -> bytes:
    # Slow to load, and hardly ever needed.
    import base64

    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
