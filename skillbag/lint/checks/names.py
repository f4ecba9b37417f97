"""Names of skills: the pattern, the canonical form in declarations, the form for invocation."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.fs import tracked
from skillbag.kernel.model.findings import TextEdit
from skillbag.kernel.standard.blocks import context_names
from skillbag.kernel.standard.names import fixable, is_name, name_fault
from skillbag.kernel.workspace.model import Inventory
from skillbag.kernel.workspace.skill import SkillSummary
from skillbag.kernel.workspace.target import SKILL_FILE, SKILL_ROOT
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, match_at


@Predicate("folder-name", Subject.INVENTORY, values=("name", "reason"))
def folder_name(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Skill folders whose name does not match the pattern, at the skill's own name where it has one."""
    for card in inventory.all_cards:
        if card.problem is None and not is_name(card.folder):
            yield Match(card.path, *_name_span(card), {"name": card.folder, "reason": name_fault(card.folder)})


@Predicate("name-differs", Subject.INVENTORY, values=("name", "folder"))
def name_differs(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Skills whose `name` is not their folder's; misnamed folders are reported by `folder_name`."""
    for card in inventory.all_cards:
        if card.name and card.name.value != card.folder and is_name(card.folder):
            yield Match(card.path, *_name_span(card), {"name": card.name.value, "folder": card.folder})


def _name_span(card: SkillSummary) -> tuple[int, int]:
    return (card.name.start, card.name.end) if card.name else (0, 0)


@Predicate("not-canonical", Subject.INVENTORY, values=("name", "canonical"))
def not_canonical(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Names in catalog entries and dependency declarations that are written with `_`, spaces or capitals."""
    yield from _catalog_names(inventory)
    for card in inventory.cards:
        for dependency in card.dependencies:
            yield from _declared(card.path, *dependency.name)
    for path, scalar in context_names(inventory.workspace):
        yield from _declared(path, scalar.value, scalar.start, scalar.end)


def _declared(path: str, name: str, start: int, end: int) -> Iterator[Match]:
    if better := fixable(name):
        values = {"name": name, "canonical": better}
        # With quotes around it the name stays quoted; any other difference in length is an escape, left alone.
        quotes = (end - start - len(name)) // 2
        edit = TextEdit(path, start + quotes, end - quotes, better)
        yield Match(path, start, end, values, (edit,) if end - start - len(name) in (0, 2) else ())


def _catalog_names(inventory: Inventory) -> Iterator[Match]:
    workspace = inventory.workspace
    lines = workspace.catalog.lines if workspace.catalog else ()
    listed = {line.name for line in lines}
    path = workspace.path(SKILL_ROOT, "SKILLS.md")
    for line in lines:
        better = fixable(line.name)
        # An entry with the name of a misnamed folder is not a fault of its own.
        if better and line.name not in inventory.by_folder:
            end = line.start + len(line.name)
            safe = better in inventory.by_folder and better not in listed
            edits = (TextEdit(path, line.start, end, better),) if safe else ()
            yield Match(path, line.start, end, {"name": line.name, "canonical": better}, edits)


_RUN = late(r"run ([a-z0-9]+(?:-[a-z0-9]+)+)(?![\w-])")


@Predicate("invocation", Subject.TEXT, values=("name", "identifier"), literals=(b"`run ",))
def invocation(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Code spans such as `run convert-to-pdf` that name an existing skill."""
    if text.language != "markdown":
        return
    suspects = {match[1] for match in _RUN().finditer(text.document.text)}
    root = text.skill.skills_root if text.skill else os.path.join(os.path.dirname(text.document.path), SKILL_ROOT)
    known = {name for name in suspects if tracked.is_file(os.path.join(root, name, SKILL_FILE))}
    for span in text.markdown.code_spans if known else ():
        match = _RUN().match(span.text)
        if match and match[1] in known:
            yield match_at(text.document.path, span, {"name": match[1], "identifier": match[1].replace("-", "_")})
