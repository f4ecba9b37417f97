"""Keys of front matter beyond the Agent Skills format: who reads them, and what an unknown one is meant for.

They are those of `hosts/*.yaml`. Most skills have no such key, and need no table of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from skillbag.kernel.base.name_lists import closest
from skillbag.kernel.hosts.keys import CATALOG, ELSEWHERE, INERT, READERS

VENDOR_KEYS = (*sorted(CATALOG), *READERS)
"""The known keys beyond the format."""


# Skills of one author have the same few keys.
@lru_cache(maxsize=256)
def readers(key: str) -> str | None:
    """Who reads a key beyond the format, as a clause of a sentence; None for an unknown key."""
    if key in READERS:
        *others, last = READERS[key]
        return f"only {', '.join(others)} and {last} read it" if others else f"only {last} reads it"
    return "agents ignore it, and only some catalogs of skills show it" if key in CATALOG else None


def meant_key(key: str, format_keys: Iterable[str]) -> str:
    """What an unknown key may be meant for, as the end of a sentence; empty for one that nobody seems to have meant."""
    if key in ELSEWHERE:
        return f" in a skill: {ELSEWHERE[key]}"
    if key in INERT:
        return ""
    known = {name.lower().replace("_", "-"): name for name in (*VENDOR_KEYS, *format_keys)}
    close = closest(key[:40].lower().replace("_", "-"), known, 0.75)
    return f"; did you mean `{known[close]}`?" if close else ""
