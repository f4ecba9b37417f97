"""Secrets in the addresses that a text holds: the password before a host, and the tokens of a query string.

They count as secrets random or not, `http://me:summer@example.com/x.git` gives a password away; placeholders do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.base.lazy_regex import late
from skillbag.secrets.placeholders import is_placeholder

_SECRET_PARAMETERS = frozenset(
    (
        *("access_token", "auth", "authorization", "credential", "job_token", "key", "passwd", "password"),
        *("private_token", "pwd", "secret", "sig", "signature", "token"),
    )
)
_SIGNED = ("x-amz-", "x-goog-")

_PASSWORD = late(r"(?:https?|ssh|git|s?ftps?|file)://[^\s/:@\"'<>`]*:([^\s/\"'<>`]+)@(?=[\w\[])", re.IGNORECASE)
# Taken for a path, an address has lost one of its slashes.
_QUERY = late(r"https?://?[^\s?#\"'<>`]*\?([^\s#\"'<>`]+)", re.IGNORECASE)
_PARAMETER = late(r"([^&;=]+)=([^&;]+)")
_REFERENCE = late(r"\$|(?:[A-Z]+[_-])*(?:TOKEN|PASSWORD|PASS|PAT|SECRET|KEY|SIGNATURE)\Z|pass(?:word|wd)?\Z|pwd\Z")
"""What stands for a secret in a text that explains how to write one."""


def is_secret_name(name: str) -> bool:
    """Whether a parameter of a query string holds a secret by its name, percent signs decoded."""
    name = name.lower().replace("-", "_")
    return name in _SECRET_PARAMETERS or name.replace("_", "-").startswith(_SIGNED)


def address_secrets(text: str) -> Iterator[tuple[int, int]]:
    """The places (offsets in code points) of passwords and tokens in the addresses of a text; references are none."""
    if "@" in text:
        for match in _PASSWORD().finditer(text):
            if not _is_reference(match[1]):
                yield match.span(1)
    if "?" in text and ":/" in text:
        for query in _QUERY().finditer(text):
            for match in _PARAMETER().finditer(text, *query.span(1)):
                if is_secret_name(match[1]) and not _is_reference(match[2]):
                    yield match.span(2)


def _is_reference(value: str) -> bool:
    return bool(_REFERENCE().match(value)) or is_placeholder(value)
