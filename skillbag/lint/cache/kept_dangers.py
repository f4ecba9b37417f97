"""The record of a skill's errors about security, in the user's cache folder: none that a workspace brings counts."""

from __future__ import annotations

import json
import os
import sys
from functools import cache

from skillbag import __version__
from skillbag.kernel.base.ownership import is_ours
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.fs.read import FLAGS, LIMIT, NO_FOLLOW

FOLDER = "dangers"
"""The folder of these files."""


class SkillDanger(NamedTuple):
    """An error about security: `path` is relative to the skill, with `/`."""

    rule: str
    path: str
    line: int
    message: str


class KeptDangers(NamedTuple):
    """The file of a skill: what was `found` by the program of this `edition`, with what it depends on.

    `questions`, `stamps` (in hex digits) and `digest` are those of a cache entry.
    """

    edition: str
    questions: str
    stamps: str
    digest: str
    found: tuple[SkillDanger, ...]


def read_kept(path: str) -> KeptDangers | None:
    """The file at `path`, if it is ours and of this program."""
    try:
        descriptor = os.open(path, FLAGS | NO_FOLLOW)
        with open(descriptor, "rb", buffering=0) as file:
            data = file.read(LIMIT) if is_ours(os.fstat(descriptor)) else b""
        program, questions, stamps, digest, found = json.loads(data)
        kept = KeptDangers(program, questions, stamps, digest, tuple(SkillDanger(*each) for each in found))
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    return kept if kept.questions and kept.edition == edition() else None


@cache
def edition() -> str:
    """What changes with the program and its rules. In a checkout, an edit counts that replaces its file."""
    top = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    folders = [path for path in sys.path if path.endswith("-packages")]
    if not os.path.isdir(os.path.join(top, "data")):
        for parent in (os.path.join(top, "lint"), os.path.join(os.path.dirname(top), "rules")):
            # Not the folders of bytecode, which each run may change.
            inner = (entry.path for entry in os.scandir(parent) if entry.is_dir() and entry.name[:2] != "__")
            folders += [parent, *sorted(inner)]
    stamps = [os.stat(path).st_mtime_ns for path in folders if os.path.isdir(path)]
    return repr((__version__, sys.version, stamps))
