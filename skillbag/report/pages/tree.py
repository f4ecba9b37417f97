"""`tree --format html`: the graph of skills and their token budgets as a page."""

from __future__ import annotations

from skillbag.kernel.base.json_records import to_json
from skillbag.lint.skill_graph.values import SkillGraph
from skillbag.report.options import located
from skillbag.report.pages.graph_data import SCRIPTS, graph_context, graph_data, graph_libraries, graph_views
from skillbag.report.pages.rendering import render_page
from skillbag.report.sanitize import shown


def graph_page(graph: SkillGraph, base: str, name: str) -> str:
    """The page; paths are relative to the absolute `base`, `name` is what readers call it."""
    return render_page(
        "tree.html",
        title=f"Skills of {shown(name)}",
        data={"graph": to_json(graph_data(graph, lambda path: shown(located(path, base))))},
        scripts=("facets.js", "pager.js", "listing.js", *SCRIPTS, "tree.js"),
        views=graph_views(graph)[::-1],
        libraries=graph_libraries(graph),
        context={"name": shown(name), **graph_context(graph)._asdict()},
    )
