"""What a SkillBag source must hold, and what its `AGENTS.md` must say."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.base.lazy_regex import late
from skillbag.checks.catalog import new_catalog
from skillbag.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.documents.source import Document
from skillbag.fs import tracked
from skillbag.workspace.kinds import IDENTITY
from skillbag.workspace.model import Inventory
from skillbag.workspace.target import AGENTS, SKILL_ROOT


def source_contents(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """`AGENTS.md`, `.skills/` and the catalog, as far as they are not there."""
    workspace = inventory.workspace
    if workspace.agents is None:
        yield Match(workspace.path(AGENTS), values={"missing": "`AGENTS.md`"})
    if not workspace.has_skill_root:
        what = "the folder `.skills/`"
        if tracked.exists(workspace.path(SKILL_ROOT)):
            what += " (something else stands in its place)"
        yield Match(workspace.path(SKILL_ROOT), values={"missing": what})
    elif workspace.catalog_document is None:
        edit = new_catalog(inventory)
        yield Match(edit.path, values={"missing": "the catalog `.skills/SKILLS.md`"}, edits=(edit,))


_LOCATION = late(r"(?<![\w./-])(?:\./)?\.skills(?:/(?!SKILLS\.md)|(?![\w/-]))")
_STEPS = late(r"\b(?:instal|set(?:ting)?[ -]?up\b|steps?\b|prerequisites?\b|bootstrap)", re.IGNORECASE)


def _agents(inventory: Inventory) -> Iterator[Document]:
    if isinstance(inventory.workspace.agents, Document):
        yield inventory.workspace.agents


def source_identity(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """`AGENTS.md` without the word `SKILLBAG`."""
    for document in _agents(inventory):
        if not IDENTITY.search(document.text):
            yield Match(document.path)


def source_location(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """`AGENTS.md` that does not mention `.skills/` itself; its catalog alone does not say where the skills are."""
    for document in _agents(inventory):
        if not _LOCATION().search(document.text):
            yield Match(document.path)


def source_extra_steps(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """`AGENTS.md` without any word about installation."""
    for document in _agents(inventory):
        if not _STEPS().search(document.text):
            yield Match(document.path)


PREDICATES = (
    Predicate("source-incomplete", Subject.INVENTORY, source_contents, values=("missing",)),
    Predicate("source-identity-missing", Subject.INVENTORY, source_identity),
    Predicate("source-location-missing", Subject.INVENTORY, source_location),
    Predicate("source-extra-steps-missing", Subject.INVENTORY, source_extra_steps),
)
