"""The catalog `.skills/SKILLS.md` compared with the skills: one sorted line each, with name and description.

A skill whose `SKILL.md` can't be read is skipped: that has a rule of its own.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from skillbag.kernel.documents.catalog import Catalog, CatalogLine, collapse, is_listable, render, render_line
from skillbag.kernel.documents.source import Document
from skillbag.kernel.fs import tracked
from skillbag.kernel.fs.trace import mark_uncacheable
from skillbag.kernel.model.findings import TextEdit, WriteFile
from skillbag.kernel.standard.names import canonical
from skillbag.kernel.workspace.model import Inventory
from skillbag.kernel.workspace.summary import SkillSummary
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL, CATALOG, SKILL_ROOT
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, match_at, short


def _read(inventory: Inventory) -> Iterator[tuple[Document, Catalog]]:
    """The catalog, if it can be read: used as `for document, catalog in …`."""
    workspace = inventory.workspace
    if isinstance(workspace.catalog_document, Document) and workspace.catalog is not None:
        yield workspace.catalog_document, workspace.catalog


def new_catalog(inventory: Inventory) -> WriteFile:
    """The catalog that a workspace or source without one should have."""
    from skillbag.kernel.standard.left_over import catalog_lines

    return WriteFile(inventory.workspace.path(SKILL_ROOT, CATALOG), render(catalog_lines(inventory)))


@Predicate("catalog-missing", Subject.INVENTORY)
def catalog_missing(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """`.skills/` without a catalog."""
    workspace = inventory.workspace
    if workspace.has_skill_root and workspace.catalog_document is None:
        edit = new_catalog(inventory)
        yield Match(edit.path, edits=(edit,))


@Predicate("catalog-stray", Subject.INVENTORY, values=("text",))
def catalog_stray(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Lines that are neither an entry nor blank."""
    for document, catalog in _read(inventory):
        for start, end in catalog.strays:
            yield Match(document.path, start, end, {"text": short(collapse(document.text[start:end]))})


@Predicate("catalog-entry-duplicate", Subject.INVENTORY, values=("name", "line"))
def catalog_duplicate(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Entries whose name has an entry before them; the fix removes it if both have the same description."""
    for document, catalog in _read(inventory):
        first: dict[str, CatalogLine] = {}
        for line in catalog.lines:
            earlier = first.setdefault(line.name, line)
            if earlier is not line:
                same = collapse(earlier.description) == collapse(line.description)
                values = {"name": line.name, "line": str(document.position(earlier.start).line)}
                yield match_at(document.path, line, values, (_removal(document, line),) if same else ())


def _removal(document: Document, line: CatalogLine) -> TextEdit:
    newline = document.text.find("\n", line.end)
    return TextEdit(document.path, line.start, newline + 1 if newline >= 0 else len(document.text), "")


@Predicate("catalog-order", Subject.INVENTORY, values=("name",))
def catalog_order(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """The fewest entries that would have to move for the names to ascend."""
    for document, catalog in _read(inventory):
        wrong = misplaced([line.name for line in catalog.lines])
        # A heading or comment between entries may speak of those below it.
        edits = (_sorted(document, catalog),) if wrong and not catalog.strays else ()
        for number in wrong:
            line = catalog.lines[number]
            yield Match(document.path, line.start, line.start + len(line.name), {"name": line.name}, edits)


def misplaced(names: list[str]) -> list[int]:
    """The numbers of the names outside one longest ascending subsequence."""
    tails: list[str] = []
    tail_at: list[int] = []
    previous: list[int] = []
    for number, name in enumerate(names):
        length = bisect_right(tails, name)
        previous.append(tail_at[length - 1] if length else -1)
        tails[length : length + 1] = [name]
        tail_at[length : length + 1] = [number]
    kept, number = set(), tail_at[-1] if tail_at else -1
    while number >= 0:
        kept.add(number)
        number = previous[number]
    return [number for number in range(len(names)) if number not in kept]


def _sorted(document: Document, catalog: Catalog) -> TextEdit:
    """The entries in order, each in the place of another, so that blank lines and line ends stay where they are."""
    parts, at = [], catalog.lines[0].start
    for place, line in zip(catalog.lines, sorted(catalog.lines, key=lambda line: line.name), strict=True):
        parts += [document.text[at : place.start], document.text[line.start : line.end]]
        at = place.end
    return TextEdit(document.path, catalog.lines[0].start, at, "".join(parts))


def _listed(inventory: Inventory, catalog: Catalog) -> Iterator[tuple[CatalogLine, SkillSummary | None]]:
    """Each entry with the skill that it speaks of: by folder, by the folder's other spelling, or by declared name."""
    by_name: dict[str, SkillSummary] = {}
    for card in inventory.cards:
        if card.name:
            by_name.setdefault(card.name.value, card)
    folders = inventory.by_folder
    for line in catalog.lines:
        yield line, folders.get(line.name) or folders.get(canonical(line.name)) or by_name.get(line.name)


@Predicate("catalog-name-mismatch", Subject.INVENTORY, values=("name", "folder", "declared"))
def catalog_name(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Entries whose name is not both the folder's and the one in `SKILL.md`; other spellings are left to their rule."""
    for document, catalog in _read(inventory):
        for line, card in _listed(inventory, catalog):
            if card is None or card.name is None or {card.folder, card.name.value} == {line.name}:
                continue
            if line.name == card.folder or canonical(line.name) != card.folder:
                values = {"name": line.name, "folder": card.folder, "declared": card.name.value}
                yield Match(document.path, line.start, line.start + len(line.name), values)


@Predicate("catalog-description-mismatch", Subject.INVENTORY, values=("name",))
def catalog_description(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Entries whose description is not the skill's, white space aside."""
    for document, catalog in _read(inventory):
        for line, card in _listed(inventory, catalog):
            if card is None or not card.valid or card.description is None:
                continue
            if collapse(line.description) != card.description.value:
                start = line.end - len(line.description)
                edit = TextEdit(document.path, start, line.end, card.description.value)
                yield Match(document.path, start, line.end, {"name": line.name}, (edit,))


_FIRST_NAME = re.compile(r"[^A-Za-z0-9_]*([A-Za-z0-9_-]+)")


_ADVICE = ", or run `skillbag check --fix`"


@Predicate("catalog-incomplete", Subject.INVENTORY, values=("name", "lost", "advice"))
def catalog_incomplete(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Valid skills without an entry; a stray line that begins with the name counts as a malformed entry.

    Where no line can have the name, the name alone is at fault. What the lock has lost as well gets no line again.
    """
    for document, catalog in _read(inventory):
        known = {card.folder for _, card in _listed(inventory, catalog) if card}
        firsts = (_FIRST_NAME.match(document.text, *stray) for stray in catalog.strays)
        known.update(first[1] for first in firsts if first)
        highest = list(accumulate((line.name for line in catalog.lines), max))
        places: dict[int, list[SkillSummary]] = {}
        cards = sorted(inventory.cards, key=lambda card: card.folder)
        missing = [card for card in cards if card.valid and card.folder not in known and is_listable(card.folder)]
        lost, is_known = _lost(inventory) if missing else (frozenset(), True)
        for card in missing:
            if card.folder not in lost:
                places.setdefault(bisect_right(highest, card.folder), []).append(card)
            elif is_known:
                advice = f" to keep it, or run `skillbag remove {card.folder}`, which deletes it"
                where = ", and from `skillbag.lock`, which had it when it was installed"
                yield Match(card.path, values={"name": card.folder, "lost": where, "advice": advice})
        for number, cards in places.items():
            yield from _insertions(document, catalog.lines[number : number + 1], cards)


def _lost(inventory: Inventory) -> tuple[frozenset[str], bool]:
    """The skills that are left over, and whether that is known: else other rules report what can't be read."""
    # Few catalogs lack a line.
    from skillbag.kernel.standard.left_over import is_known, left_over

    # What was installed here and what earlier locks had may change while the workspace stays as it is.
    mark_uncacheable()
    return left_over(inventory), is_known(inventory.workspace)


def _insertions(document: Document, following: tuple[CatalogLine, ...], cards: list[SkillSummary]) -> Iterator[Match]:
    """A match for each skill, all with the same edit, which inserts their lines before the following one, or last."""
    lines = [render_line(card.folder, card.description.value if card.description else "") for card in cards]
    text = "".join(line + document.newline for line in lines)
    if following:
        place = at = following[0].start
    else:
        place, at = len(document.text.rstrip()), len(document.text)
        if at > 0 and not document.text.endswith("\n"):
            text = document.newline + text.removesuffix(document.newline)
    edit = TextEdit(document.path, at, at, text)
    for card in cards:
        yield Match(document.path, place, place, {"name": card.folder, "lost": "", "advice": _ADVICE}, (edit,))


@Predicate("catalog-unreal", Subject.INVENTORY, values=("name", "advice"))
def catalog_unreal(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Entries without a skill. The fix removes the line, unless a broken link has the name.

    A command may bring the skill: after a clone or a pull the catalog is there before the skills.
    """
    for document, catalog in _read(inventory):
        for line, card in _listed(inventory, catalog):
            if card is not None:
                continue
            place = inventory.workspace.path(SKILL_ROOT, line.name)
            # A folder behind a link that leaves the tree exists, too.
            if not tracked.is_folder(place):
                advice = _command(inventory, line.name)
                edits = () if advice or tracked.is_link(place) else (_removal(document, line),)
                yield match_at(document.path, line, {"name": line.name, "advice": advice}, edits)


def _command(inventory: Inventory, name: str) -> str:
    """The advice to run the command that brings a missing skill; empty if none does."""
    lock = inventory.workspace.lock
    if isinstance(lock, Exception):
        return " (first correct `skillbag.lock`, which may have it)"
    if lock is not None and name in lock.skills:
        return " (`skillbag install` brings what `skillbag.lock` has)"
    return " (`skillbag init` writes it)" if name == BOOTSTRAP_SKILL else ""
