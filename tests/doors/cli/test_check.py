"""`skillbag check` as its users call it: exit codes, standard input, baseline, and where the report goes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.doors.cli.terminals import on_terminal
from tests.rows import each_row
from tests.support import Run, Tree, skill

pytestmark = pytest.mark.boundary

GOOD = {"skills/a/SKILL.md": skill("a")}
BAD = {"skills/b/SKILL.md": "# No front matter\n"}
PROGRAM = [sys.executable, "-m", "skillbag"]


def rules(out: str) -> list[str]:
    return [finding["rule"] for finding in json.loads(out)["findings"]]


def test_a_clean_tree_is_exit_0(tree: Tree, run: Run) -> None:
    outcome = run("check", tree(GOOD))
    assert (outcome.code, outcome.err) == (0, "")
    assert "1 skill, 1 file" in " ".join(outcome.out.split())
    assert run("check", tree(GOOD), "--quiet").out == ""


def test_an_error_is_exit_1_and_is_named_with_its_place(tree: Tree, run: Run) -> None:
    root = tree({**GOOD, **BAD})
    outcome = run("check", "--format", "json", cwd=root)
    assert outcome.code == 1
    report = json.loads(outcome.out)
    assert [(f["path"], f["line"], f["rule"]) for f in report["findings"]] == [
        ("skills/b/SKILL.md", 1, "frontmatter-invalid")
    ]
    assert report["summary"]["skills"] == 2


@each_row(
    ("arguments", "words"),
    [
        (["nowhere"], "there is no such file or folder"),
        (["empty"], "looked for a workspace"),
        (["--select", "no-such-rule", "."], "there is no rule 'no-such-rule'"),
        (["--format", "xml"], "is not one of"),
        (["--config", "target=folder"], "give one of workspace, source, skills"),
        (["--config", "missing.toml"], "there is no such file"),
        (["--config", "root=nowhere"], "there is no such folder"),
        (["--baseline", "missing.json"], "-o baseline=missing.json makes it"),
        (["--config", "levels=x"], "Keys that can be set here: exclude, test-data"),
        (["--config", "cache=no"], "give one of true, false"),
        (["-o", "json="], "--output json= names no file"),
        (["--format", "diff", "-o", "json=x"], "--format diff prints a diff"),
        (["--format", "diff", "--fix"], "--format diff writes nothing"),
        (["--format", "diff", "-o", "baseline=x"], "--format diff writes nothing"),
        (["-"], "which file does standard input stand for? skillbag check - PATH"),
        (["-", "skills", "skills/a/SKILL.md"], "the path - comes first, and one path follows"),
        (["-", "--fix", "skills/a/SKILL.md"], "standard input can't be fixed"),
        (["-", "-o", "baseline=x", "skills/a/SKILL.md"], "standard input can't be fixed"),
        *((["--watch", option], "--watch") for option in ("--fix", "--format=diff", "-obaseline=x", "--staged")),
        *((["--staged", option], "--staged") for option in ("--fix", "--format=diff", "-obaseline=x")),
        (["--watch", "empty"], "nothing to check"),
    ],
)
def test_mistakes_are_exit_2_and_one_sentence(tree: Tree, run: Run, arguments: list[str], words: str) -> None:
    root = tree({**GOOD, **BAD, "empty/x.txt": ""})
    outcome = run("check", *arguments, cwd=root)
    assert (outcome.code, outcome.out) == (2, "")
    assert words in " ".join(outcome.err.split())
    assert "Traceback" not in outcome.err
    assert not (root / "x").exists()


def test_strict_makes_warnings_fail(tree: Tree, run: Run) -> None:
    root = tree({"skills/a/SKILL.md": skill("a") + "\nSee [the guide](references/guide.md).\n"})
    assert run("check", root).code == 0
    assert run("check", root, "--strict").code == 1


def test_standard_input_stands_in_for_its_file(tree: Tree, run: Run) -> None:
    root = tree({**GOOD, **BAD})
    good = skill("b").encode()
    outcome = run("check", "-", "skills/b/SKILL.md", cwd=root, stdin=good)
    assert outcome.code == 0
    outcome = run("check", "-", "skills/a/SKILL.md", "--format=json", cwd=root, stdin=b"# x\n")
    assert rules(outcome.out) == ["frontmatter-invalid"]
    assert (root / "skills/a/SKILL.md").read_text() == skill("a")


def test_a_baseline_holds_back_what_was_there_and_nothing_else(tree: Tree, run: Run) -> None:
    root = tree({**GOOD, **BAD})
    assert run("check", root, "-o", f"baseline={root / 'base.json'}").code == 0
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
        "check", root, "-o", out / "a.txt", "-o", f"json={out / 'a.json'}", f"--output=sarif={out / 'a.sarif'}"
    )
    assert (outcome.code, outcome.out) == (1, "")
    assert "frontmatter-invalid" in (out / "a.txt").read_text()
    assert rules((out / "a.json").read_text()) == ["frontmatter-invalid"]
    assert json.loads((out / "a.sarif").read_text())["version"] == "2.1.0"


def test_output_does_not_depend_on_the_locale(tree: Tree) -> None:
    root = tree({"skills/ü/SKILL.md": "# é\n"})
    command = [*PROGRAM, "check", "."]
    outputs = {
        subprocess.run(command, cwd=root, env={**os.environ, "LC_ALL": locale}, capture_output=True, check=False).stdout
        for locale in ("C", "C.UTF-8", "POSIX")
    }
    assert len(outputs) == 1
    assert "skills/ü/SKILL.md" in outputs.pop().decode("utf-8")


def test_standard_input_stands_in_for_a_resource_and_its_mark_has_no_column(tree: Tree, run: Run) -> None:
    root = tree({**GOOD, **BAD, "skills/a/references/x.md": "Old.\n"})
    arguments = ["check", "-", "references/x.md", "--format=json"]
    outcome = run(*arguments, cwd=root / "skills/a", stdin=b"\xef\xbb\xbf[y](#gone)\r\n\r\n[y](#gone)")
    places = [(f["path"], f["line"], f["column"]) for f in json.loads(outcome.out)["findings"]]
    assert places == [("references/x.md", 1, 5), ("references/x.md", 3, 5)]
    assert (root / "skills/a/references/x.md").read_text() == "Old.\n"


@pytest.mark.parametrize("data", [b"\xff", b"---\nname: a\n", b"x" * ((1 << 20) + 1)])
def test_standard_input_that_cannot_be_read_is_a_finding(tree: Tree, run: Run, data: bytes) -> None:
    arguments = ["check", "-", "skills/a/SKILL.md", "--format=json"]
    outcome = run(*arguments, cwd=tree({**GOOD, **BAD}), stdin=data)
    assert outcome.code == 1
    assert [f["path"] for f in json.loads(outcome.out)["findings"]] == ["skills/a/SKILL.md"]


def test_standard_input_is_read_to_a_limit(tree: Tree, run: Run) -> None:
    outcome = run("check", "-", "skills/a/SKILL.md", cwd=tree(GOOD), stdin=b"x" * ((8 << 20) + 1))
    assert (outcome.code, outcome.err) == (2, "error: there are more than 8 MiB on standard input\n")


def test_a_report_into_a_device_does_not_replace_it(tree: Tree, run: Run) -> None:
    root = tree({**GOOD, **BAD})
    assert run("check", "-o", os.devnull, cwd=root).code == 1
    assert not Path(os.devnull).is_file()
    (root / "pipe").mkdir()
    os.mkfifo(root / "fifo")
    with subprocess.Popen(["cat", root / "fifo"], stdout=subprocess.PIPE) as reader:
        assert run("check", "-o", "fifo", "--format=json", cwd=root).code == 1
        out, _ = reader.communicate(timeout=300)
    assert json.loads(out)["summary"]["errors"] == 1
    assert run("check", "-o", "pipe", cwd=root).code == 2


def test_a_report_that_cannot_be_written_is_exit_4(tree: Tree, run: Run) -> None:
    outcome = run("check", "-o", "a.txt/report.txt", cwd=tree({**GOOD, **BAD, "a.txt": ""}))
    assert outcome.code == 4
    assert "Not a directory" in outcome.err or "exists" in outcome.err


@pytest.mark.parametrize("color", [True, False])
def test_colour_when_it_is_asked_for(tree: Tree, run: Run, color: bool) -> None:
    out = run("check", "--color" if color else "--no-color", cwd=tree({**GOOD, **BAD})).out
    assert ("\x1b[" in out) is color


@pytest.mark.parametrize("no_color", ["", "1"])
def test_colour_on_a_terminal_unless_it_is_unwanted(tree: Tree, no_color: str) -> None:
    text = on_terminal(tree({**GOOD, **BAD}), "check", NO_COLOR=no_color).text
    assert "frontmatter-invalid" in text
    assert bool(re.search(r"\x1b\[[0-9;]+m", text)) is not bool(no_color)


def test_a_reader_that_has_seen_enough(tree: Tree) -> None:
    root = tree({f"skills/s{number}/SKILL.md": "no front matter\n" for number in range(400)})
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*PROGRAM, "check"], cwd=root, **pipes) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=300) == 1


def test_an_unknown_command_without_a_near_one(run: Run) -> None:
    outcome = run("zzz")
    assert outcome.code == 2
    assert "no such command 'zzz'" in outcome.err
    assert "Did you mean" not in outcome.err
    assert "`skillbag --help` lists the commands" in outcome.err


def test_the_help_names_every_command(run: Run) -> None:
    outcome = run("--help")
    assert outcome.code == 0
    listed = {line.split()[0] for line in outcome.out.splitlines() if line[:2] == "  " < line[2:3]}
    assert listed >= {"check", "init", "new", "install", "add", "update", "remove", "list", "tree"}
    assert listed >= {"verify", "diff", "session", "agent", "team", "self"}


def test_standard_input_for_a_skill_without_a_folder_is_refused(workspace: Path, run: Run) -> None:
    arguments = ("check", "-", ".skills/new/SKILL.md")
    outcome = run(*arguments, cwd=workspace, stdin=b"[a](nope.md)\n")
    assert outcome.code == 2
    assert "make its folder first" in outcome.err
    (workspace / ".skills/new").mkdir(parents=True)
    outcome = run(*arguments, cwd=workspace, stdin=b"[a](nope.md)\n")
    assert outcome.code == 1
    assert "nope.md" in outcome.out


@pytest.mark.parametrize("names", ["", ","])
def test_a_selection_of_nothing(run: Run, tree: Tree, names: str) -> None:
    done = run("check", tree({"skills/a/SKILL.md": skill("a")}), "--select", names)
    assert (done.code, "names nothing" in done.err) == (2, True)


def test_a_root_is_no_path(run: Run, tree: Tree) -> None:
    root = tree({"skills/a/SKILL.md": skill("a"), "other/skills/b/SKILL.md": "# broken\n"})
    # As `check .` with the same root; a root elsewhere is where the check begins.
    outs = [run("check", *path, f"--config=root={root}", cwd=root / "skills").out for path in ((), (".",))]
    assert outs[0] == outs[1]
    assert run("check", f"--config=root={root}", cwd=root / "skills").code == 0
    assert run("check", f"--config=root={root / 'other'}", cwd=root / "skills").code == 1


def test_a_group_answers_its_own_mistakes_in_json(run: Run) -> None:
    for words in ((), ("agent", "personal"), ("runtime",)):
        done = run(*words, "--json")
        assert (done.code, json.loads(done.out)["error"]) == (2, "missing command")
