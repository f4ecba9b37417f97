"""The kinds of source are one table: a new kind is known everywhere by its row."""

from __future__ import annotations

import re

import pytest

from skillbag.kernel.workspace.source_kind import SourceKind
from tests.support import PROJECT

NAMING = {
    "agents/marketplace/manifest_sources.py",
    "fleet/audit/sources.py",
    "supply/sources/address.py",
    "supply/sources/archive_formats.py",
    "supply/sources/fetch.py",
    "supply/sources/http_client.py",
}
"""The modules that make a source of a kind, or fetch each."""


def test_other_modules_ask_the_table() -> None:
    package = PROJECT / "skillbag"
    found = {
        path.relative_to(package).as_posix(): path.read_text("utf-8")
        for path in package.rglob("*.py")
        if re.search(r"\bSourceKind\.[A-Z]", path.read_text("utf-8"))
    }
    assert set(found) == NAMING
    assert not [name for name, text in found.items() if re.search(r"(is|is not|!=|==) SourceKind\.", text)]


@pytest.mark.parametrize("kind", SourceKind)
def test_a_kind_with_versions_has_exactly_one_sort_of_them(kind: SourceKind) -> None:
    sorts = (kind.is_in_place, kind.is_archive, kind.has_revisions, kind.has_releases)
    # A kind without versions may be read in place, or be copied.
    assert sum(sorts) == 1 or (kind.versions == "none" and sum(sorts) == 0)
