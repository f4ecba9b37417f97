"""Remarks on what has no effect, and messages about many faults or names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from skillbag.kernel.documents.source import Document
from skillbag.kernel.standard.declarations import Place
from skillbag.kernel.standard.names import is_name
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.target import CATALOG_PATH, SKILL_ROOT

_MAX = 20


class Remark(NamedTuple):
    """Something in a context file or the catalog that has no effect, and why."""

    place: Place
    text: str


def summarize(faults: Sequence[str]) -> str:
    """A line for each of the first faults, and the number of the others."""
    more = len(faults) - _MAX
    rest = [f"and {more} more; skillbag check reports all of them"] if more > 0 else []
    return "\n".join([*faults[:_MAX], *rest])


def some(names: Iterable[str]) -> str:
    """The first names, and the number of the others."""
    several = list(names)
    more = len(several) - _MAX
    return ", ".join(several[:_MAX]) + (f" and {more} more" if more > 0 else "")


def unlisted_note(names: Sequence[str]) -> str:
    """Which skills the catalog lacks, and what to do."""
    are = "are" if len(names) > 1 else "is"
    fix = f"skillbag sync lists {_them(names)}, or says why not"
    return f"{some(names)} {are} in {SKILL_ROOT}/, but not in {CATALOG_PATH}; {fix}"


def _them(names: Sequence[str]) -> str:
    return "them" if len(names) > 1 else "it"


def catalog_remarks(workspace: Workspace, unlisted: Sequence[str]) -> Iterator[Remark]:
    """A remark on each line that is not `name: description`, or whose name is listed above; one on the skills that no
    line lists."""
    yield from _line_remarks(workspace)
    if unlisted:
        yield Remark(Place(CATALOG_PATH, 1), unlisted_note(unlisted))


def _line_remarks(workspace: Workspace) -> Iterator[Remark]:
    document, catalog = workspace.catalog_document, workspace.catalog
    if catalog is None or not isinstance(document, Document):
        return
    names = [(line.start, line.name if is_name(line.name) else "") for line in catalog.lines]
    seen: set[str] = set()
    for start, name in sorted([*names, *((start, "") for start, _ in catalog.strays)]):
        if not name or name in seen:
            what = f"{name} is listed above" if name else "the line lists no skill"
            place = Place(CATALOG_PATH, document.position(start).line)
            yield Remark(place, f"{what}; skillbag sync rewrites the catalog")
        seen.add(name)
