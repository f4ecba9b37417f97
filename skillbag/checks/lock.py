"""The lock, and what it says of installed skills, as far as it can be judged without their sources."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.checks.predicate import Match, NoOptions, Subject, predicate
from skillbag.documents.source import Document, Position, read_document
from skillbag.fs import tracked
from skillbag.workspace.lock_file import LOCK, BadLockError, Lock, line_of
from skillbag.workspace.model import Inventory, Workspace
from skillbag.workspace.target import SKILL_ROOT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.workspace.extras import Addition


@predicate("lock-unreadable", Subject.INVENTORY, values=("what", "remedy"))
def lock_unusable(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """A lock that no command can use."""
    workspace = inventory.workspace
    if isinstance(lock := workspace.lock, BadLockError):
        remedy = lock.remedy[:1].upper() + lock.remedy[1:]
        yield Match(workspace.path(LOCK), at=Position(lock.line or 1, 1), values={"what": lock.what, "remedy": remedy})


@predicate("installed-file-unverified", Subject.INVENTORY, values=("path", "what", "remedy"))
def locked_addition(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Something in an installed skill that its source did not have, where the tree hash does not tell.

    It is a fault of the workspace, not of the skill: so it is told at the skill's line in the lock.
    """
    workspace = inventory.workspace
    if not isinstance(workspace.lock, Lock):
        return
    for name, found in _additions(workspace, workspace.lock):
        path = f"{SKILL_ROOT}/{name}/{found.path}"
        values = {"path": path, "what": found.what, "remedy": found.fix.format(path=path)}
        yield Match(workspace.path(LOCK), at=Position(_line(workspace, name), 1), values=values)


def _additions(workspace: Workspace, lock: Lock) -> Iterator[tuple[str, Addition]]:
    from skillbag.workspace.extras import additions, modes_count

    folders = {folder.name: folder.path for folder in workspace.skill_folders}
    modes: bool | None = None
    for name, locked in sorted(lock.skills.items()):
        if name in folders and not tracked.is_link(folders[name]):
            if modes is None:
                modes = modes_count(workspace.root, workspace.path(LOCK))
            for found in additions(folders[name], locked.executable, modes=modes):
                if not found.harmless:
                    yield name, found


def _line(workspace: Workspace, name: str) -> int:
    document = read_document(workspace.path(LOCK), workspace.root)
    return line_of(document.text, name) if isinstance(document, Document) else 1
