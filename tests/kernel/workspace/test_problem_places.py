"""Every problem of a reader stands in its place, whatever the line ends, the mark at the start or the last line."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lint.checks.rule_runs import findings, places
from tests.rows import each_row
from tests.support import Tree, skill

BOM = "\ufeff"
AGENTS = "A SKILLBAG source. Skills live under `.skills/`. No extra installation steps.\n"
SOURCE = {"AGENTS.md": AGENTS, ".skills/SKILLS.md": "good: x\n", ".skills/good/SKILL.md": "no front matter\n"}

# Text with line feeds, the rule, and the place of the finding.
PROBLEMS = {
    "not UTF-8": ("---\nname: bad\ndescription: ä\udcff\n---\n", "document-encoding-invalid", 3, 15),
    "NUL": ("---\nname: bad\n---\n\nä\0\n", "document-encoding-invalid", 5, 2),
    "not YAML": ("---\nname: bad\ndescription: a: b\n---\n", "frontmatter-yaml-invalid", 3, 15),
    "tab": ("---\nname: bad\n\tdescription: x\n---\n", "frontmatter-yaml-invalid", 3, 1),
    "key": ("---\nname: bad\n? [a]\n: b\n---\n", "frontmatter-yaml-invalid", 3, 3),
    "quote never closed": ("---\nname: bad\ndescription: 'x\n---\n", "frontmatter-yaml-invalid", 3, 14),
    "bracket never closed": ("---\nname: bad\ndescription: [x\n---\n", "frontmatter-yaml-invalid", 3, 14),
    "duplicate key": ("---\nname: bad\nname: bad\n---\n", "frontmatter-key-duplicate", 3, 1),
    "duplicate key within": ("---\nmetadata:\n  a: 1\n  b: 2\n  a: 3\n---\n", "frontmatter-key-duplicate", 5, 3),
    "anchor": ("---\nname: bad\ndescription: &a x\n---\n", "frontmatter-anchor", 3, 14),
    "alias": ("---\nname: bad\ndescription: *a\n---\n", "frontmatter-anchor", 3, 14),
    "tag": ("---\nname: bad\ndescription: !!str x\n---\n", "frontmatter-anchor", 3, 14),
    "not a mapping": ("---\n- name\n---\n", "frontmatter-invalid", 2, 1),
    "never closed": ("---\nname: bad\n\n# Text\n", "frontmatter-invalid", 1, 1),
    "none": ("# Text\n\nname: bad\n", "frontmatter-invalid", 1, 1),
    "empty": ("", "frontmatter-invalid", 1, 1),
}
FORMS: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "mark": lambda text: BOM + text,
    "mark and CRLF": lambda text: BOM + text.replace("\n", "\r\n"),
    "no last line end": lambda text: text.rstrip("\n"),
    "mark, CRLF, no last line end": lambda text: BOM + text.rstrip("\n").replace("\n", "\r\n"),
}


def source(tree: Tree, name: str, data: bytes) -> Path:
    root = tree(SOURCE)
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_bytes(data)
    return root


@each_row("form", FORMS)
@each_row("problem", PROBLEMS)
def test_a_problem_of_a_skill(tree: Tree, problem: str, form: str) -> None:
    text, rule, line, column = PROBLEMS[problem]
    root = source(tree, ".skills/bad/SKILL.md", FORMS[form](text).encode("utf-8", "surrogateescape"))
    found = [(f.rule, f.line, f.column) for f in findings(root) if f.path.endswith("bad/SKILL.md")]
    # Of what is no text, no more is said.
    is_marked = form.startswith("mark") and rule != "document-encoding-invalid"
    marks = [("byte-order-mark", 1, 1)] if is_marked else []
    assert sorted(found) == sorted([(rule, line, column), *marks])
    # It hides nothing of its neighbour.
    assert places(root, "frontmatter-invalid")[-1] == ".skills/good/SKILL.md:1:1"


@each_row("form", FORMS)
def test_a_problem_of_a_block_in_a_context(tree: Tree, form: str) -> None:
    text = "# Context\n\n```yaml\ndependencies:\n  - name: ä\n  - name: &x b\n```\n"
    root = tree({"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    (root / "CONTEXT.md").write_bytes(FORMS[form](text).encode())
    assert places(root, "context-block-invalid") == ["CONTEXT.md:6:11"]


@each_row("form", FORMS)
def test_a_byte_that_is_no_text_in_any_document(tree: Tree, form: str) -> None:
    data = FORMS[form]("ä\nb ä\udcfe x\n").encode("utf-8", "surrogateescape")
    names = ["SKILLBAG.md", "AGENTS.md", "CONTEXT.md", "USER_CONTEXT.md", ".skills/SKILLS.md"]
    root = tree({".skills/good/SKILL.md": "no front matter\n", ".skills/good/references/x.md": ""})
    for name in names:
        (root / name).write_bytes(data)
    assert sorted(places(root, "document-encoding-invalid")) == sorted(f"{name}:2:4" for name in names)
    (root / ".skills/good/references/x.md").write_bytes(data)
    assert places(root, "resource-unreadable") == [".skills/good/references/x.md:2:4"]
    assert places(root, "frontmatter-invalid") == [".skills/good/SKILL.md:1:1"]


DOCUMENTS = ["SKILLBAG.md", "AGENTS.md", "CONTEXT.md", "USER_CONTEXT.md", ".skills/SKILLS.md", ".skills/good/SKILL.md"]


def workspace(tree: Tree, without: str) -> Path:
    files = dict.fromkeys(DOCUMENTS, "x\n")
    files |= {".skills/good/SKILL.md": skill("good"), ".skills/bad/SKILL.md": "x\n"}
    return tree({name: text for name, text in files.items() if name != without})


def unread(root: Path) -> list[tuple[str, str]]:
    return [(os.path.relpath(f.path, root), f.message) for f in findings(root, "document-unreadable")]


@each_row("name", DOCUMENTS)
def test_a_folder_in_the_place_of_a_document(tree: Tree, name: str) -> None:
    root = workspace(tree, name)
    (root / name).mkdir(parents=True)
    (root / name / "inside.md").write_text("x\n")
    assert unread(root) == [(name, "The file cannot be read: a folder stands in its place")]
    assert ".skills/bad/SKILL.md:1:1" in places(root, "frontmatter-invalid")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_link_out_of_the_workspace(tree: Tree, tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "x.md"
    elsewhere.write_text(skill("good"))
    root = workspace(tree, name)
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).symlink_to(elsewhere)
    assert unread(root) == [(name, "The file cannot be read: it is a link that leaves the tree")]
    assert ".skills/bad/SKILL.md:1:1" in places(root, "frontmatter-invalid")


@each_row("name", DOCUMENTS)
def test_a_link_that_leads_nowhere(tree: Tree, name: str) -> None:
    root = workspace(tree, name)
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).symlink_to("nowhere")
    found = {place for place in places(root) if place.startswith(name)}
    assert f"{name}:1:1" in found
    assert ".skills/bad/SKILL.md:1:1" in places(root, "frontmatter-invalid")


@each_row("name", DOCUMENTS)
def test_more_than_a_mebibyte(tree: Tree, name: str) -> None:
    root = workspace(tree, name)
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_bytes(b"x" * ((1 << 20) + 1))
    assert unread(root) == [(name, "The file cannot be read: it is larger than 1 MiB")]
    assert ".skills/bad/SKILL.md:1:1" in places(root, "frontmatter-invalid")


LOOPS = ["SKILLBAG.md", "AGENTS.md", ".skills/SKILLS.md", ".skills/loop", ".skills/good/SKILL.md", ".skills/good/x.md"]


@each_row("name", LOOPS)
def test_a_link_to_itself(tree: Tree, name: str) -> None:
    root = workspace(tree, name)
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).symlink_to(os.path.basename(name))
    assert ".skills/bad/SKILL.md:1:1" in places(root)


def test_a_link_to_itself_among_plain_skills(tree: Tree) -> None:
    root = tree({"skills/a/SKILL.md": "no front matter\n"})
    (root / "skills/loop").symlink_to("loop")
    assert places(root, "frontmatter-invalid") == ["skills/a/SKILL.md:1:1"]
