"""The journal of a change: which paths, what is there before and after. Read back, it is hostile until checked.

It lies in the workspace and so may have come with a clone or an archive, made to have a recovery move what it should
not: only the places that this program writes to are taken, and nothing is believed that the disk does not bear out.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from skillbag.transaction.errors import BadJournalError
from skillbag.transaction.locations import CHECKED_FOLDER, STORE, WORKSPACE, Locations
from skillbag.transaction.state import FILE_STATE, FOLDER_STATE, STATE
from skillbag.workspace.lock_file import LOCK
from skillbag.workspace.target import (
    AGENTS,
    CATALOG,
    CATALOG_PATH,
    CONTEXT,
    ENTRYPOINT,
    USER_CONTEXT,
)
from skillbag.workspace.tree import PRUNED

VERSION = 1

ROOT_FILES = frozenset({ENTRYPOINT, AGENTS, CONTEXT, USER_CONTEXT, LOCK})
"""Files at the root of a workspace that a change may write."""


class Step(NamedTuple):
    """What becomes of one path: relative to the root, with `/`.

    `before` and `after` are its states (`state.state_of`), None for nothing. With `back_up`, what was there before is
    kept in any case; without, where it was not what was expected.
    """

    path: str
    before: str | None
    after: str | None
    back_up: bool = False

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


class Journal(NamedTuple):
    """A whole change; `makes_skill_root` where `.skills/` is not there yet."""

    steps: tuple[Step, ...]
    makes_skill_root: bool = False


def is_file_location(path: str, locations: Locations = WORKSPACE) -> bool:
    """Whether a change may write a file at `path`.

    In what is checked it may lie anywhere but where no check looks: a journal that came with a clone writes no hook.
    """
    if locations == CHECKED_FOLDER:
        parts = path.split("/")
        return not any(part in ("", ".", "..") or _is_pruned(part) or _leads_out(part) for part in parts)
    return locations == WORKSPACE and (path in ROOT_FILES or path == CATALOG_PATH)


def _is_pruned(name: str) -> bool:
    """Whether some system takes the name for one of what is never looked into."""
    plain = name.rstrip(". ").lower()
    return plain in PRUNED or plain == "git~1"


def is_skill_location(path: str, locations: Locations = WORKSPACE) -> bool:
    """Whether a change may put, replace or remove what is at `path`: one level below the folder of skills."""
    name = path.rpartition("/")[2]
    if locations == CHECKED_FOLDER:
        return False
    if path != locations.skill(name) or name in ("", ".", "..", CATALOG, STORE):
        return False
    return not _leads_out(name)


def _leads_out(name: str) -> bool:
    """Whether a name has what no name of ours has: a backslash or a colon is a way out on some platforms."""
    return any(letter in name for letter in "/\\:\0")


def render(journal: Journal) -> bytes:
    """The journal as JSON; a name that is not UTF-8 comes through."""
    steps = [step._asdict() for step in journal.steps]
    value = {"version": VERSION, "makes_skill_root": journal.makes_skill_root, "steps": steps}
    return json.dumps(value, indent=1).encode("ascii")


def parse(data: bytes, locations: Locations = WORKSPACE) -> Journal:
    """The journal that `data` holds, of a change of these places.

    Raises:
        BadJournalError: it is broken, of another version, or names what no change of ours names; why, in a few words.
    """
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadJournalError("it is not whole JSON") from error
    if not isinstance(value, dict) or not isinstance(value.get("version"), int):
        raise BadJournalError("it has no version")
    if value["version"] != VERSION:
        raise BadJournalError(f"it is of version {value['version']}, and this skillbag knows {VERSION} alone")
    if value.keys() != {"version", "makes_skill_root", "steps"} or not isinstance(value["steps"], list):
        raise BadJournalError("it has other keys than a journal has")
    if not isinstance(value["makes_skill_root"], bool):
        raise BadJournalError("makes_skill_root is neither true nor false")
    steps = tuple(_step(step, locations) for step in value["steps"])
    if len({step.path for step in steps}) < len(steps):
        raise BadJournalError("it names one path twice")
    return Journal(steps, value["makes_skill_root"])


def _step(value: object, locations: Locations) -> Step:
    if not isinstance(value, dict) or value.keys() != set(Step._fields):
        raise BadJournalError("a step has other keys than a step has")
    step = Step(**value)
    if not isinstance(step.path, str) or not isinstance(step.back_up, bool):
        raise BadJournalError("a step has a value of another type than a step has")
    if not all(map(_is_state, (step.before, step.after))):
        raise BadJournalError(f"{step.path!r} has a state that is none")
    if not _fits(step, locations):
        raise BadJournalError(f"{step.path!r} is not a place that skillbag writes to in this way")
    return step


def _is_state(value: object) -> bool:
    return value is None or (isinstance(value, str) and STATE.fullmatch(value) is not None)


def _fits(step: Step, locations: Locations) -> bool:
    states = [state for state in (step.before, step.after) if state is not None]
    if is_file_location(step.path, locations):
        return bool(states) and all(state.startswith(FILE_STATE) for state in states)
    # What is displaced may be anything; what is put is a skill.
    fits = bool(states) and is_skill_location(step.path, locations)
    return fits and (step.after is None or step.after.startswith(FOLDER_STATE))
