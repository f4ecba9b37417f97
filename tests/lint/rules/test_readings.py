"""What the standard leaves open is decided in one file, which pages and messages lead to."""

from __future__ import annotations

import re
from pathlib import Path

from skillbag.lint.rules.builtin import load_clauses
from skillbag.lint.rules.readings import load_readings
from tests.support import PROJECT, Run


def test_each_reading_concerns_clauses_that_there_are() -> None:
    known = {clause.id for clause in load_clauses()}
    readings = load_readings()
    assert len({reading.id for reading in readings}) == len(readings)
    assert all(reading.clauses and known >= set(reading.clauses) for reading in readings)


def test_each_link_of_a_rule_leads_to_a_reading() -> None:
    headings = re.findall(r"^## (.+)$", Path(PROJECT, "docs/standard.md").read_text("utf-8"), re.M)
    known = {heading.lower().replace(" ", "-") for heading in headings}
    pages = [path.read_text("utf-8") for path in Path(PROJECT, "docs/rules").glob("*.md")]
    linked = {name for page in pages for name in re.findall(r"\.\./standard\.md#([a-z0-9-]+)", page)}
    assert len(linked) > 20
    assert linked <= known


def test_a_clause_is_explained_with_its_readings(run: Run) -> None:
    outcome = run("explain", "root.catalog-sorted")
    assert 'Catalog order: "Sorted ascending" does not say by what' in outcome.out
    assert "  Read as: By the names, in the order of code points: `a` before `a-b`." in outcome.out
    assert "Read as" not in run("explain", "root").out
