"""The layout of a workspace: entrypoint, skills root, skill folders and subfolders, and user context outside git."""

from __future__ import annotations

import os
from collections.abc import Iterator

import skillbag
from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.frontmatter import front_matter
from skillbag.kernel.documents.source import Document, DocumentProblem, read_document
from skillbag.kernel.fs import tracked
from skillbag.kernel.model.findings import Edit, TextEdit, WriteFile
from skillbag.kernel.workspace import git
from skillbag.kernel.workspace.model import Inventory
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.target import CATALOG, ENTRYPOINT, MANIFEST_FILE, SKILL_ROOT, USER_CONTEXT
from skillbag.kernel.workspace.tree import FOLDER
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject

STANDARD_VERSION = skillbag.STANDARD_VERSION.removeprefix("v")
"""The version of the standard whose clauses are checked."""


@Predicate("entrypoint-missing", Subject.INVENTORY)
def entrypoint_missing(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """A workspace without `SKILLBAG.md`."""
    if inventory.workspace.entrypoint is None:
        yield Match(inventory.workspace.path(ENTRYPOINT))


_VERSION = late(r"(?<![\w.])v?(\d{1,4}(?:\.\d{1,4}){1,2})(?![\w.]*\d)")


@Predicate("other-version", Subject.INVENTORY, values=("version", "checked"))
def other_version(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """A first line of `SKILLBAG.md` that names another version of the standard."""
    document = inventory.workspace.entrypoint
    if isinstance(document, Document):
        match = _VERSION().search(document.line(1)[:200])
        if match and match[1] != STANDARD_VERSION:
            yield Match(document.path, *match.span(), {"version": match[1], "checked": STANDARD_VERSION})


@Predicate("skill-root-missing", Subject.INVENTORY, values=("found",))
def skill_root_missing(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """No folder `.skills/`, but a file in its place or a catalog elsewhere."""
    workspace = inventory.workspace
    if workspace.has_skill_root:
        return
    if tracked.exists(workspace.path(SKILL_ROOT)):
        yield Match(workspace.path(SKILL_ROOT), values={"found": "`.skills` is not a folder"})
        return
    for names in ((CATALOG,), ("skills", CATALOG)):
        if tracked.is_file(workspace.path(*names)):
            yield Match(workspace.path(*names), values={"found": f"the catalog is `{'/'.join(names)}`"})


_ACTIVE_ADVICE = "Add a SKILL.md with the `name` and `description` of SKILL.yaml, for agents without the runtime. "


@Predicate("misplaced-skill", Subject.INVENTORY, values=("found", "advice"))
def misplaced_skill(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Folders in `.skills/` without `SKILL.md`, and skills that are loose files there."""
    for card in inventory.cards:
        if card.problem is not None and card.problem.kind == "missing":
            is_active = tracked.is_file(os.path.join(card.directory, MANIFEST_FILE))
            found = f"the folder `{card.folder}` has {'a SKILL.yaml, but ' if is_active else ''}no SKILL.md"
            yield Match(card.path, values={"found": found, "advice": _ACTIVE_ADVICE if is_active else ""})
    workspace = inventory.workspace
    for root in workspace.target.skill_roots:
        for path in _loose_files(root):
            document = read_document(path, workspace.root)
            matter = document if isinstance(document, DocumentProblem) else front_matter(document)
            if not isinstance(matter, DocumentProblem) and {"name", "description"} <= set(matter.mapping.keys()):
                found = f"`{os.path.basename(path)}` is a skill in a loose file"
                yield Match(path, values={"found": found, "advice": ""})


def _loose_files(root: str) -> list[str]:
    try:
        names = tracked.names(root)
    except OSError:
        return []
    loose = sorted(name for name in names if name.lower().endswith(".md") and not name.startswith("."))
    return [os.path.join(root, name) for name in loose if name != CATALOG]


class FolderNames(NamedTuple):
    """`folders`: the customary names."""

    folders: tuple[str, ...] = ("scripts", "references", "assets")


@Predicate("other-folder", Subject.SKILL, values=("folder",), options=FolderNames)
def other_folder(skill: Skill, options: FolderNames) -> Iterator[Match]:
    """Folders directly in a skill that have other names; hidden ones are ignored."""
    for entry in skill.listing.entries:
        name = entry.relative
        if entry.kind == FOLDER and "/" not in name and name not in options.folders and not name.startswith("."):
            yield Match(entry.path, values={"folder": name})


@Predicate("user-context-tracked", Subject.INVENTORY)
def user_context_tracked(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """`USER_CONTEXT.md` in git."""
    workspace = inventory.workspace
    if workspace.user_context is not None and git.is_tracked(workspace.path(USER_CONTEXT)):
        yield Match(workspace.path(USER_CONTEXT))


@Predicate("user-context-not-ignored", Subject.INVENTORY)
def user_context_not_ignored(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """An untracked `USER_CONTEXT.md` in a repository that the next `git add` would add."""
    workspace = inventory.workspace
    path = workspace.path(USER_CONTEXT)
    if workspace.user_context is None or git.repository(workspace.root) is None:
        return
    # git never reports a tracked file as ignored; `user_context_tracked` covers that one.
    if path not in git.ignored([path]) and not git.is_tracked(path):
        yield Match(path, edits=tuple(_ignoring(workspace.path(".gitignore"), workspace.root)))


def _ignoring(path: str, root: str) -> Iterator[Edit]:
    document = read_document(path, root)
    if isinstance(document, Document):
        # The line exists, but a later line or git's own state overrides it.
        if any(line.strip() in (USER_CONTEXT, f"/{USER_CONTEXT}") for line in document.text.splitlines()):
            return
        end = len(document.text)
        lead = document.newline if document.text and not document.text.endswith("\n") else ""
        yield TextEdit(path, end, end, f"{lead}{USER_CONTEXT}{document.newline}")
    elif document.kind == "missing" and not tracked.is_link(path):
        yield WriteFile(path, f"{USER_CONTEXT}\n")


@Predicate("marketplace-fault", Subject.INVENTORY, values=("reason",))
def marketplace_fault(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """What can't be used in the `marketplace.json` of a repository; a path without a skill is raised."""
    listed = reversed(inventory.workspace.target.listed)
    # A catalog may have one fault in hundreds of plugins.
    for fault in {fault.reason.partition(": ")[2] or fault.reason: fault for fault in listed}.values():
        document = read_document(fault.file, inventory.workspace.root)
        text, words = document.text if isinstance(document, Document) else "", fault.words
        # A path may be a part of the one that is written, or the folder in which `skills` was looked for.
        while words not in text:
            words = words.rpartition("/")[0]
        start = text.find(words)
        yield Match(fault.file, start, start + len(words), {"reason": fault.reason}, raised=fault.empty)
