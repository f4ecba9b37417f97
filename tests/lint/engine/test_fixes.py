"""`--fix` and `--diff`: what is fixed, that nothing else changes, and that a second run has nothing to do."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.support import Run, Tree, skill

ENTRYPOINT = {"SKILLBAG.md": "SkillBag v0.3.0\n"}


def snapshot(root: Path) -> dict[str, tuple[bytes, int]]:
    return {
        path.relative_to(root).as_posix(): (path.read_bytes(), stat.S_IMODE(path.stat().st_mode))
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".git/" not in path.as_posix()
    }


def changed(before: dict[str, tuple[bytes, int]], after: dict[str, tuple[bytes, int]]) -> set[str]:
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def fix(run: Run, root: Path) -> set[str]:
    """Fix, then hold that a second run changes nothing; the names of the changed files."""
    before = snapshot(root)
    run("check", root, "--fix")
    after = snapshot(root)
    run("check", root, "--fix")
    assert snapshot(root) == after
    return changed(before, after)


def test_the_published_source_is_clean_after_the_fix(corpus: Callable[[str], Path], run: Run) -> None:
    root = corpus("skillbag-utils")
    report = json.loads(run("check", root, "--format=json").out)
    assert report["summary"]["errors"] == 0
    hidden = [finding for finding in report["findings"] if finding["rule"] == "description-tag-unquoted"]
    assert len(hidden) >= 4
    assert {finding["level"] for finding in hidden} == {"warning"}
    before = snapshot(root)
    run("check", root, "--fix")
    after = snapshot(root)
    assert all(name.endswith("SKILL.md") for name in changed(before, after))
    assert run("check", root, "--strict").code == 0
    text = (root / ".skills/skillbag-supervisor/SKILL.md").read_text("utf-8")
    assert yaml.safe_load(text.split("---\n")[1])["description"].endswith(" #run/always #run/last")
    run("check", root, "--fix")
    assert snapshot(root) == after


def test_an_unsorted_catalog_is_sorted_and_keeps_its_line_ends(tree: Tree, run: Run) -> None:
    root = tree({**ENTRYPOINT, ".skills/a/SKILL.md": skill("a"), ".skills/a-b/SKILL.md": skill("a-b")})
    line = "Tidy a folder. Use when files lie about."
    (root / ".skills/SKILLS.md").write_bytes(f"\ufeffa-b: {line}\r\na: {line}\r\n".encode())
    assert fix(run, root) == {".skills/SKILLS.md"}
    assert (root / ".skills/SKILLS.md").read_bytes() == f"\ufeffa: {line}\r\na-b: {line}\r\n".encode()


def test_a_missing_catalog_is_written_and_an_incomplete_one_completed(tree: Tree, run: Run) -> None:
    root = tree({**ENTRYPOINT, ".skills/a/SKILL.md": skill("a", "One."), ".skills/b/SKILL.md": skill("b", "Two.")})
    assert fix(run, root) == {".skills/SKILLS.md"}
    assert (root / ".skills/SKILLS.md").read_text() == "a: One.\nb: Two.\n"
    tree({".skills/SKILLS.md": "b: Old words.\n\nzzz: Gone.\n"})
    assert fix(run, root) == {".skills/SKILLS.md"}
    lines = [line for line in (root / ".skills/SKILLS.md").read_text().splitlines() if line]
    assert lines == ["a: One.", "b: Two."]


def test_the_old_line_of_an_unreadable_skill_stays(tree: Tree, run: Run) -> None:
    root = tree({**ENTRYPOINT, ".skills/a/SKILL.md": skill("a", "One."), ".skills/b/SKILL.md": "broken\n"})
    tree({".skills/SKILLS.md": "b: Two.\na: One.\n"})
    fix(run, root)
    assert (root / ".skills/SKILLS.md").read_text() == "a: One.\nb: Two.\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_quoting_a_hidden_tag_changes_that_value_alone(tree: Tree, run: Run, newline: str) -> None:
    text = (
        '---\n# ours\nname: a   # the name\ndescription: It\'s "here". #run/always #use/b\n'
        "license: MIT\n---\n\nBody: read it."
    ).replace("\n", newline)
    root = tree({**ENTRYPOINT, ".skills/a/SKILL.md": text, ".skills/SKILLS.md": ""})
    fix(run, root)
    after = (root / ".skills/a/SKILL.md").read_bytes().decode()
    before_lines, after_lines = text.split(newline), after.split(newline)
    assert [n for n, (x, y) in enumerate(zip(before_lines, after_lines, strict=True)) if x != y] == [3]
    value = yaml.safe_load(after.split(f"---{newline}")[1])["description"]
    assert value == 'It\'s "here". #run/always #use/b'
    assert (root / ".skills/SKILLS.md").read_text() == 'a: It\'s "here". #run/always #use/b\n'


def test_wrong_case_and_executable_bits(tree: Tree, run: Run) -> None:
    root = tree(
        {
            "skills/a/skill.md": skill("a"),
            "skills/b/SKILL.md": skill("b") + "\n```sh\n./scripts/x.sh\n```\n",
            "skills/b/scripts/x.sh": "#!/bin/sh\necho x\n",
        }
    )
    (root / "skills/b/scripts/x.sh").chmod(0o640)
    assert fix(run, root) == {"skills/a/skill.md", "skills/a/SKILL.md", "skills/b/scripts/x.sh"}
    assert stat.S_IMODE((root / "skills/b/scripts/x.sh").stat().st_mode) == 0o750


def test_the_user_context_is_ignored_by_git(tree: Tree, run: Run) -> None:
    root = tree({**ENTRYPOINT, ".skills/SKILLS.md": "", "USER_CONTEXT.md": "# Mine\n", ".gitignore": "*.log\r\n# end"})
    subprocess.run(["git", "init", "-q", root], check=True)
    assert fix(run, root) >= {".gitignore"}
    assert (root / ".gitignore").read_bytes() == b"*.log\r\n# end\r\nUSER_CONTEXT.md\r\n"


def test_names_in_declarations_become_canonical(tree: Tree, run: Run) -> None:
    text = "---\nname: a\ndescription: One.\ndependencies:\n  - name: My_Other  # why\n---\n\nRead it.\n"
    root = tree({**ENTRYPOINT, ".skills/a/SKILL.md": text, ".skills/my-other/SKILL.md": skill("my-other")})
    fix(run, root)
    assert (root / ".skills/a/SKILL.md").read_text() == text.replace("My_Other", "my-other")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_diff_shows_what_a_fix_does_and_writes_nothing(tree: Tree, run: Run, newline: str) -> None:
    text = skill("a", "Do it. #run/always").rstrip().replace("\n", newline)
    script = {
        ".skills/b/SKILL.md": skill("b") + "\n```sh\n./scripts/x.sh\n```\n",
        ".skills/b/scripts/x.sh": "#!/bin/sh\n",
    }
    root = tree({**ENTRYPOINT, ".skills/a/SKILL.md": text, **script, "skills/c/skill.md": skill("c")})
    before = snapshot(root)
    outcome = run("check", "--format=diff", cwd=root)
    assert snapshot(root) == before
    assert "\x1b" not in outcome.out
    subprocess.run(["git", "apply"], cwd=root, input=outcome.out.encode(), check=True)
    patched = snapshot(root)
    for name in patched:
        (root / name).unlink()
    for name, (data, mode) in before.items():
        (root / name).write_bytes(data)
        (root / name).chmod(mode)
    run("check", root, "--fix")
    assert snapshot(root) == patched


def test_a_suppressed_finding_is_not_fixed(tree: Tree, run: Run) -> None:
    text = skill("a", "Do it. #run/always  # skillbag: ignore[description-tag-unquoted] reason='told'")
    root = tree({**ENTRYPOINT, ".skills/a/SKILL.md": text})
    fix(run, root)
    assert (root / ".skills/a/SKILL.md").read_text() == text


def test_a_file_that_changes_meanwhile_is_not_written(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    from skillbag.lint.engine.checker import Checker
    from skillbag.lint.engine.fixes import apply_changes, plan_fixes
    from skillbag.lint.engine.request import CheckRequest

    root = tree({**ENTRYPOINT, ".skills/a/SKILL.md": skill("a"), ".skills/SKILLS.md": "b: x\n"})
    changes = plan_fixes(Checker(CheckRequest((str(root),))).check().findings)
    tree({".skills/SKILLS.md": "c: somebody else's\n"})
    with pytest.raises(OSError, match="another program has changed it"):
        apply_changes(changes)
    assert (root / ".skills/SKILLS.md").read_text() == "c: somebody else's\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_exit_4(tree: Tree, run: Run) -> None:
    root = tree({**ENTRYPOINT, ".skills/a/SKILL.md": skill("a"), ".skills/SKILLS.md": "b: x\n"})
    (root / ".skills").chmod(0o555)
    assert run("check", root, "--fix").code == 4
