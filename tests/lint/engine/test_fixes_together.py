"""Several fixes at once: many edits in one file, edits that meet, and what a fix leaves alone."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest
import yaml

from skillbag.kernel.model.findings import Edit, Finding, MakeExecutable, Rename, Severity, TextEdit, WriteFile
from skillbag.lint.engine.fixes import FixedFile, apply_changes, plan_fixes
from tests.support import Run, Tree, skill

HEAD = {"SKILLBAG.md": "SkillBag v0.3.0\n"}
MANY = (
    '---\n# keep me\nname: a   # the name\ndescription: It\'s "here". #run/always\nlicense: MIT\n'
    "metadata:\n  version: 1.10  # ours\n  released: 2024-01-01\n  ok: 'yes'\n"
    "dependencies:\n  - name: My_Other  # why\n    source: x\n  - {name: Other2}\n---\n\n"
    "Read it.  \n\tThen stop.\n\n## Dependencies\n\n```yaml\ndependencies:\n  - name: THIRD\n```\n\nend"
)


def snapshot(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_many_edits_in_one_file(tree: Tree, run: Run, newline: str, mark: str) -> None:
    text = mark + MANY.replace("\n", newline)
    names = ("my-other", "other2", "third")
    root = tree({**HEAD, ".skills/a/SKILL.md": text, **{f".skills/{n}/SKILL.md": skill(n) for n in names}})
    run("check", "--select=all", "--fix", root)
    fixed = snapshot(root)
    run("check", "--select=all", "--fix", root)
    assert snapshot(root) == fixed
    after = fixed[".skills/a/SKILL.md"].decode()
    pairs = zip(text.split(newline), after.split(newline), strict=True)
    assert [number for number, (old, new) in enumerate(pairs, 1) if old != new] == [4, 7, 8, 11, 13, 23]
    assert after.startswith(mark)
    values = yaml.safe_load(after.removeprefix(mark).split(f"---{newline}")[1])
    assert values["description"] == 'It\'s "here". #run/always'
    assert values["metadata"] == {"version": "1.10", "released": "2024-01-01", "ok": "yes"}
    assert [item["name"] for item in values["dependencies"]] == ["my-other", "other2"]
    assert "# the name" in after
    assert "# why" in after


def test_a_fix_and_its_diff_change_the_same_files(tree: Tree, run: Run) -> None:
    root = tree({**HEAD, ".skills/a/SKILL.md": MANY, ".skills/SKILLS.md": "z: x\n", ".gitignore": "*.log"})
    tree({".skills/b/SKILL.md": skill("b") + "\n```sh\n./scripts/x.sh\n```\n", ".skills/b/scripts/x.sh": "#!/bin/sh\n"})
    before = snapshot(root)
    diff = run("check", "--format=diff", "--select=all", cwd=root).out
    assert snapshot(root) == before
    assert "new mode 100755" in diff
    assert run("check", "--fix", "--select=all", cwd=root).err != ""
    changed = {name for name, data in snapshot(root).items() if data != before[name]}
    assert {line[6:] for line in diff.splitlines() if line.startswith("+++ b/")} == changed
    assert run("check", "--fix", "--select=all", cwd=root).err == ""
    assert run("check", "--format=diff", "--select=all", cwd=root).out == ""


def test_a_diff_names_a_rename(tree: Tree, run: Run) -> None:
    root = tree({"skills/a/skill.md": skill("a")})
    outcome = run("check", "--format=diff", cwd=root)
    assert "rename from skills/a/skill.md\nrename to skills/a/SKILL.md\n" in outcome.out
    assert "@@" not in outcome.out
    run("check", "--fix", cwd=root)
    assert snapshot(root) == {"skills/a/SKILL.md": skill("a").encode()}


def test_git_applies_a_diff_with_a_new_file(tree: Tree, run: Run) -> None:
    root = tree({"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/a/SKILL.md": skill("a")})
    out = run("check", "--format=diff", cwd=root).out
    assert "+++ b/.skills/SKILLS.md" in out
    done = subprocess.run(["git", "apply", "--check", "-"], cwd=root, input=out, text=True, check=False)
    assert done.returncode == 0


def test_a_diff_in_colour(tree: Tree, run: Run) -> None:
    root = tree({**HEAD, ".skills/a/SKILL.md": skill("a"), ".skills/SKILLS.md": "b: x\n"})
    lines = run("check", "--format=diff", "--color", cwd=root).out.splitlines()
    assert any(line.startswith("\x1b[31m-b: x") for line in lines)
    assert any(line.startswith("\x1b[32m+a: Tidy") for line in lines)
    assert any(line.startswith("\x1b[36m@@") for line in lines)


def test_a_diff_goes_into_a_file(tree: Tree, run: Run) -> None:
    root = tree({**HEAD, ".skills/a/SKILL.md": skill("a"), ".skills/SKILLS.md": "b: x\n"})
    shown = run("check", "--format=diff", cwd=root)
    outcome = run("check", "--format=diff", "-o", "x.diff", cwd=root)
    assert (outcome.out, (root / "x.diff").read_text()) == ("", shown.out)


def planned(root: Path, *edits: Edit) -> list[FixedFile]:
    place = (str(root / "x.md"), str(root), 1, 1, 1, 1)
    return list(plan_fixes([Finding("r", None, Severity.NOTE, *place, "", None, "", edits=(edit,)) for edit in edits]))


def test_of_edits_that_meet_the_first_is_made(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("abcdef")
    path = str(tmp_path / "x.md")
    edits = [TextEdit(path, 3, 5, "Y"), TextEdit(path, 1, 4, "X"), TextEdit(path, 6, 6, "!"), TextEdit(path, 1, 4, "X")]
    assert [change.new for change in planned(tmp_path, *edits)] == [b"aXef!"]


def test_edits_that_change_nothing_are_no_change(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("abc")
    (tmp_path / "x.md").chmod(0o755)
    path = str(tmp_path / "x.md")
    assert planned(tmp_path, TextEdit(path, 0, 1, "a"), WriteFile(path, "abc")) == []


def test_what_cannot_be_read_is_not_changed(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "x.md"
    elsewhere.write_text("theirs")
    (tmp_path / "x.md").symlink_to(elsewhere)
    (tmp_path / "folder").mkdir()
    for name in ("x.md", "folder"):
        assert planned(tmp_path, WriteFile(str(tmp_path / name), "ours")) == []
    assert elsewhere.read_text() == "theirs"


def test_a_file_that_is_gone_gets_no_bits_and_no_name(tmp_path: Path) -> None:
    path = str(tmp_path / "gone.sh")
    assert planned(tmp_path, MakeExecutable(path), Rename(path, "other.sh")) == []


def test_bits_content_and_name_at_once(tmp_path: Path) -> None:
    (tmp_path / "x.sh").write_bytes(b"\xef\xbb\xbfone")
    (tmp_path / "x.sh").chmod(0o604)
    path = str(tmp_path / "x.sh")
    apply_changes(planned(tmp_path, MakeExecutable(path), Rename(path, "y.sh"), TextEdit(path, 0, 3, "two")))
    assert os.listdir(tmp_path) == ["y.sh"]
    assert (tmp_path / "y.sh").read_bytes() == b"\xef\xbb\xbftwo"
    assert stat.S_IMODE((tmp_path / "y.sh").stat().st_mode) == 0o705


def test_a_name_that_has_been_taken_meanwhile(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("ours")
    changes = planned(tmp_path, Rename(str(tmp_path / "x.md"), "y.md"))
    (tmp_path / "y.md").write_text("theirs")
    with pytest.raises(FileExistsError):
        apply_changes(changes)
    assert (tmp_path / "y.md").read_text() == "theirs"
