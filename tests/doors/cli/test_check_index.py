"""`check --staged` judges git's index, whatever is in the working tree."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.supply.sources.repositories import committed, git
from tests.support import Run, Tree, skill

BROKEN = "no front matter\n"
LINKED = skill("new") + "\nSee [the guide](guide.md).\n"


def found(run: Run, root: Path, *arguments: object) -> list[str]:
    """`rule path` of each finding, the same with and without a cache."""
    given = ("check", "--staged", "--format", "json", *arguments)
    outcomes = [run(*given, *more, cwd=root) for more in ((), ("--config=cache=false",), ())]
    assert outcomes[0].out, outcomes[0].err
    assert len({outcome.out for outcome in outcomes}) == 1
    return [f"{each['rule']} {each['path']}" for each in json.loads(outcomes[0].out)["findings"]]


@pytest.fixture
def root(tree: Tree) -> Path:
    """A repository with two committed skills, of which `old` is broken."""
    return committed(
        tree({"skills/old/SKILL.md": BROKEN, "skills/new/SKILL.md": skill("new"), ".gitignore": "ignored*\n"})
    )


def write(root: Path, text: str, name: str = "new/SKILL.md") -> Path:
    path = root / "skills" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def stage(root: Path, text: str, name: str = "new/SKILL.md") -> Path:
    path = write(root, text, name)
    git(root, "add", "-f", str(path))
    return path


def mended_after(root: Path) -> None:
    stage(root, BROKEN)
    write(root, skill("new"))


def broken_after(root: Path) -> None:
    stage(root, skill("new") + "\nMore.\n")
    write(root, BROKEN)


def deleted_after(root: Path) -> None:
    stage(root, skill("new") + "\nMore.\n").unlink()


def broken_and_deleted_after(root: Path) -> None:
    stage(root, BROKEN)
    (root / "skills/new/SKILL.md").unlink()
    (root / "skills/new").rmdir()


def only_a_part_is_staged(root: Path) -> None:
    stage(root, LINKED)
    write(root, skill("new"))
    write(root, "# Guide\n", "new/guide.md")


def an_untracked_file_is_missing(root: Path) -> None:
    stage(root, LINKED)
    write(root, "# Guide\n", "new/guide.md")


def an_intended_file_is_missing(root: Path) -> None:
    an_untracked_file_is_missing(root)
    git(root, "add", "--intent-to-add", "skills/new/guide.md")


def an_ignored_file_is_there(root: Path) -> None:
    stage(root, LINKED.replace("guide.md", "ignored.md"))
    write(root, "# Guide\n", "new/ignored.md")


def an_untracked_skill_is_no_part_of_the_commit(root: Path) -> None:
    stage(root, skill("new") + "\nMore.\n")
    write(root, BROKEN, "next/SKILL.md")


def a_rename_is_undone_on_the_disk(root: Path) -> None:
    git(root, "mv", "skills/new", "skills/next")
    (root / "skills/next").rename(root / "skills/new")


def removed_from_the_index_alone(root: Path) -> None:
    stage(root, LINKED)
    stage(root, "# Guide\n", "new/guide.md")
    git(root, "commit", "-qm", "guide")
    git(root, "rm", "-q", "--cached", "skills/new/guide.md")


def a_link_becomes_a_file(root: Path) -> None:
    stage(root, LINKED)
    guide = root / "skills/new/guide.md"
    guide.symlink_to("/etc/passwd")
    git(root, "add", ".")
    guide.unlink()
    guide.write_text("# Guide\n")


def line_ends_are_converted(root: Path) -> None:
    git(root, "config", "core.autocrlf", "true")
    stage(root, skill("new") + "\nMore.\n")
    (root / "skills/new/SKILL.md").write_bytes((skill("new") + "\nMore.\n").replace("\n", "\r\n").encode())


def a_configuration_is_broken_after(root: Path) -> None:
    stage(root, BROKEN)
    (root / "skillbag.toml").write_text("select = [\n")


def a_configuration_is_not_staged(root: Path) -> None:
    stage(root, BROKEN)
    (root / "skillbag.toml").write_text('ignore = ["frontmatter-invalid"]\n')


def a_staged_configuration_counts(root: Path) -> None:
    stage(root, BROKEN)
    (root / "skillbag.toml").write_text('ignore = ["frontmatter-invalid"]\n')
    git(root, "add", ".")
    (root / "skillbag.toml").unlink()


CASES: list[tuple[Callable[[Path], None], list[str]]] = [
    (mended_after, ["frontmatter-invalid skills/new/SKILL.md"]),
    (broken_after, []),
    (deleted_after, []),
    (broken_and_deleted_after, ["frontmatter-invalid skills/new/SKILL.md"]),
    (only_a_part_is_staged, ["link-broken skills/new/SKILL.md"]),
    (an_untracked_file_is_missing, ["link-broken skills/new/SKILL.md"]),
    (an_intended_file_is_missing, ["link-broken skills/new/SKILL.md"]),
    (an_ignored_file_is_there, []),
    (an_untracked_skill_is_no_part_of_the_commit, []),
    (a_rename_is_undone_on_the_disk, ["name-folder-mismatch skills/next/SKILL.md"]),
    (removed_from_the_index_alone, ["link-broken skills/new/SKILL.md"]),
    (a_link_becomes_a_file, ["symlink-outside skills/new/guide.md"]),
    (line_ends_are_converted, []),
    (a_configuration_is_broken_after, ["frontmatter-invalid skills/new/SKILL.md"]),
    (a_configuration_is_not_staged, ["frontmatter-invalid skills/new/SKILL.md"]),
    (a_staged_configuration_counts, []),
]


@pytest.mark.parametrize(("change", "findings"), CASES)
def test_the_index_is_judged(run: Run, root: Path, change: Callable[[Path], None], findings: list[str]) -> None:
    change(root)
    assert found(run, root) == findings


def test_the_same_for_a_path_that_is_only_in_the_index(run: Run, root: Path) -> None:
    broken_and_deleted_after(root)
    assert found(run, root, "skills/new/SKILL.md") == ["frontmatter-invalid skills/new/SKILL.md"]


def test_a_submodule_is_judged_as_it_is_checked_out(run: Run, root: Path, tree: Tree) -> None:
    inner = tree({"inner/skills/a/SKILL.md": skill("a")}) / "inner"
    committed(inner)
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "skills/more")
    git(root, "commit", "-qm", "submodule")
    write(root, BROKEN, "more/skills/a/SKILL.md")
    stage(root, skill("new") + "\nMore.\n")
    assert found(run, root) == []


def test_reports_show_the_staged_lines(run: Run, root: Path) -> None:
    stage(root, skill("Staged_Name"))
    git(root, "commit", "-qm", "bad")
    committed = json.loads(run("check", "--format", "json", cwd=root).out)["findings"]
    git(root, "reset", "-q", "--soft", "HEAD~1")
    (root / "skills/new/SKILL.md").unlink()
    outcome = run("check", "--staged", cwd=root)
    assert (outcome.code, "name: Staged_Name" in outcome.out) == (1, True)
    staged = json.loads(run("check", "--staged", "--format", "json", cwd=root).out)["findings"]
    assert staged == [each for each in committed if each["path"].startswith("skills/new")]


def test_timing_measures_a_check_of_the_index(run: Run, root: Path) -> None:
    mended_after(root)
    assert run("check", "--staged", "--config=timing=true", cwd=root).code == 1


def test_a_commit_of_all_files_has_an_index_of_its_own(run: Run, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, BROKEN)
    index = root / ".git/index.other"
    index.write_bytes((root / ".git/index").read_bytes())
    git(root, "add", "-u", env={"GIT_INDEX_FILE": str(index)})
    assert found(run, root) == []
    monkeypatch.setenv("GIT_INDEX_FILE", str(index))
    assert found(run, root) == ["frontmatter-invalid skills/new/SKILL.md"]


def test_files_in_conflict_are_judged_as_they_are(run: Run, root: Path) -> None:
    git(root, "switch", "-qc", "other")
    stage(root, skill("new") + "\nOne.\n")
    git(root, "commit", "-qm", "one")
    git(root, "switch", "-q", "-")
    stage(root, skill("new") + "\nTwo.\n")
    git(root, "commit", "-qm", "two")
    with pytest.raises(AssertionError):
        git(root, "merge", "-q", "other")
    write(root, BROKEN)
    assert found(run, root) == ["frontmatter-invalid skills/new/SKILL.md"]


def test_a_check_of_the_index_writes_nothing(run: Run, root: Path) -> None:
    mended_after(root)
    outcome = run("check", "--staged", "--fix", cwd=root)
    assert (outcome.code, "--staged goes with neither --fix" in outcome.err) == (2, True)
