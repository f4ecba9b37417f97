"""The lock compared with the installed skills and the links for other agents, without asking any source."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.documents.source import Document, Position, read_document
from skillbag.kernel.fs import tracked
from skillbag.kernel.workspace.agent_links import LinkState, judge_links
from skillbag.kernel.workspace.lock_file import LOCK, BadLockError, Lock, line_of
from skillbag.kernel.workspace.model import Inventory, Workspace
from skillbag.kernel.workspace.target import SKILL_ROOT
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.kernel.workspace.extras import Addition


_FAULTS = {
    LinkState.MISSING: "is missing, so the agent does not see the skill",
    LinkState.GONE: "shows a skill that no longer exists",
    LinkState.OUTDATED: "is an outdated copy of the skill",
    LinkState.EDITED: f"is a copy that differs from the skill and from what `{LOCK}` records",
    LinkState.FOREIGN: "is not the link to the skill",
}


@Predicate("lock-unreadable", Subject.INVENTORY, values=("what", "remedy"), needs="lock")
def lock_unusable(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """A lock that no command can use."""
    workspace = inventory.workspace
    if isinstance(lock := workspace.lock, BadLockError):
        values = {"what": lock.what, "remedy": lock.remedy}
        yield Match(workspace.path(LOCK), at=Position(lock.line or 1, 1), values=values)


@Predicate("installed-file-unverified", Subject.INVENTORY, values=("path", "what", "remedy"), needs="lock")
def locked_addition(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """A file in an installed skill that its source does not have and the tree hash does not cover.

    It is a fault of the workspace, not of the skill, so it is reported at the skill's line in the lock.
    """
    workspace = inventory.workspace
    if not isinstance(workspace.lock, Lock):
        return
    for name, found in _additions(workspace, workspace.lock):
        path = f"{SKILL_ROOT}/{name}/{found.path}"
        document = read_document(workspace.path(LOCK), workspace.root)
        line = line_of(document.text, name) if isinstance(document, Document) else 1
        values = {"path": path, "what": found.what, "remedy": found.fix.format(path=path)}
        yield Match(workspace.path(LOCK), at=Position(line, 1), values=values)


def _additions(workspace: Workspace, lock: Lock) -> Iterator[tuple[str, Addition]]:
    from skillbag.kernel.workspace.extras import additions, modes_count

    folders = {folder.name: folder.path for folder in workspace.skill_folders}
    modes: bool | None = None
    for name, locked in sorted(lock.skills.items()):
        if name in folders and not tracked.is_link(folders[name]):
            if modes is None:
                modes = modes_count(workspace.root, workspace.path(LOCK))
            for found in additions(folders[name], locked.executable, modes=modes):
                if not found.harmless:
                    yield name, found


@Predicate("agent-link-stale", Subject.INVENTORY, values=("path", "fault"), needs="lock")
def stale_link(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """A path that should show a skill to an agent, but does not show its present state."""
    workspace = inventory.workspace
    lock = workspace.lock
    # An unusable lock has a rule of its own.
    if not isinstance(lock, Lock) or lock.links is None:
        return
    for shown in judge_links(workspace.root, lock.links):
        if shown.state in _FAULTS:
            values = {"path": shown.path, "fault": _FAULTS[shown.state]}
            yield Match(workspace.path(*shown.path.split("/")), values=values)
