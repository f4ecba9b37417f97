"""Secrets in addresses: the password before a host, and the tokens of a query string.

They need not be random (`http://me:summer@example.com/x.git` contains a password), but placeholders do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.secrets.names import secret_class
from skillbag.kernel.secrets.placeholders import is_placeholder
from skillbag.kernel.secrets.words import DOUBTFUL

_NAMED = late(r"(?:^|_)(?:auth|key|pat|sig(?:nature)?)$")
_SIGNED = ("x-amz-", "x-goog-")

_PASSWORD = late(r"(?:https?|ssh|git|s?ftps?|file)://[^\s/:@\"'<>`]*:([^\s/\"'<>`]+)@(?=[\w\[])", re.IGNORECASE)
# An address that was treated as a path has lost one of its slashes.
_QUERY = late(r"https?://?[^\s?#\"'<>`]*\?([^\s#\"'<>`]+)", re.IGNORECASE)
_PARAMETER = late(r"([^&;=]+)=([^&;]+)")
_REFERENCE = late(r"\$|(?:[A-Z]+[_-])*(?:TOKEN|PASSWORD|PASS|PAT|SECRET|KEY|SIGNATURE)\Z|pass(?:word|wd)?\Z|pwd\Z")
"""Placeholders in texts that explain how to write an address."""


def is_secret_name(name: str) -> bool:
    """Whether a parameter of a query string is a secret by its name, percent signs decoded."""
    small = name.lower().replace("-", "_")
    if secret_class(name) not in ("", DOUBTFUL) or _NAMED().search(small):
        return True
    return small.replace("_", "-").startswith(_SIGNED)


def address_secrets(text: str) -> Iterator[tuple[int, int]]:
    """The spans (in code points) of passwords and tokens in the addresses of a text, except references."""
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
