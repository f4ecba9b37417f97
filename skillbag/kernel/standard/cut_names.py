"""Names of tools that are no longer than models take."""

from __future__ import annotations

from skillbag.kernel.base.short_hash import short_hash

_LONGEST = 64
"""Characters in the name of a tool: some models take no more, and refuse all tools for one."""

_DIGITS = 8


def tool_name(name: str) -> str:
    """A name for a tool, cut if it is too long: then it ends with `_` and a digest of the whole.

    A skill's name has no `_`, so that the tool of no other skill is called so.
    """
    if len(name) <= _LONGEST:
        return name
    return f"{name[: _LONGEST - _DIGITS - 1]}_{short_hash(name, _DIGITS)}"


def is_cut(name: str) -> bool:
    """Whether a name of a tool may have been cut."""
    return len(name) == _LONGEST and name[-_DIGITS - 1] == "_"
