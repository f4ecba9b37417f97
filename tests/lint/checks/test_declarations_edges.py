"""Declarations of odd shapes: what is nobody's fault stays quiet, what is one is told once, in its place."""

from __future__ import annotations

from tests.lint.checks.rule_runs import findings, places
from tests.rows import each_row
from tests.support import Tree, skill

HEAD = "---\nname: a\ndescription: Do it. Use when asked.\n{}---\n\n"
WORKSPACE = {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/b/SKILL.md": skill("b")}
SHAPE = ("dependency-invalid", "context-dependency-invalid", "conflict-resolution-invalid", "parameter-invalid")


def block(text: str, title: str = "Dependencies") -> str:
    return HEAD.format("") + f"## {title}\n\n```yaml\n{text}\n```\n"


@each_row(
    ("text", "lines"),
    [
        (HEAD.format("dependencies:\n"), []),
        (HEAD.format("dependencies: ''\n"), []),
        (HEAD.format("dependencies: b\n"), [4]),
        (HEAD.format("dependencies: {name: b}\n"), [4]),
        (HEAD.format("dependencies:\n  - b\n"), [5]),
        (HEAD.format("dependencies:\n  - name:\n"), [5]),
        (block("dependencies:"), []),
        (block("dependencies: b"), [9]),
        (block("dependencies:\n  - [b]"), [10]),
        (block("- name: b"), []),
        (block("- source: x"), [9]),
        (block("- just\n- words"), []),
        (block("words"), []),
        (block("name: env\ndependencies:\n  - python=3.11"), []),
        (block("name: env\ndependencies:\n  - name: b\n  - python"), [12]),
        (block("dependencies:\n  - name: b\n   source: x"), [11]),
        (block("key: [unclosed"), []),
    ],
)
def test_dependencies_of_a_skill(tree: Tree, text: str, lines: list[int]) -> None:
    root = tree({**WORKSPACE, ".skills/a/SKILL.md": text})
    assert [f.line for f in findings(root, "dependency-invalid")] == lines


@each_row(
    ("text", "count"),
    [
        ("required:\n  - name: x\n", 0),
        ("required: {}\n", 1),
        ("- name: x\n", 1),
        ("- x\n", 1),
        ("parameters:\n  required: []\n", 1),
        ("parameters: text\n", 0),
        ("x:\n  default: 1\n", 1),
        ("x: 1\n", 0),
        ("just words\n", 0),
        ("", 0),
        ("required: x\n", 1),
        ("required:\n  - name: [x]\n", 1),
        ("required:\n  - default: 1\n", 1),
        ("required: [\n", 1),
        ("other: [\n", 0),
    ],
)
def test_parameters_of_a_skill(tree: Tree, text: str, count: int) -> None:
    root = tree({**WORKSPACE, ".skills/a/SKILL.md": block(text, "Parameters")})
    assert len(findings(root, "parameter-invalid")) == count


@each_row(
    ("text", "rules"),
    [
        ("just words", []),
        ("- a\n- b", []),
        ("tags: [a]", []),
        ("conflict-resolution: x", ["conflict-resolution-invalid"]),
        ("conflict-resolution:\n  - x", ["conflict-resolution-invalid"]),
        ("conflict-resolution:\n  - skills: [a, b]\n    winner: a", []),
        ("dependencies: b", ["context-dependency-invalid"]),
        ("dependencies:\n  - b", ["context-dependency-invalid"]),
        ("overrides: x", []),
        ("overrides:\n  b: x", []),
        ("parameters: x", []),
        ("parameters:\n  b: x", []),
    ],
)
def test_blocks_of_a_context(tree: Tree, text: str, rules: list[str]) -> None:
    root = tree({**WORKSPACE, "CONTEXT.md": f"# Context\n\n```yaml\n{text}\n```\n"})
    assert [f.rule for f in findings(root, *SHAPE)] == rules


def test_malformed_names_in_a_context_are_ignored(tree: Tree) -> None:
    text = (
        "dependencies:\n  - name: B_1\n  - name: [x]\n  - y\n"
        "conflict-resolution:\n  - skills: {a: b}\n    winner: [C_2, [x]]\n  - z\n"
        "overrides:\n  D_3:\n    a: 1\n"
    )
    root = tree({**WORKSPACE, "CONTEXT.md": f"```yaml\n{text}```\n"})
    assert [line.rsplit(":", 2)[1:] for line in places(root, "name-not-canonical")] == [
        ["3", "11"],
        ["8", "14"],
        ["11", "3"],
    ]


def test_dependencies_that_a_context_gives_a_source_for_are_met(tree: Tree) -> None:
    text = HEAD.format("dependencies:\n  - name: far\n  - name: near\n  - name: given\n  - name: no\n")
    context = (
        "```yaml\ndependencies:\n  - name: given\n    source: x\n  - source: y\n  - z\noverrides:\n  near: ../x\n```\n"
    )
    root = tree({**WORKSPACE, ".skills/a/SKILL.md": text, "CONTEXT.md": context})
    reported = [f.message for f in findings(root, "dependency-unresolved")]
    assert len(reported) == 2
    assert "far" in reported[0]
    assert "no" in reported[1]


def test_the_last_definition_counts_and_the_others_are_named(tree: Tree) -> None:
    first = "parameters:\n  b:\n    x: 1\n    y: 1\n  c: text\noverrides:\n  b: one\n"
    second = "parameters:\n  b:\n    x: 2\noverrides:\n  b: two\nconflict-resolution:\n  - skills: b\n  - text\n"
    root = tree({**WORKSPACE, "CONTEXT.md": f"```yaml\n{first}```\n\n```yaml\n{second}```\n"})
    assert places(root, "definition-shadowed") == ["CONTEXT.md:4:5", "CONTEXT.md:8:3"]
