"""The installed state of a workspace: its skills, its lock, its declarations."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.name_lists import did_you_mean
from skillbag.kernel.fs.read import read
from skillbag.kernel.standard.declarations import Declaration, Declarations, read_declarations
from skillbag.kernel.standard.left_over import is_known, left_over
from skillbag.kernel.transaction.trees import state_of
from skillbag.kernel.workspace.lock_file import LOCK, Lock, Locked, read_lock
from skillbag.kernel.workspace.model import Inventory, Workspace, take_inventory
from skillbag.kernel.workspace.placed import Placed, once_locked, placed_trees
from skillbag.kernel.workspace.skills_home import installed_at
from skillbag.kernel.workspace.summary import SkillSummary
from skillbag.kernel.workspace.target import SKILL_ROOT, TargetKind
from skillbag.kernel.workspace.tree_hash import tree_hash
from skillbag.lint.skill_graph.needs import skill_needs
from skillbag.supply.install.outcome import SkillRow, Status
from skillbag.supply.sources.address import parse_source, without_credentials
from skillbag.supply.sources.fetched import Fetched, FetchSpec
from skillbag.supply.sources.skill_layout import at_content, at_folders, folder_in_source, skill_folder_in
from skillbag.supply.sources.source import BadSourceError, Source, source_key

STALE = f"another version than {LOCK} records is installed here"
"""What is wrong with a skill that differs from the lock, and that nobody edited."""
STALE_FIX = "skillbag install takes the recorded one"
LEFT_OVER = f"it was installed here and is no longer in {LOCK}; skillbag remove {{name}} deletes it"
WAS_EDITED = "it was edited"
UNKNOWN = f"it differs from {LOCK}: it was edited, or is another version that something else put here"
OTHER_FILES = ("skills-lock.json", "apm.lock.yaml", "agents.lock", "agr.lock", "agents.toml", "agr.toml")
"""Where other installers write which skills are here, and where from: `skillbag adopt` reads these, and more."""


@dataclass(frozen=True)
class InstalledState:
    """One workspace as it is now; everything is read once, on demand."""

    root: str
    sources: dict[str, Source] = field(default_factory=dict, compare=False)
    """The addresses that were parsed so far."""
    _trees: dict[str, str | None] = field(default_factory=dict, compare=False)

    @cached_property
    def workspace(self) -> Workspace:
        """The model of the workspace, or of the plain skills in the folder of an agent."""
        return Workspace(installed_at(self.root))

    @cached_property
    def home(self) -> str:
        """The folder of the skills, relative with `/`: `.skills`, or the folder of an agent."""
        return os.path.relpath(self.workspace.target.skill_roots[0], self.root).replace(os.sep, "/")

    @property
    def is_workspace(self) -> bool:
        """Whether there is, or will be, a workspace of the standard, with a catalog and declarations."""
        return self.workspace.kind is TargetKind.WORKSPACE

    def at(self, name: str) -> str:
        """Where the skill `name` is, or would be, relative with `/`."""
        return f"{self.home}/{name}"

    @cached_property
    def inventory(self) -> Inventory:
        """The summaries of all installed skills."""
        return take_inventory(self.workspace)

    @cached_property
    def lock(self) -> Lock:
        """The lock, without credentials in its addresses; empty if there is no lock file."""
        skills = self._lock_as_read.skills.items()
        shown = {name: locked._replace(source=without_credentials(locked.source)) for name, locked in skills}
        return self._lock_as_read._replace(skills=shown)

    @cached_property
    def _lock_as_read(self) -> Lock:
        return read_lock(self.root) or Lock({})

    @cached_property
    def has_lock(self) -> bool:
        """Whether there is a lock file."""
        return os.path.lexists(os.path.join(self.root, LOCK))

    @cached_property
    def adoptable(self) -> str:
        """The first file of another installer, where no lock is; empty where there is none."""
        return "" if self.has_lock else next(iter(self.others_with("")), "")

    def others_with(self, name: str) -> list[str]:
        """The files of other installers that have the word `name`."""
        word = re.compile(rb"(?<![\w-])%b(?![\w-])" % re.escape(name).encode() if name else b"")
        found = [(file, read(os.path.join(self.root, file), self.root)) for file in OTHER_FILES]
        return [file for file, data in found if isinstance(data, bytes) and word.search(data)]

    @cached_property
    def declarations(self) -> Declarations:
        """What `CONTEXT.md` and `USER_CONTEXT.md` declare."""
        return read_declarations(self.workspace)

    @cached_property
    def wants(self) -> Mapping[str, tuple[Declaration, ...]]:
        """The dependencies of each installed skill that can be read."""
        return {card.folder: skill_needs(card) for card in self.inventory.cards if card.problem is None}

    @cached_property
    def users(self) -> Mapping[str, list[str]]:
        """For each needed skill the installed skills that need it (`needs`), sorted."""
        found: dict[str, list[str]] = {}
        for user in sorted(self.wants):
            for name in self.needs(user):
                found.setdefault(name, []).append(user)
        return found

    def needs(self, name: str) -> tuple[str, ...]:
        """The dependencies of an installed skill, sorted; optional ones only if the lock has the skill ask for them."""
        needed = set()
        for wanted in self.wants.get(name, ()):
            locked = self.locked(wanted.name)
            if wanted.required or (locked is not None and name in locked.asked_by):
                needed.add(wanted.name)
        return tuple(sorted(needed))

    def source(self, text: str, *, plain: bool = False) -> Source:
        """The source of an address; paths are relative to the root. With `plain` it may be a plain repository.

        Raises:
            BadSourceError: it can't be used.
        """
        if text not in self.sources:
            self.sources[text] = parse_source(text, self.root)
        return replace(self.sources[text], plain=True) if plain else self.sources[text]

    def source_of(self, name: str) -> Source:
        """Where a locked skill came from.

        Raises:
            BadSourceError: the lock has an address that can't be used.
        """
        try:
            locked = self._lock_as_read.skills[name]
            return self.source(locked.source, plain=locked.layout is not None)
        except BadSourceError as error:
            raise BadSourceError(f"{LOCK}: {name}: {error}") from error

    def came_from(self, name: str, source: Source | str) -> bool:
        """Whether a locked skill is from this source, or the one at this address; raises as `source_of`."""
        source = self.source(source) if isinstance(source, str) else source
        return source_key(self.source_of(name)) == source_key(source)

    def locked_from(self, source: Source) -> Sequence[str]:
        """The locked skills of a source, sorted; raises as `source_of`."""
        return self._locked_from.get(source_key(source), ())

    @cached_property
    def _locked_from(self) -> Mapping[tuple[str, str], list[str]]:
        found: dict[tuple[str, str], list[str]] = {}
        for name in sorted(self.lock.skills):
            found.setdefault(source_key(self.source_of(name)), []).append(name)
        return found

    def locked_spec(self, name: str) -> FetchSpec:
        """What fetches a locked skill at its commit or archive; raises as `source_of`."""
        locked = self.lock.skills[name]
        return FetchSpec(self.source_of(name), locked.requested, locked.resolved)

    def located(self, fetched: Fetched, name: str) -> Fetched:
        """The source, of which the skill is taken from the folder that the lock has, or where that is now."""
        locked = self.locked(name)
        if locked is None or locked.folder is None or not self.came_from(name, fetched.source):
            return fetched
        found = at_folders(fetched, {name: locked.folder})
        if folder_in_source(found, name) == locked.folder or found.plain is None:
            return found
        # It has moved: of several with its name it is the one with its content; one of another name kept its own.
        if name in (*found.plain.folders, *found.plain.copies):
            return at_content(found, name, locked.tree)
        return at_folders(found, {name: folder_in_source(found, locked.folder.rpartition("/")[2])})

    def folder(self, name: str) -> str:
        """The absolute path at which the skill `name` is, or would be."""
        return os.path.join(self.root, *self.home.split("/"), name)

    def is_present(self, name: str) -> bool:
        """Whether the skill's path exists, valid or not."""
        return os.path.lexists(self.folder(name))

    def is_installed(self, name: str) -> bool:
        """Whether the skill's path is a folder and no link."""
        return os.path.isdir(self.folder(name)) and not os.path.islink(self.folder(name))

    def card(self, name: str) -> SkillSummary | None:
        """The summary of an installed skill; None if it is absent or can't be read as a skill."""
        card = self.inventory.by_folder.get(name)
        return card if card is not None and card.problem is None else None

    def locked(self, name: str) -> Locked | None:
        """The lock's entry of the skill."""
        return self.lock.skills.get(name)

    def check_known(self, name: str) -> None:
        """Refuse a name that is neither installed, locked nor declared.

        Raises:
            UserError: it is none of these.
        """
        declared = [wanted.name for wanted in self.declarations.dependencies]
        if not self.is_present(name) and self.locked(name) is None and name not in declared:
            known = [*self.inventory.by_folder, *self.lock.skills, *declared]
            hint = did_you_mean(name, known, "skillbag list shows what there is", "`{}`")
            raise UserError(f"{name}: no such skill is installed or declared; {hint}")

    def tree(self, name: str) -> str | None:
        """The state of the skill's path now (`kernel.transaction.trees`): its tree hash; None if nothing is there.

        Devices, pipes and sockets are skipped, so that one of them does not stop the check of all skills:
        `extras.additions` reports them, and a transaction refuses a folder that holds one.

        Raises:
            OSError: it can't be read.
        """
        if not self.is_present(name):
            return None
        if name not in self._trees:
            self._trees[name] = state_of(self.folder(name), others=True)
        return self._trees[name]

    def is_as_locked(self, name: str) -> bool:
        """Whether a skill is present, and is what the lock records."""
        locked = self.locked(name)
        return locked is not None and self.is_present(name) and self.tree(name) == locked.tree

    def is_edited(self, name: str) -> bool:
        """Whether a present skill was edited here, or is the user's own."""
        return self.is_present(name) and not self.is_as_locked(name) and not self.is_stale(name)

    def is_stale(self, name: str) -> bool:
        """Whether a locked skill is present in another version that was installed here, and that nobody edited."""
        if self.locked(name) is None or not self.is_present(name) or self.is_as_locked(name):
            return False
        return self.is_as_placed(name) or self.tree(name) in self._once_locked.get(f"{SKILL_ROOT}/{name}", ())

    @cached_property
    def left_over(self) -> frozenset[str]:
        """The skills that were installed here and that the lock has lost; none while that is not known."""
        return left_over(self.inventory) if is_known(self.workspace) else frozenset()

    def is_as_placed(self, name: str) -> bool:
        """Whether a present skill, locked or not, is as it was once installed here."""
        return self.is_present(name) and self.tree(name) in self._placed.get(self.at(name), ())

    def how_it_differs(self, name: str) -> str:
        """Whether a skill that differs from the lock was edited, or that this is not known."""
        return WAS_EDITED if self.at(name) in self._placed else UNKNOWN

    @cached_property
    def _placed(self) -> Placed:
        return placed_trees(self.root)

    @cached_property
    def _once_locked(self) -> Placed:
        return once_locked(self.root)


def tree_in(fetched: Fetched, name: str) -> str | None:
    """The tree hash of a skill in a source; None if the source does not hold it."""
    folder = skill_folder_in(fetched, name)
    return None if folder is None else tree_hash(folder)


def locked_row(name: str, status: Status, locked: Locked) -> SkillRow:
    """The row of a skill as the lock records it."""
    source, version, resolved = locked.source, locked.requested, locked.resolved
    return SkillRow(name, status, source, version, resolved, tree=locked.tree, asked_by=locked.asked_by)
