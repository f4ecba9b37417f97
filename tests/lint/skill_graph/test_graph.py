"""The graph of skills: relations, cycles, what is missing, token estimates, findings."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.model.findings import Finding, Severity
from skillbag.kernel.workspace.discovery import find_targets
from skillbag.kernel.workspace.model import Workspace
from skillbag.lint.skill_graph.build import build_graph
from skillbag.lint.skill_graph.components import cycles_of
from skillbag.lint.skill_graph.values import Relation, SkillGraph, State, Tokens, with_findings
from tests.lint.skill_graph.worlds import needs, skill
from tests.support import Run


def graph_at(folder: Path) -> SkillGraph:
    return build_graph(map(Workspace, find_targets([str(folder)])), str(folder))


def edges(graph: SkillGraph) -> set[tuple[str, str, str]]:
    names = {node.id: node.name for node in graph.nodes}
    return {(names[edge.user], edge.relation.value, names[edge.needed]) for edge in graph.edges}


@pytest.fixture
def workspace(tmp_path: Path, run: Run) -> Path:
    run("init", cwd=tmp_path)
    return tmp_path


def test_relations_of_a_workspace(workspace: Path) -> None:
    skills = workspace / ".skills"
    skill(skills, "user", front=needs("base", "lost"), tags="#use/friend #use/stranger")
    skill(skills, "base", front=needs("maybe", required=False), body="See [it](../friend/notes.md).\n")
    skill(skills, "friend")
    (skills / "friend" / "notes.md").write_text("# Notes\n", "utf-8")
    (skills / "friend" / "SKILL.yaml").write_text(
        "schema: 1\nname: friend\nversion: 1.0.0\ntype: prompt\ndescription: d\ndependencies:\n"
        "  - name: tool\n    version: '*'\n",
        "utf-8",
    )
    graph = graph_at(workspace)
    assert edges(graph) >= {
        ("user", "dependency", "base"),
        ("user", "dependency", "lost"),
        ("user", "companion", "friend"),
        ("user", "companion", "stranger"),
        ("base", "optional", "maybe"),
        ("base", "link", "friend"),
    }
    states = {node.name: node.state for node in graph.nodes}
    assert (states["lost"], states["stranger"], states["maybe"]) == (State.MISSING, State.ABSENT, State.ABSENT)
    assert states["user"] is State.OWN


def test_context_declarations_ask_for_skills(workspace: Path) -> None:
    context = (
        "# Context\n\n```yaml\ndependencies:\n  - {name: far, version: v1, source: https://host.example/a.git}\n```\n"
    )
    (workspace / "CONTEXT.md").write_text(context, "utf-8")
    far = next(node for node in graph_at(workspace).nodes if node.name == "far")
    assert (far.state, far.asked_by, far.path) == (State.MISSING, ("CONTEXT.md",), "")


def test_plain_skills_have_links_and_nothing_missing(tmp_path: Path) -> None:
    skill(tmp_path / "skills", "one", front=needs("pandas"), tags="#use/x", body="Read [two](../two/SKILL.md) first.\n")
    skill(tmp_path / "skills", "two")
    graph = graph_at(tmp_path)
    assert edges(graph) == {("one", "link", "two")}
    assert {node.id for node in graph.nodes} == {"skills/one", "skills/two"}


def test_token_estimates_are_quarters_of_characters(tmp_path: Path) -> None:
    skill(tmp_path / "skills", "one", body="x" * 400)
    folder = tmp_path / "skills" / "one"
    for name in ("references/a.md", "more.md", "templates/form.md"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("y" * 200, "utf-8")
    (folder / "data.json").write_text("1" * 999, "utf-8")
    node = graph_at(tmp_path).nodes[0]
    assert node.tokens == Tokens(description=len("oneDoes one. Use when needed.") // 4, body=100, references=100)


def test_findings_count_at_the_innermost_skill(tmp_path: Path) -> None:
    skill(tmp_path / "skills", "one")
    graph = graph_at(tmp_path)
    folder = str(tmp_path / "skills" / "one")
    paths = (f"{folder}/a/b.md", f"{folder}/SKILL.md", f"{folder}-else/SKILL.md", str(tmp_path / "x"), "odd")
    findings = [Finding("r", None, Severity.ERROR, path, "", 1, 1, 1, 1, "m", None, "") for path in paths]
    assert [node.errors for node in with_findings(graph, findings).nodes] == [2]


def test_only_dependencies_make_cycles(workspace: Path) -> None:
    skills = workspace / ".skills"
    for name, needed in (("a", "b"), ("b", "c"), ("c", "a"), ("d", "a"), ("self", "self")):
        skill(skills, name, front=needs(needed))
    skill(skills, "e", tags="#use/f")
    skill(skills, "f", tags="#use/e")
    graph = graph_at(workspace)
    assert [[name.rpartition("/")[2] for name in cycle] for cycle in graph.cycles] == [["a", "b", "c"], ["self"]]
    circular = {edge.user for edge in graph.edges if graph.is_circular(edge)}
    assert circular == {f".skills/{name}" for name in ("a", "b", "c", "self")}
    assert all(edge.relation is not Relation.LINK for edge in graph.edges)


_GRAPHS = st.dictionaries(st.sampled_from("abcdefgh"), st.frozensets(st.sampled_from("abcdefgh"), max_size=3))


@given(_GRAPHS)
def test_cycles_are_what_reaches_each_other(generated: dict[str, frozenset[str]]) -> None:
    graph = {name: sorted(generated.get(name, frozenset())) for name in "abcdefgh"}

    def reached(start: str) -> set[str]:
        found: set[str] = set()
        pending = list(graph[start])
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending += graph[name]
        return found

    reach = {name: reached(name) for name in graph}
    groups = {
        tuple(sorted(other for other in graph if other in reach[name] and name in reach[other]))
        for name in graph
        if name in reach[name]
    }
    assert cycles_of(graph) == tuple(sorted(groups))
