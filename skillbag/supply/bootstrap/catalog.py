"""The action that creates or completes `.skills/SKILLS.md` (clauses files.catalog, root.catalog-sorted)."""

from __future__ import annotations

from skillbag.kernel.documents.catalog import CatalogLine, collapse, parse_catalog, render, render_line
from skillbag.kernel.documents.source import Document
from skillbag.kernel.standard.left_over import catalog_lines
from skillbag.kernel.workspace.model import Workspace, take_inventory
from skillbag.kernel.workspace.target import CATALOG_PATH
from skillbag.supply.bootstrap.existing import CannotInitError, find
from skillbag.supply.bootstrap.plan import Action, create, insert, keep, next_line


def catalog_action(workspace: Workspace, name: str | None = None, description: str = "") -> Action:
    """Create the catalog of the existing skills, or insert the line of `name` in a catalog at its place.

    An existing line of that name stays as it is.
    """
    document = find(workspace.root, CATALOG_PATH)
    if document is None:
        lines = dict(catalog_lines(take_inventory(workspace)))
        if name is not None:
            lines[name] = description
        return create(CATALOG_PATH, render(lines.items()), "the catalog: one line for each skill")
    catalog = parse_catalog(document)
    if name is None or any(line.name == name for line in catalog.lines):
        return keep(CATALOG_PATH, "the catalog is there")
    line = render_line(name, description) + "\n"
    return insert(document, CATALOG_PATH, _place(document, catalog.lines, name), line, f"the line of {name}")


def _place(document: Document, lines: tuple[CatalogLine, ...], name: str) -> int:
    """The offset for the line of `name`: before the first greater name, else after the last line."""
    for line in lines:
        if line.name > name:
            return line.start
    return next_line(document.text, lines[-1].end) if lines else len(document.text)


def refuse_stale_line(workspace: Workspace, name: str, description: str) -> None:
    """Refuse a catalog that already describes a new skill differently.

    Raises:
        CannotInitError: the catalog has a line of `name` with another description.
    """
    document = find(workspace.root, CATALOG_PATH)
    for line in parse_catalog(document).lines if document else ():
        if line.name == name and collapse(line.description) != collapse(description):
            raise CannotInitError(f"{CATALOG_PATH} lists {name} with another description; remove that line first")
