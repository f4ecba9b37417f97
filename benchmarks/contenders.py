"""The programs that are compared: where each comes from, how it is started, and how it tells what it has checked."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

_HERE = os.path.dirname(os.path.abspath(__file__))


class Contender(NamedTuple):
    """A program under test.

    `packages` are installed into an environment of its own; `command` is run in the root of a corpus, its first word a
    program of that environment. `skills` reads the number of skills from its JSON output (None: it reports nothing).
    Above `largest` skills it takes part only when it is named with `--only`.
    """

    name: str
    packages: tuple[str, ...]
    command: tuple[str, ...]
    skills: Callable[[Any], float] | None
    largest: int | None = None


PROJECT = "skillbag"
"""The contender that is built from this tree; its package is a wheel made on the spot."""

BASELINE = "agnix"
"""The contender that the others are compared with, pair by pair."""

BARE = "python"
"""An interpreter that does nothing: the least that a program in Python can take."""

CONTENDERS = (
    Contender(
        PROJECT,
        (),
        ("skillbag", "check", "--format", "json", "--root", ".", "."),
        lambda output: output["summary"]["skills"],
    ),
    # Its limit of 10,000 files is lifted. It counts files: of these corpora SKILL.md and the reference of each skill.
    Contender(
        BASELINE,
        ("agnix==0.59.3",),
        ("agnix", "--format", "json", "--max-files", "0", "."),
        lambda output: output["files_checked"] / 2,
    ),
    Contender(
        "skills-ref",
        ("skills-ref==0.1.1",),
        ("python", os.path.join(_HERE, "skills_ref_driver.py")),
        lambda output: output["skills"],
        largest=2000,
    ),
    Contender(
        "floor",
        ("pyyaml==6.0.3",),
        ("python", os.path.join(_HERE, "floor.py")),
        lambda output: output["skills"],
    ),
    Contender(BARE, (), ("python", "-c", "pass"), None, largest=17),
)
