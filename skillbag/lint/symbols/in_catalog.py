"""Skills and tags in the catalog: the name of each line, and the tags of its description."""

from __future__ import annotations

from skillbag.kernel.documents.catalog import parse_catalog
from skillbag.lint.symbols.collector import Collector
from skillbag.lint.symbols.values import Role, skill_symbol


def collect_catalog(found: Collector) -> None:
    """Add what the lines of a catalog name."""
    for line in parse_catalog(found.document).lines:
        found.add(skill_symbol(line.name), Role.REFERENCE, line.start, line.start + len(line.name))
        found.add_tags(line.end - len(line.description), line.end)
