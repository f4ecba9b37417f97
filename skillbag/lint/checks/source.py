"""The files that a SkillBag source must have, and the statements of its `AGENTS.md`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from skillbag.kernel.documents.source import Document
from skillbag.kernel.fs import tracked
from skillbag.kernel.workspace.model import Inventory
from skillbag.kernel.workspace.statements import states_identity, states_location, states_steps
from skillbag.kernel.workspace.target import AGENTS, SKILL_ROOT
from skillbag.lint.checks.catalog import new_catalog
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject


@Predicate("source-incomplete", Subject.INVENTORY, values=("missing",))
def source_contents(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """`AGENTS.md`, `.skills/` and the catalog, if missing."""
    workspace = inventory.workspace
    if workspace.agents is None:
        yield Match(workspace.path(AGENTS), values={"missing": "`AGENTS.md`"})
    if not workspace.has_skill_root:
        what = "folder `.skills/`"
        if tracked.exists(workspace.path(SKILL_ROOT)):
            what += " (something else is in its place)"
        yield Match(workspace.path(SKILL_ROOT), values={"missing": what})
    elif workspace.catalog_document is None:
        edit = new_catalog(inventory)
        yield Match(edit.path, values={"missing": "catalog `.skills/SKILLS.md`"}, edits=(edit,))


def _unless(inventory: Inventory, states: Callable[[str], bool]) -> Iterator[Match]:
    document = inventory.workspace.agents
    if isinstance(document, Document) and not states(document.text):
        yield Match(document.path)


@Predicate("source-identity-missing", Subject.INVENTORY)
def source_identity(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """`AGENTS.md` without the word `SKILLBAG`."""
    return _unless(inventory, states_identity)


@Predicate("source-location-missing", Subject.INVENTORY)
def source_location(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """`AGENTS.md` that does not mention `.skills/` itself."""
    return _unless(inventory, states_location)


@Predicate("source-extra-steps-missing", Subject.INVENTORY)
def source_extra_steps(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """`AGENTS.md` without any word about installation."""
    return _unless(inventory, states_steps)
