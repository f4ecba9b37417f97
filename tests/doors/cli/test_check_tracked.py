"""What git tracks where `check` does not look: it is reported, or named, though nobody looks into such folders."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.doors.cli.test_check_every_skill import HARMFUL, found, not_judged
from tests.doors.cli.test_check_targets import report
from tests.support import Run, Tree, skill

KEPT = "backup/tidy-1/SKILL.md"
PLAIN = {"skills/a/SKILL.md": skill("a")}
WORKSPACE = {
    "SKILLBAG.md": "SkillBag v0.3.0\n",
    ".skills/SKILLS.md": "a: Tidy a folder. Use when files lie about.\n",
    ".skills/a/SKILL.md": skill("a"),
}
STORES = [
    (WORKSPACE, ".skillbag"),
    (WORKSPACE, ".skills/.skillbag"),
    (WORKSPACE, ".skills/a/.skillbag"),
    (PLAIN, ".skillbag"),
    (PLAIN, "skills/.skillbag"),
    (PLAIN, "skills/a/.skillbag"),
    (PLAIN, "docs/it's/.skillbag"),
]


def commit(root: Path, *options: str) -> None:
    for command in (["init", "-q"], [*options, "add", "-Af"]):
        subprocess.run(["git", "-C", root, *command], check=True)


@pytest.mark.parametrize(("files", "store"), STORES)
def test_a_tracked_store_is_an_error_wherever_it_is(tree: Tree, run: Run, files: dict[str, str], store: str) -> None:
    root = tree({**files, f"{store}/{KEPT}": "Old.\n"})
    assert found(report(run, root), "store-foreign") == []
    commit(root)
    for _ in range(2):  # what is remembered says the same
        assert found(report(run, root), "store-foreign") == [("store-foreign", store)]
    (root / store / KEPT).unlink()
    for folder in ("backup/tidy-1", "backup", ""):
        (root / store / folder).rmdir()
    assert found(report(run, root), "store-foreign") == [("store-foreign", store)]


@pytest.mark.parametrize("option", ["index.version=4", "core.splitIndex=true"])
def test_a_tracked_store_is_seen_in_any_form_of_index(tree: Tree, run: Run, option: str) -> None:
    root = tree({**PLAIN, "skills/.skillbab/x": "X.\n", f"skills/.skillbag/{KEPT}": "Old.\n"})
    commit(root, "-c", option)
    assert found(report(run, root), "store-foreign") == [("store-foreign", "skills/.skillbag")]


@pytest.mark.parametrize("folder", ["node_modules", "__pycache__", ".venv/lib", "docs/node_modules", ".claude/.venv"])
def test_a_tracked_skill_in_a_folder_of_dependencies_is_named_and_searched(tree: Tree, run: Run, folder: str) -> None:
    path = f"{folder}/x/SKILL.md"
    root = tree({**PLAIN, path: HARMFUL})
    assert not_judged(report(run, root)) == {}
    commit(root)
    for options in ([], ["--staged"]):
        value = report(run, root, *options)
        assert not_judged(value) == {path: PRUNED}
        assert found(value, "encoded-payload") == [("encoded-payload", path)]


PRUNED = "git tracks it in a folder for dependencies and caches, where only security rules judge"


@pytest.mark.parametrize("name", ["SKILL.MD", "skill.md"])
def test_a_skill_file_in_other_letters_is_named(tree: Tree, run: Run, name: str) -> None:
    root = tree({**PLAIN, f"b/{name}": HARMFUL})
    value = report(run, root)
    assert found(value, "encoded-payload") == [("encoded-payload", f"b/{name}")]
    assert not_judged(value) == {
        f"b/{name}": "agents look for SKILL.md, in these letters; only security rules judge it",
        "b/SKILL.md": f"the file is named {name}",
    }
