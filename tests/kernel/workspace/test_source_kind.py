"""The kinds of source are one table: a new kind is known by its row, which names the module that fetches it."""

from __future__ import annotations

import re

import pytest

from skillbag.kernel.workspace.source_kind import SourceKind
from skillbag.supply.sources.source import module_of
from tests.kernel.workspace.kind_modules import module_for
from tests.support import PROJECT

NAMING = {
    "agents/marketplace/manifest_sources.py",
    "fleet/audit/sources.py",
    "supply/sources/address.py",
    "supply/sources/http_client.py",
    "supply/sources/source.py",
}
"""The modules that make a source of a kind, beside those that fetch one."""


def test_other_modules_ask_the_table() -> None:
    package = PROJECT / "skillbag"
    found = {
        path.relative_to(package).as_posix(): path.read_text("utf-8")
        for path in package.rglob("*.py")
        if re.search(r"\bSourceKind\.[A-Z]", path.read_text("utf-8"))
    }
    fetching = {f"supply/sources/{kind.row.module}.py" for kind in SourceKind}
    assert set(found) - fetching == NAMING
    assert not [name for name, text in found.items() if re.search(r"(is|is not|!=|==) SourceKind\.", text)]


@pytest.mark.parametrize("kind", SourceKind)
def test_a_kind_is_of_one_sort_at_most(kind: SourceKind) -> None:
    assert sum((kind.is_in_place, kind.is_archive, kind.has_revisions, kind.has_releases)) <= 1
    assert kind.versions == "none" or not kind.is_in_place


@pytest.mark.parametrize("kind", SourceKind)
def test_a_kind_is_fetched_by_the_module_that_mypy_has_seen(kind: SourceKind) -> None:
    assert module_of(kind) is module_for(kind)
