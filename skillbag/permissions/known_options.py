"""Programs that can run others, each with its options that are known to run nothing: `known_options.txt` as a table."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache


@lru_cache(maxsize=1)
def known_options() -> Mapping[str, str]:
    """The options of each program, as `program_options.options_of` reads them."""
    table: dict[str, str] = {}
    programs: list[str] = []
    with open(os.path.join(os.path.dirname(__file__), "known_options.txt"), encoding="utf-8") as lines:
        for line in lines:
            if line.startswith(" "):
                for program in programs:
                    table[program] += line
            elif not line.startswith(("#", "\n")):
                programs = line.rstrip(":\n").split(", ")
                table.update(dict.fromkeys(programs, ""))
    return table
