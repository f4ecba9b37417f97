"""The journal of a transaction: the paths, with their states before and after.

It lies in the workspace, so it may have come with a clone or an archive and be made to move other files. Only one that
this user has begun is followed (`begun`). Only paths that this program writes to are accepted, and every state is
compared with the disk.
"""

from __future__ import annotations

import json
import posixpath
from typing import NamedTuple

from skillbag.kernel.transaction.locations import (
    CHECKED_FOLDER,
    FILE_STATE,
    FOLDER_STATE,
    STATE,
    STORE,
    WORKSPACE,
    BadJournalError,
    Locations,
)
from skillbag.kernel.workspace.agents import FOLDERS
from skillbag.kernel.workspace.lock_file import LOCK
from skillbag.kernel.workspace.target import (
    AGENTS,
    CATALOG,
    CATALOG_PATH,
    CONTEXT,
    ENTRYPOINT,
    USER_CONTEXT,
)
from skillbag.kernel.workspace.tree import PRUNED

VERSION = 2

_FILES = frozenset({ENTRYPOINT, AGENTS, CONTEXT, USER_CONTEXT, LOCK, CATALOG_PATH})
"""Files of a workspace that a transaction may write."""


class TransactionStep(NamedTuple):
    """The change of one path, relative to the root, with `/`.

    `before` and `after` are its states (`state.state_of`), None for nothing. With `back_up`, the displaced file or
    folder is always kept; otherwise only if it is not in the state `before`.
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
    """A whole transaction; with `makes_skill_root` it makes `.skills/`. `key` is random, so that it can't be forged."""

    steps: tuple[TransactionStep, ...]
    makes_skill_root: bool = False
    key: str = ""


def is_file_location(path: str, locations: Locations = WORKSPACE) -> bool:
    """Whether a transaction may write a file at `path`.

    In a checked folder it may be anywhere that a check reads, so that a journal from a clone can't write a git hook.
    """
    if locations == CHECKED_FOLDER:
        return not any(part in ("", ".", "..") or _is_pruned(part) or _leads_out(part) for part in path.split("/"))
    return locations == WORKSPACE and path in _FILES


def _is_pruned(name: str) -> bool:
    """Whether some file system takes the name for a folder that checks skip."""
    plain = name.rstrip(". ").lower()
    return plain in PRUNED or plain == "git~1"


def is_skill_location(path: str, locations: Locations = WORKSPACE) -> bool:
    """Whether a transaction may place or remove a skill at `path`: just below the folder of skills, or of an agent."""
    name = path.rpartition("/")[2]
    own = path == posixpath.join(locations.skills, name) or is_of_agent(path, locations)
    if locations == CHECKED_FOLDER or not own:
        return False
    return name not in ("", ".", "..", CATALOG, STORE) and not _leads_out(name)


def is_of_agent(path: str, locations: Locations) -> bool:
    """Whether `path` is in a folder of a workspace in which an agent looks for skills."""
    if locations != WORKSPACE or path.startswith(f"{locations.skills}/"):
        return False
    return path.rpartition("/")[0] in FOLDERS


def _leads_out(name: str) -> bool:
    """Whether a name may lead elsewhere: with a backslash or a colon it does on some platforms."""
    return any(letter in name for letter in "/\\:\0")


def emptying(journal: Journal, locations: Locations) -> tuple[str, ...]:
    """The files of a checked folder that came or went, and the skills that came into the folder of an agent: a folder
    that is empty because of them goes as well.
    """
    went = locations == CHECKED_FOLDER
    came = [step for step in journal.steps if step.before is None or (went and step.after is None)]
    return tuple(step.path for step in came if makes_parent(step, locations))


def makes_parent(step: TransactionStep, locations: Locations) -> bool:
    """Whether the folder of the path may be missing; for `.skills/` the journal says so."""
    skills = locations.skills
    return locations == CHECKED_FOLDER or (skills != "" and not step.path.startswith(f"{skills}/"))


def render(journal: Journal) -> bytes:
    """The journal as JSON; names that are not UTF-8 are preserved."""
    steps = [step._asdict() for step in journal.steps]
    value = {"version": VERSION, "key": journal.key, "makes_skill_root": journal.makes_skill_root, "steps": steps}
    return json.dumps(value, indent=1).encode("ascii")


def parse(data: bytes, locations: Locations = WORKSPACE) -> Journal:
    """The journal that `data` holds, for this kind of root.

    Raises:
        BadJournalError: it is broken, of another version, or names paths that we do not write to; says why.
    """
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadJournalError("it is not valid JSON") from error
    if not isinstance(value, dict) or not isinstance(value.get("version"), int):
        raise BadJournalError("it has no version")
    if value["version"] != VERSION:
        raise BadJournalError(f"it has version {value['version']}, and this skillbag reads version {VERSION} only")
    if value.keys() != {"version", "key", "makes_skill_root", "steps"} or not isinstance(value["steps"], list):
        raise BadJournalError("it has missing or unknown keys")
    if not isinstance(value["makes_skill_root"], bool) or not isinstance(value["key"], str):
        raise BadJournalError("a value has the wrong type")
    steps = tuple(_step(step, locations) for step in value["steps"])
    if len({step.path for step in steps}) < len(steps):
        raise BadJournalError("it names a path twice")
    return Journal(steps, value["makes_skill_root"], value["key"])


def _step(value: object, locations: Locations) -> TransactionStep:
    if not isinstance(value, dict) or value.keys() != set(TransactionStep._fields):
        raise BadJournalError("a step has missing or unknown keys")
    step = TransactionStep(**value)
    if not isinstance(step.path, str) or not isinstance(step.back_up, bool):
        raise BadJournalError("a step has a value of the wrong type")
    states = [state for state in (step.before, step.after) if state is not None]
    if not all(isinstance(state, str) and STATE.fullmatch(state) for state in states):
        raise BadJournalError(f"{step.path!r} has an invalid state")
    if not states or not _fits(step, states, locations):
        raise BadJournalError(f"{step.path!r} is not a path that skillbag changes in this way")
    return step


def _fits(step: TransactionStep, states: list[str], locations: Locations) -> bool:
    if is_file_location(step.path, locations):
        return all(state.startswith(FILE_STATE) for state in states)
    # Anything may be displaced; only a skill is placed.
    is_skill = step.after is None or step.after.startswith(FOLDER_STATE)
    return is_skill and is_skill_location(step.path, locations)
