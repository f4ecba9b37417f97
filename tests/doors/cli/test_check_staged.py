"""`check --staged`: what the next commit touches, and what it does to the whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.rows import each_row
from tests.supply.sources.repositories import committed, git
from tests.support import Run, Tree, skill

BROKEN = "no front matter\n"


def places(run: Run, root: Path, *arguments: object) -> tuple[int, list[str]]:
    """The exit code, and `rule path` of each finding."""
    outcome = run("check", "--staged", "--format", "json", *arguments, cwd=root)
    assert outcome.out, outcome.err
    return outcome.code, [f"{found['rule']} {found['path']}" for found in json.loads(outcome.out)["findings"]]


@pytest.fixture
def root(tree: Tree) -> Path:
    """A repository with a committed skill that is broken, and one that is not."""
    return committed(
        tree({"skills/old/SKILL.md": BROKEN, "skills/new/SKILL.md": skill("new"), "README.md": "# Skills\n"})
    )


def test_what_was_wrong_before_does_not_stop_a_commit(run: Run, root: Path) -> None:
    (root / "skills/new/SKILL.md").write_text(skill("new") + "\nMore.\n")
    git(root, "add", ".")
    assert places(run, root) == (0, [])
    assert run("check", "--quiet", cwd=root).code == 1


def test_what_is_staged_is_judged(run: Run, root: Path) -> None:
    (root / "skills/new/SKILL.md").write_text(BROKEN)
    assert places(run, root) == (0, [])
    git(root, "add", ".")
    assert places(run, root) == (1, ["frontmatter-invalid skills/new/SKILL.md"])


def test_a_skill_is_judged_when_any_file_of_it_is_staged(run: Run, root: Path) -> None:
    (root / "skills/old/scripts").mkdir()
    (root / "skills/old/scripts/run.py").write_text("print(1)\n")
    git(root, "add", ".")
    assert places(run, root) == (1, ["frontmatter-invalid skills/old/SKILL.md"])


def test_a_deleted_file_counts(run: Run, root: Path) -> None:
    (root / "skills/new/references").mkdir()
    (root / "skills/new/references/guide.md").write_text("# Guide\n")
    (root / "skills/new/SKILL.md").write_text(skill("new") + "\nSee [the guide](references/guide.md).\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "guide")
    git(root, "rm", "-q", "skills/new/references/guide.md")
    assert places(run, root)[1] == ["link-broken skills/new/SKILL.md"]


def test_what_the_commit_breaks_in_the_whole_counts(run: Run, tree: Tree) -> None:
    root = committed(tree({"SKILLBAG.md": "SkillBag v0.3.0\n", "notes.md": "x\n"}))
    (root / ".skills/a").mkdir(parents=True)
    (root / ".skills/a/SKILL.md").write_text(skill("a"))
    (root / "notes.md").write_text("y\n")
    git(root, "add", "notes.md")
    assert places(run, root) == (0, [])
    git(root, "add", ".")
    assert "catalog-missing .skills/SKILLS.md" in places(run, root)[1]


def test_nothing_staged_is_nothing_to_complain_of(run: Run, root: Path) -> None:
    assert places(run, root) == (0, [])


def test_without_a_repository_there_is_nothing_staged(run: Run, tree: Tree) -> None:
    outcome = run("check", "--staged", cwd=tree({"skills/a/SKILL.md": skill("a")}))
    assert outcome.code == 2
    assert "--staged" in outcome.err
    assert "git" in outcome.err


def test_the_same_from_a_folder_below_and_through_a_link(run: Run, root: Path, tmp_path: Path) -> None:
    (root / "skills/new/SKILL.md").write_text(BROKEN)
    git(root, "add", ".")
    for cwd in (root / "skills", root / "skills/new"):
        assert places(run, cwd, root)[0] == 1
    link = tmp_path.parent / f"{tmp_path.name}-link"
    link.symlink_to(root)
    assert places(run, link)[0] == 1


KEY = "gh" + "p_" + "Zk3Qw8Rt1Yp6Ls9Dv4Bn7Mx2Hc5Jg0FaTe8U"
GUIDE = "skills/new/references/guide.md"
BAD, GOOD = f"# Guide\n\nUse {KEY}.\n", "# Guide\n\nUse it.\n"


@pytest.fixture
def linked(tree: Tree) -> Path:
    """A repository with a committed skill that links to a file of its own."""
    text = skill("new") + "\nSee [the guide](references/guide.md).\n"
    return committed(tree({"skills/new/SKILL.md": text, GUIDE: "# Guide\n"}))


@each_row(
    ("staged", "on_disk", "found"),
    [
        (BAD, GOOD, [f"secret {GUIDE}"]),
        (GOOD, BAD, []),
        (BAD, "# Top\n\n" + GOOD, [f"secret {GUIDE}"]),
        (BAD, None, [f"secret {GUIDE}"]),
        (None, GOOD, ["link-broken skills/new/SKILL.md"]),
        (None, None, ["link-broken skills/new/SKILL.md"]),
    ],
)
def test_the_index_is_judged_and_not_the_disk(
    run: Run, linked: Path, staged: str | None, on_disk: str | None, found: list[str]
) -> None:
    for eol in ("lf", "crlf"):
        (linked / ".gitattributes").write_text(f"*.md text eol={eol}\n")
        for text, keep in ((staged, ()), (on_disk, None)):
            (linked / GUIDE).unlink(missing_ok=True)
            if text is not None:
                (linked / GUIDE).write_text(text, newline="\r\n" if eol == "crlf" else "\n")
            if keep is not None:
                git(linked, "add", ".")
        assert places(run, linked)[1] == found


def test_a_file_that_is_only_intended_or_renamed_is_not_in_the_commit(run: Run, linked: Path) -> None:
    git(linked, "mv", GUIDE, GUIDE.replace("guide", "other"))
    assert places(run, linked)[1] == ["link-broken skills/new/SKILL.md"]
    (linked / GUIDE).write_text(BAD)
    git(linked, "add", "-N", GUIDE)
    assert places(run, linked)[1] == ["link-broken skills/new/SKILL.md"]
    git(linked, "add", GUIDE)
    assert places(run, linked)[1] == [f"secret {GUIDE}"]


def test_worktrees_and_submodules_have_an_index_of_their_own(
    run: Run, linked: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other, outer = tmp_path_factory.mktemp("other"), tmp_path_factory.mktemp("outer")
    git(outer, "init", "-q")
    git(linked, "worktree", "add", "-q", str(other))
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(linked), "inner")
    for place in (other, outer / "inner"):
        (place / GUIDE).write_text(BAD)
        git(place, "add", ".")
        (place / GUIDE).write_text(GOOD)
        assert places(run, place)[1] == [f"secret {GUIDE}"]
    assert places(run, linked)[1] == []


@each_row("ignored", ["# nothing\n", "skills/\n", ".env\nreferences\n"])
def test_ignore_files_that_are_not_staged_hide_nothing_of_the_commit(run: Run, linked: Path, ignored: str) -> None:
    (linked / GUIDE).write_text(BAD)
    (linked / ".env").write_text(f"A={KEY}\n")
    git(linked, "add", ".")
    (linked / ".gitignore").write_text(ignored)
    assert places(run, linked) == (1, ["secret .env", f"secret {GUIDE}"])
