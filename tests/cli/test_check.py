"""`skillbag check` as its users call it: paths, exit codes, standard input, baseline, outputs."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.support import Run, Tree, skill

pytestmark = pytest.mark.boundary

GOOD = {"skills/a/SKILL.md": skill("a")}
BAD = {"skills/b/SKILL.md": "# No front matter\n"}


def rules(out: str) -> list[str]:
    return [finding["rule"] for finding in json.loads(out)["findings"]]


def test_a_clean_tree_is_exit_0(tree: Tree, run: Run) -> None:
    outcome = run("check", tree(GOOD))
    assert (outcome.code, outcome.err) == (0, "")
    assert "1 skill, 1 file" in " ".join(outcome.out.split())


def test_an_error_is_exit_1_and_is_named_with_its_place(tree: Tree, run: Run) -> None:
    root = tree({**GOOD, **BAD})
    outcome = run("check", "--format", "json", cwd=root)
    assert outcome.code == 1
    report = json.loads(outcome.out)
    assert [(f["path"], f["line"], f["rule"]) for f in report["findings"]] == [
        ("skills/b/SKILL.md", 1, "frontmatter-invalid")
    ]
    assert report["summary"]["skills"] == 2


@pytest.mark.parametrize("where", [".", "skills", "skills/b", "elsewhere"])
def test_the_same_findings_from_any_directory(tree: Tree, run: Run, where: str) -> None:
    root = tree({**GOOD, **BAD, "elsewhere/x.txt": ""})
    found = json.loads(run("check", root / "skills", "--format=json", cwd=root / where).out)["findings"]
    paths = {os.path.realpath(root / where / finding["path"]) for finding in found}
    assert paths == {os.path.realpath(root / "skills/b/SKILL.md")}
    assert len(found) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "there is no such file or folder"),
        (["."], "looked for a workspace"),
        (["--select", "no-such-rule", "."], "there is no rule 'no-such-rule'"),
        (["--format", "xml"], "is not one of"),
        (["--config", "missing.toml"], "there is no such file"),
        (["-"], "needs --stdin-filename"),
        (["--baseline", "missing.json", "t"], "--write-baseline"),
    ],
)
def test_mistakes_are_exit_2_and_one_sentence(tree: Tree, run: Run, arguments: list[str], words: str) -> None:
    root = tree({"empty.txt": "", "t/skills/a/SKILL.md": skill("a")}) if "t" in arguments else tree({"empty.txt": ""})
    if "--select" in arguments:
        root = tree(GOOD)
    outcome = run("check", *arguments, cwd=root)
    assert outcome.code == 2
    assert words in " ".join(outcome.err.split())
    assert "Traceback" not in outcome.err


def test_strict_makes_warnings_fail(tree: Tree, run: Run) -> None:
    root = tree({"skills/a/SKILL.md": skill("a") + "\nSee [the guide](references/guide.md).\n"})
    assert run("check", root).code == 0
    assert run("check", root, "--strict").code == 1


def test_quiet_prints_nothing_on_a_clean_run(tree: Tree, run: Run) -> None:
    assert run("check", tree(GOOD), "--quiet").out == ""


def test_standard_input_stands_in_for_its_file(tree: Tree, run: Run) -> None:
    root = tree({**GOOD, **BAD})
    good = skill("b").encode()
    outcome = run("check", "-", "--stdin-filename", "skills/b/SKILL.md", cwd=root, stdin=good)
    assert outcome.code == 0
    outcome = run("check", "-", "--stdin-filename", "skills/a/SKILL.md", "--format=json", cwd=root, stdin=b"# x\n")
    assert rules(outcome.out) == ["frontmatter-invalid"]
    assert (root / "skills/a/SKILL.md").read_text() == skill("a")


def test_a_baseline_holds_back_what_was_there_and_nothing_else(tree: Tree, run: Run) -> None:
    root = tree({**GOOD, **BAD})
    assert run("check", root, "--write-baseline", root / "base.json").code == 0
    assert run("check", root, "--baseline", root / "base.json").code == 0
    assert run("check", "skills", "--baseline", "../base.json", cwd=root / "skills").code == 2
    tree({"skills/c/SKILL.md": "# No front matter\n"})
    outcome = run("check", root, "--baseline", root / "base.json", "--format=json")
    assert [Path(f["path"]).parent.name for f in json.loads(outcome.out)["findings"]] == ["c"]


def test_reports_go_to_files_in_one_run(tree: Tree, run: Run, tmp_path: Path) -> None:
    root = tree({**GOOD, **BAD})
    out = tmp_path / "out"
    out.mkdir()
    outcome = run(
        "check", root, "-o", out / "a.txt", "--also", f"json={out / 'a.json'}", f"--also=sarif={out / 'a.sarif'}"
    )
    assert (outcome.code, outcome.out) == (1, "")
    assert "frontmatter-invalid" in (out / "a.txt").read_text()
    assert rules((out / "a.json").read_text()) == ["frontmatter-invalid"]
    assert json.loads((out / "a.sarif").read_text())["version"] == "2.1.0"


def test_several_targets_in_one_run(tree: Tree, run: Run) -> None:
    root = tree({"one/skills/a/SKILL.md": skill("a"), "two/.claude/skills/a/SKILL.md": skill("a")})
    report = json.loads(run("check", root, "--format=json", cwd=root).out)
    assert [(target["kind"], target["root"]) for target in report["targets"]] == [("skills", "one"), ("skills", "two")]
    assert report["findings"] == []


def test_output_does_not_depend_on_the_locale(tree: Tree) -> None:
    import subprocess
    import sys

    root = tree({"skills/ü/SKILL.md": "# é\n"})
    command = [sys.executable, "-m", "skillbag", "check", "."]
    outputs = {
        subprocess.run(command, cwd=root, env={**os.environ, "LC_ALL": locale}, capture_output=True, check=False).stdout
        for locale in ("C", "C.UTF-8", "POSIX")
    }
    assert len(outputs) == 1
    assert "skills/ü/SKILL.md" in outputs.pop().decode("utf-8")
