"""`| head -20`: programs that pass on, in part, what they are given; they open no file, and run nothing."""

from __future__ import annotations

from collections.abc import Mapping

from skillbag.base.lazy_regex import Late, late

_COUNT = r"(?:\0-[0-9]+|\0-[nc]\0?[+-]?[0-9]+|\0-q)?"
_FILTERS: Mapping[str, Late] = {
    "cat": late(r"(?:\0-[nAbsvetET]+)?"),
    "cut": late(r"(?:\0-d\0?[^\0-]|\0-[fc]\0?[0-9,-]+|\0-s)+"),
    "grep": late(
        r"(?:\0-[EFGPacHhilnoqsvwxz]+|\0-[mABC]\0?[0-9]+|\0--(?:color=(?:never|always|auto)|ignore-case|invert-match|count))*+"
        r"(?:\0-e)?\0(?!-)[^\0]+"
    ),
    "head": late(_COUNT),
    "nl": late(r"(?:\0-ba)?"),
    "sort": late(r"(?:\0-[bdfgiMhnRrVsuz]+|\0-k\0?[0-9.,bdfginrV]+|\0-t\0?[^\0-])*"),
    "tac": late(r""),
    "tail": late(_COUNT),
    "tr": late(r"(?:\0-[cds]+)?(?:\0(?!-)[^\0]+){1,2}"),
    "uniq": late(r"(?:\0-[cdiu]+)*"),
    "wc": late(r"(?:\0-[clmwL]+)*"),
}
"""What each may be given, each word behind a zero: options without a file, and no file to read."""


def is_filter(command: tuple[str, ...]) -> bool:
    """Whether a command that reads what another one writes does no more than that."""
    known = _FILTERS.get(command[0])
    plain = all(type(word) is str for word in command)
    return known is not None and plain and bool(known().fullmatch("".join(f"\0{word}" for word in command[1:])))
