"""Whether what has the form of a credential is one: random, decodable, and no stand-in of an example."""

from __future__ import annotations

import re

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.secrets.form import value_of
from skillbag.kernel.secrets.names import secret_class
from skillbag.kernel.secrets.placeholders import is_placeholder, is_random, is_stand_in
from skillbag.kernel.secrets.random_strings import has_no_words, is_random_string

_UNSIGNED = ("eyJhbGciOiJub25l", "eyJ0eXAiOiJKV1QiLCJhbGciOiJub25l")
"""Headers of tokens that name `none` as their algorithm."""


def has_token_form(token: str) -> bool:
    """Whether the parts are base64, and the first two JSON."""
    import json

    try:
        header, claims, *_ = [_decoded(part) for part in token.split(".")]
        json.loads(header.decode())
        json.loads(claims.decode())
    except (ValueError, RecursionError):
        return False
    return True


def is_sample_token(token: str) -> bool:
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


LOCATION = late(r"[./~\\]|[A-Za-z]:\\|[a-z][a-z0-9+.-]*://|[\w/.-]+\.[a-z]{1,5}$")
REFERENCE = late(r"(?:env|vault|op|secrets?|ref|file|keyring|ssm|arn|doppler)[:.]|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$")
_FIXED = ("live_", "test_", "pub_", "A" * 10)
"""What all keys of some vendors have in common."""

_TAIL = late(r"[\w-]*")
_SHORTEST = 6
"""Characters of a password in a command."""


def is_random_value(match: re.Match[str]) -> bool:
    """For keys and passwords without a form: random, also when decoded, and no place where the secret is kept."""
    value = value_of(match)
    if LOCATION().match(value) or REFERENCE().match(value) or value.startswith("eyJ") or not _is_generated(value):
        return False
    plain = decoded_text(value)
    return not plain.isprintable() or not plain or _is_generated(plain)


def is_named_key(match: re.Match[str]) -> bool:
    """For keys that the name of their vendor tells; words that hyphens join have few digits."""
    value = value_of(match)
    for part in (*_FIXED, "-", "_", "="):
        value = value.replace(part, "")
    is_plain = len(value) == len(value_of(match))
    return _is_generated(value) and (is_plain or not value.islower() or sum(map(str.isdigit, value)) > 2)


def _is_generated(value: str) -> bool:
    """Whether a value is random; of long ones, one in twenty has no digit."""
    if is_random(value):
        return True
    is_mixed = len(value) > 11 and not value.islower() and not value.isupper()
    return is_mixed and not is_placeholder(value) and has_no_words(value)


def is_password(match: re.Match[str]) -> bool:
    """For passwords that are set: random; after `: ` without quotes, where words stand, only a generator writes it."""
    is_quoted = match.string[match.start(match.lastindex or 0) - 1] != " "
    return is_random_value(match) and (is_quoted or is_random_string(value_of(match)))


def is_login(match: re.Match[str]) -> bool:
    """For passwords in addresses, which need not be random."""
    text, (start, end) = match.string, match.span(match.lastindex or 0)
    user = text[text.rfind("/", 0, start) + 1 : start - 1]
    return _is_generated(text[start:end]) or not is_stand_in(text[start:end], user, text[end : end + 30])


def is_command_password(match: re.Match[str]) -> bool:
    """For passwords on command lines; `user` is the group with the user's name, else another word before may be it."""
    value, user = value_of(match), match.groupdict().get("user") or ""
    if len(value) < _SHORTEST or REFERENCE().match(value):
        return False
    before = match.string[match.start() : match.start(match.lastindex or 0)].split()
    return _is_generated(value) or not (value in before or is_stand_in(value, user, ""))


def is_basic(match: re.Match[str]) -> bool:
    """For the value of a header `Authorization: Basic`: a user's name and a password, coded."""
    user, colon, password = decoded_text(value_of(match)).partition(":")
    is_text = bool(colon) and (user + password).isprintable()
    return is_text and (_is_generated(password) or not is_stand_in(password, user, ""))


def is_web_token(match: re.Match[str]) -> bool:
    """For JSON Web Tokens: readable, signed, and not called a sample."""
    tail = _TAIL().match(match.string, match.end())
    return has_token_form(match[0]) and not is_sample_token(match[0] + (tail[0] if tail else ""))


def is_azure_key(match: re.Match[str]) -> bool:
    """For annotated keys of Azure: only their beginning is random, and much of the rest is the same letter."""
    return not is_placeholder(value_of(match)[:52])


_EVENT = late(r"\"accessKeyId\"\s*:\s*\"\Z")
"""Before the id of a key in a log: without the key itself, which no log has, it opens nothing."""


def is_aws_key(match: re.Match[str]) -> bool:
    """For ids of keys of AWS; one in two hundred of these has no digit."""
    text, start = match.string, match.start()
    is_logged = _EVENT().search(text, max(0, start - 40), start) and "ecretAccessKey" not in text[start : start + 300]
    return not is_logged and not is_placeholder(match[0][4:] + "0")


def named_secret(name: str, value: str) -> bool:
    """Whether a value is random, and its name that of a secret."""
    if not secret_class(name):
        return False
    value = value.strip()
    return not LOCATION().match(value) and not REFERENCE().match(value) and is_random(value)
