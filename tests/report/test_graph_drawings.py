"""The graph of skills as Mermaid, DOT and SVG: hostile names stay names, and the drawings can be read."""

from __future__ import annotations

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

import pytest

from skillbag.lint.skill_graph.values import Edge, Node, Relation, State
from skillbag.report.graphs.dot import graph_dot
from skillbag.report.graphs.mermaid import graph_mermaid
from skillbag.report.graphs.svg import graph_svg
from skillbag.report.sanitize import shown
from tests.lint.skill_graph.worlds import HOSTILE, graph_of, large_graph

_SVG = "{http://www.w3.org/2000/svg}"
_LINE = re.compile(
    r'    s\d+\["(?:[A-Za-z0-9 _.-]|#\d+;)+"\](?::::\w+)?|    s\d+ (?:-->|-\. [a-z ]+ \.->) s\d+'
    r"|flowchart LR|    acc(?:Title|Descr): [\w, ]+|    (?:classDef|linkStyle) [\w#:,. -]+"
)


def test_mermaid_has_no_character_of_a_name_that_could_be_syntax() -> None:
    graph = graph_of(HOSTILE, *((n, n + 1) for n in range(len(HOSTILE) - 1)), (2, 0))
    lines = graph_mermaid(graph).splitlines()
    assert [line for line in lines if not _LINE.fullmatch(line)] == []
    labels = [match[1] for line in lines if (match := re.match(r'.*\["(.*)"\]', line))]
    labels = [re.sub(r"#(\d+);", lambda match: chr(int(match[1])), label) for label in labels]
    assert labels == [shown(name) for name in HOSTILE]


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_reads_hostile_names_as_names() -> None:
    graph = graph_of(HOSTILE, (0, 1), (1, 2), (2, 0), (3, 4))
    generated = subprocess.run(["dot", "-Tsvg"], input=graph_dot(graph), capture_output=True, text=True, check=True)
    texts = {node.text for node in ET.fromstring(generated.stdout).iter(f"{_SVG}text")}  # noqa: S314 - our drawing
    assert texts == {shown(name) for name in HOSTILE}


def test_svg_has_hostile_names_as_text_alone() -> None:
    graph = graph_of(HOSTILE, (0, 1), (1, 2), (2, 0), (3, 4), (5, 5))
    root = ET.fromstring(graph_svg(graph))  # noqa: S314
    tags = {node.tag.removeprefix(_SVG) for node in root.iter()}
    assert tags == {"svg", "title", "desc", "style", "rect", "text", "g", "path", "a"}
    titles = [title.text or "" for title in root.iter(f"{_SVG}title")]
    assert all(any(title.startswith(shown(name)) for title in titles) for name in HOSTILE)
    addresses = [node.get("href", "") for node in root.iter(f"{_SVG}a")]
    assert addresses == [f"./.skills/s{number:03}/SKILL.md" for number in range(len(HOSTILE))]


def test_svg_links_lead_over_the_prefix_and_are_quoted() -> None:
    graph = graph_of(("a",))
    node = graph.nodes[0]._replace(path='.skills/a b"#%<')
    generated = graph_svg(graph._replace(nodes=(node,)), "../up")
    assert 'href="./../up/.skills/a%20b%22%23%25%3C/SKILL.md"' in generated


def test_missing_skills_are_boxes_without_a_link() -> None:
    lost = Node("s900", "lost", "", "", State.MISSING)
    graph = graph_of(("a",))
    graph = graph._replace(nodes=(*graph.nodes, lost), edges=(Edge("s000", "s900", Relation.DEPENDENCY),))
    generated = graph_svg(graph)
    assert generated.count("<a ") == 1
    assert ">lost (missing)<" in generated
    assert "a depends on lost (missing)" in generated


def test_boxes_of_500_skills_do_not_overlap() -> None:
    generated = graph_svg(large_graph())
    found = re.findall(r'class="box" x="([\d.-]+)" y="([\d.-]+)" width="([\d.]+)"', generated)
    boxes = [(float(x), float(y), float(width)) for x, y, width in found]
    assert len(boxes) == 505
    for number, (x, y, width) in enumerate(boxes):
        assert all(abs(x - ox) >= width or abs(y - oy) >= 30 for ox, oy, _ in boxes[:number])


def test_the_same_graph_is_drawn_the_same() -> None:
    assert graph_svg(large_graph(120)) == graph_svg(large_graph(120))
