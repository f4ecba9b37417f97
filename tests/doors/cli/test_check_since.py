"""`check --changed-since`: findings in what changed, and what the changes broke elsewhere."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.supply.sources.repositories import git
from tests.support import Run, Tree, skill

BROKEN = "no front matter\n"
LINKED = skill("reader") + "\nSee [the guide](../writer/references/guide.md).\n"
WORKSPACE = {
    "SKILLBAG.md": "SkillBag v0.3.0\n",
    ".skills/SKILLS.md": "one: Do one.\ntwo: Do two.\n",
    ".skills/one/SKILL.md": skill("one", "Do one."),
    ".skills/two/SKILL.md": skill("two", "Do two."),
}


def found(run: Run, root: Path, ref: str, *arguments: object) -> list[str]:
    """`rule path` of each finding that a change since `ref` is charged with, the same with and without a cache."""
    given = ("check", "--changed-since", ref, "--format", "json", *arguments)
    outcomes = [run(*given, *more, cwd=root) for more in ((), ("--config=cache=false",), ())]
    assert outcomes[0].out, outcomes[0].err
    assert len({outcome.out for outcome in outcomes}) == 1
    return [f"{each['rule']} {each['path']}" for each in json.loads(outcomes[0].out)["findings"]]


def commit(root: Path, message: str = "more") -> None:
    git(root, "add", "-A")
    git(root, "commit", "-qm", message)


@pytest.fixture
def root(tree: Tree) -> Path:
    """A repository on the branch `topic` of `main`: a broken skill, one that reads a file of another, and that one."""
    files = {
        "skills/old/SKILL.md": BROKEN,
        "skills/reader/SKILL.md": LINKED,
        "skills/writer/SKILL.md": skill("writer"),
        "skills/writer/references/guide.md": "# Guide\n",
        ".gitignore": "ignored/\n",
    }
    return begun(tree(files))


def begun(root: Path) -> Path:
    git(root, "init", "-q", "-b", "main")
    commit(root, "begin")
    git(root, "switch", "-qc", "topic")
    return root


def test_what_was_wrong_before_is_left_out(run: Run, root: Path) -> None:
    assert found(run, root, "main") == []
    (root / "skills/writer/SKILL.md").write_text(skill("writer") + "\nMore.\n")
    assert found(run, root, "main") == []
    assert run("check", cwd=root).code == 1


def test_committed_staged_unstaged_and_untracked_changes_count(run: Run, root: Path) -> None:
    for step in (lambda: None, lambda: git(root, "add", "."), lambda: commit(root)):
        (root / "skills/new").mkdir(exist_ok=True)
        (root / "skills/new/SKILL.md").write_text(BROKEN)
        step()
        assert found(run, root, "main") == ["frontmatter-invalid skills/new/SKILL.md"]
    (root / "skills/new/SKILL.md").write_text(skill("new"))
    assert found(run, root, "main") == []


def test_ignored_files_do_not_count(run: Run, root: Path) -> None:
    (root / "skills/old/ignored").mkdir()
    (root / "skills/old/ignored/notes.md").write_text("# Notes\n")
    assert found(run, root, "main") == []


def test_a_changed_skill_counts_as_a_whole(run: Run, root: Path) -> None:
    (root / "skills/old/notes.md").write_text("# Notes\n")
    assert found(run, root, "main") == ["frontmatter-invalid skills/old/SKILL.md"]


def test_only_what_changed_on_this_side_of_the_merge_base(run: Run, root: Path) -> None:
    git(root, "switch", "-q", "main")
    (root / "skills/writer/SKILL.md").write_text(BROKEN)
    commit(root)
    git(root, "switch", "-q", "topic")
    assert found(run, root, "main") == []


@pytest.mark.parametrize("change", ["delete", "delete the skill", "rename the skill"])
def test_a_link_that_the_change_breaks_in_an_unchanged_skill(run: Run, root: Path, change: str) -> None:
    writer = root / "skills/writer"
    if change == "delete":
        (writer / "references/guide.md").unlink()
    elif change == "rename the skill":
        writer.rename(root / "skills/author")
        (root / "skills/author/SKILL.md").write_text(skill("author"))
    else:
        git(root, "rm", "-qr", "skills/writer")
    broken = "link-broken skills/reader/SKILL.md"
    assert found(run, root, "main") == [broken]
    commit(root)
    assert found(run, root, "main") == [broken]
    assert found(run, root, "HEAD") == []
    assert found(run, root, git(root, "rev-parse", "main").strip()) == [broken]


def test_a_link_that_was_broken_before_stays_left_out(run: Run, root: Path) -> None:
    (root / "skills/writer/references/guide.md").unlink()
    commit(root)
    (root / "skills/writer/references/other.md").parent.mkdir(exist_ok=True)
    (root / "skills/writer/references/other.md").write_text("# Other\n")
    assert "link-broken skills/reader/SKILL.md" not in found(run, root, "HEAD")


def test_the_catalog_is_charged_with_what_changed(run: Run, tree: Tree) -> None:
    root = begun(tree(WORKSPACE))
    assert found(run, root, "main") == []
    git(root, "rm", "-qr", ".skills/two")
    assert [name for name in found(run, root, "main") if name.startswith("catalog")] == [
        "catalog-entry-unknown .skills/SKILLS.md"
    ]


def test_catalog_faults_of_before_are_left_out(run: Run, tree: Tree) -> None:
    root = begun(tree({**WORKSPACE, ".skills/SKILLS.md": "one: Do one.\n"}))
    (root / ".skills/one/notes.md").write_text("# Notes\n")
    assert found(run, root, "main") == []


def test_a_name_that_becomes_a_duplicate_is_reported_where_it_was(run: Run, tree: Tree) -> None:
    root = begun(tree({"a/skills/one/SKILL.md": skill("one"), "b/skills/two/SKILL.md": skill("two")}))
    (root / "b/skills/two").rename(root / "b/skills/one")
    (root / "b/skills/one/SKILL.md").write_text(skill("one"))
    everything = [
        f"{each['rule']} {each['path']}"
        for each in json.loads(run("check", "--format", "json", cwd=root).out)["findings"]
    ]
    assert found(run, root, "main") == everything


def test_a_changed_configuration_is_charged_with_what_it_adds(run: Run, root: Path) -> None:
    (root / "skillbag.toml").write_text('ignore = ["frontmatter-invalid"]\n')
    commit(root)
    assert found(run, root, "main") == []
    (root / "skillbag.toml").unlink()
    assert found(run, root, "HEAD") == ["frontmatter-invalid skills/old/SKILL.md"]
    assert found(run, root, "main") == []


RULE = """
id: team-subfolders
level: warning
targets: [workspace, source, skills]
check: other-folder
options:
  folders: [references]
summary: A skill's folders are references/.
message: "`{folder}/` is not a folder that we use"
why: Reviewers look there only.
examples:
  pass:
    - files: {skills/tidy/SKILL.md: "---\\nname: tidy\\ndescription: Tidy a folder.\\n---\\n"}
  fail:
    - files: {skills/tidy/SKILL.md: "---\\nname: tidy\\ndescription: Tidy.\\n---\\n", skills/tidy/notes/a.md: "A.\\n"}
      expect: ["skills/tidy/notes:1"]
"""


def test_a_changed_rule_of_a_team_is_charged_with_what_it_adds(run: Run, root: Path) -> None:
    for name in ("writer/notes", "reader/assets"):
        (root / f"skills/{name}").mkdir()
        (root / f"skills/{name}/a.txt").write_text("A.\n")
    (root / "team").mkdir()
    (root / "team/team-subfolders.yaml").write_text(RULE.replace("[references]", "[references, assets]"))
    (root / "skillbag.toml").write_text('rules = ["team"]\n')
    commit(root)
    assert found(run, root, "HEAD") == []
    (root / "team/team-subfolders.yaml").write_text(RULE)
    assert found(run, root, "HEAD") == ["team-subfolders skills/reader/assets"]


def test_a_changed_mode(run: Run, root: Path) -> None:
    (root / "skills/old/SKILL.md").chmod(0o755)
    assert found(run, root, "main") == ["frontmatter-invalid skills/old/SKILL.md"]


def test_names_with_odd_bytes(run: Run, root: Path) -> None:
    for name in (b"sp ace", b"new\nline", b"\xff\xfe", b'"quoted"', "ümlaut".encode(), b"H 120000 x 0\ty"):
        folder = os.path.join(os.fsencode(root / "skills"), name)
        os.mkdir(folder)
        Path(os.fsdecode(folder), "SKILL.md").write_text(BROKEN)
    assert len([each for each in found(run, root, "main") if each.startswith("frontmatter-invalid")]) == 6


def test_from_a_folder_below_and_through_a_link(run: Run, root: Path, tmp_path: Path) -> None:
    (root / "skills/writer/references/guide.md").unlink()
    assert found(run, root / "skills/reader", "main") == ["link-broken SKILL.md"]
    link = tmp_path.parent / f"{tmp_path.name}-link"
    link.symlink_to(root)
    assert found(run, link, "main") == ["link-broken skills/reader/SKILL.md"]
    assert found(run, tmp_path.parent, "main", link) == [f"link-broken {link.name}/skills/reader/SKILL.md"]


def test_what_a_link_leads_to_counts(run: Run, root: Path) -> None:
    (root / "shared").mkdir()
    (root / "shared/a.md").write_text("# A\n")
    (root / "skills/reader/docs").symlink_to("../../shared")
    (root / "skills/reader/SKILL.md").write_text(skill("reader") + "\nSee [a](docs/a.md).\n")
    commit(root)
    (root / "shared/a.md").rename(root / "shared/b.md")
    assert found(run, root, "HEAD") == ["link-broken skills/reader/SKILL.md"]


def test_a_linked_worktree(run: Run, root: Path, tmp_path: Path) -> None:
    other = tmp_path.parent / f"{tmp_path.name}-worktree"
    git(root, "worktree", "add", "-q", "-b", "other", str(other), "main")
    (other / "skills/writer/references/guide.md").unlink()
    assert found(run, other, "main") == ["link-broken skills/reader/SKILL.md"]


def test_a_repository_within_counts_as_changed(run: Run, root: Path) -> None:
    inner = root / "skills/inner"
    inner.mkdir()
    (inner / "SKILL.md").write_text(BROKEN)
    git(inner, "init", "-q")
    assert found(run, root, "main") == ["frontmatter-invalid skills/inner/SKILL.md"]
