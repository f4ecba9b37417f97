"""Lines of the catalog that list nothing: whoever wrote them wanted a skill to be there."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.documents.source import Document
from skillbag.lifecycle.settings import Remark
from skillbag.standard.declarations import Place
from skillbag.standard.names import is_name
from skillbag.workspace.model import Workspace
from skillbag.workspace.target import CATALOG_PATH


def catalog_slips(workspace: Workspace) -> Iterator[Remark]:
    """A remark on each line that is no `name: description` with a skill's name, or whose name is listed above."""
    document, catalog = workspace.catalog_document, workspace.catalog
    if catalog is None or not isinstance(document, Document):
        return
    names = [(line.start, line.name if is_name(line.name) else "") for line in catalog.lines]
    seen: set[str] = set()
    for start, name in sorted([*names, *((start, "") for start, _ in catalog.strays)]):
        if not name or name in seen:
            what = f"{name} is listed above" if name else "the line lists no skill"
            place = Place(CATALOG_PATH, document.position(start).line)
            yield Remark(place, f"{what}; skillbag sync writes the catalog anew")
        seen.add(name)
