"""Names as file systems compare them: two that are folded to the same may be one file."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
"""Characters that HFS+ leaves out when it compares names."""


@lru_cache(maxsize=1 << 14)
def folded(name: str) -> str:
    """The name or path as compared by file systems that ignore case, the form of Unicode, or invisible characters."""
    if name.isascii():
        return name.lower()
    plain = unicodedata.normalize("NFKC", _IGNORED.sub("", name))
    return unicodedata.normalize("NFKC", plain.casefold())


def plain_name(name: str) -> str:
    """The folded name as Windows has it: without dots and blanks at the end, and without what names a part of the
    file."""
    return folded(name).partition(":")[0].rstrip(". ")
