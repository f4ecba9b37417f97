"""What can't be read is one finding, in its place, and hides nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.lint.checks.rule_runs import findings, messages, places
from tests.support import Tree, skill

AGENTS = "A SKILLBAG source. Skills live under `.skills/`. No extra installation steps.\n"


@pytest.fixture
def source(tree: Tree) -> Path:
    catalog = "bad: A bad one.\ngood: Tidy a folder. Use when files lie about.\n"
    return tree({"AGENTS.md": AGENTS, ".skills/SKILLS.md": catalog, ".skills/good/SKILL.md": skill("good")})


@pytest.mark.parametrize(
    ("text", "rule", "place"),
    [
        (b"---\nname: bad\ndescription: caf\xe9\n---\n", "document-encoding-invalid", "3:17"),
        (b"---\nname: bad\ndescription: a: b\n---\n", "frontmatter-yaml-invalid", "3:15"),
        (b"---\nname: bad\n? [a]\n: b\n---\n", "frontmatter-yaml-invalid", "3:3"),
        (b"---\nname: bad\nname: bad\n---\n", "frontmatter-key-duplicate", "3:1"),
        (b"---\nname: &a bad\ndescription: *a\n---\n", "frontmatter-anchor", "2:7"),
        (b"---\nname: !!str bad\n---\n", "frontmatter-anchor", "2:7"),
        (b"---\nname: bad\n", "frontmatter-invalid", "1:1"),
        (b"---\r\n- name\r\n---\r\n", "frontmatter-invalid", "2:1"),
        (b"", "frontmatter-invalid", "1:1"),
        (b"x" * (1 << 20) + b"y", "document-unreadable", "1:1"),
    ],
)
def test_a_bad_skill_is_one_finding(source: Path, text: bytes, rule: str, place: str) -> None:
    (source / ".skills/bad").mkdir()
    (source / ".skills/bad/SKILL.md").write_bytes(text)
    found = findings(source)
    assert [(f.rule, f"{f.line}:{f.column}", os.path.relpath(f.path, source)) for f in found] == [
        (rule, place, ".skills/bad/SKILL.md")
    ]


def test_a_link_out_of_the_tree(source: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "SKILL.md"
    elsewhere.write_text(skill("bad"))
    (source / ".skills/bad").mkdir()
    (source / ".skills/bad/SKILL.md").symlink_to(elsewhere)
    assert places(source, "document-unreadable") == [".skills/bad/SKILL.md:1:1"]


def test_a_pipe_does_not_block(source: Path) -> None:
    (source / ".skills/bad").mkdir()
    os.mkfifo(source / ".skills/bad/SKILL.md")
    assert messages(source, "document-unreadable") == ["The file cannot be read: it is not a regular file"]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may open everything")
@pytest.mark.parametrize("name", [".skills/good/SKILL.md", ".skills/good", ".skills", ".skills/SKILLS.md", "AGENTS.md"])
def test_without_permission(source: Path, name: str) -> None:
    (source / ".skills/SKILLS.md").write_text("good: Tidy a folder. Use when files lie about.\n")
    mode = (source / name).stat().st_mode
    (source / name).chmod(0)
    try:
        assert {f.rule for f in findings(source, "document-unreadable")} == {"document-unreadable"}
    finally:
        (source / name).chmod(mode)


def test_an_unreadable_catalog_has_no_findings_about_its_lines(source: Path) -> None:
    (source / ".skills/SKILLS.md").write_bytes(b"\xff")
    assert [finding.rule for finding in findings(source)] == ["document-encoding-invalid"]


def test_blocks_of_both_contexts(tree: Tree) -> None:
    block = "```yaml\n{}\n```\n"
    root = tree(
        {
            "SKILLBAG.md": "SkillBag v0.3.0\n",
            "CONTEXT.md": block.format("overrides:\n  a: 1\n  a: 2") + block.format("on: &a 1"),
            "USER_CONTEXT.md": block.format("tags: &all [a]") + block.format("shown:\n  tags: &all [a]"),
        }
    )
    assert places(root, "context-block-invalid") == ["CONTEXT.md:4:3", "USER_CONTEXT.md:2:7", "USER_CONTEXT.md:6:9"]


def test_a_broken_link_says_whether_its_target_is_one_as_well(source: Path) -> None:
    (source / ".skills/good/first").symlink_to("second")
    (source / ".skills/good/second").symlink_to("third")
    assert messages(source, "symlink-dangling") == [
        "The link `first` leads to nothing: `second` is a broken link, too",
        "The link `second` leads to nothing: `third` does not exist",
    ]


def test_a_skill_file_that_is_a_link_to_nothing_is_one_finding(tree: Tree) -> None:
    root = tree({"skills/a/SKILL.md": skill("a"), "skills/b/references/x.md": "x\n"})
    (root / "skills/b/SKILL.md").symlink_to("../../lib/b/SKILL.md")
    (root / "skills/c").symlink_to("../lib/c")
    found = [(finding.rule, Path(finding.path).relative_to(root).as_posix()) for finding in findings(root)]
    assert sorted(found) == [("document-unreadable", "skills/b/SKILL.md"), ("skill-link-broken", "skills/c")]
