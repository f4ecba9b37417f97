"""Options that do not go together, standard input, and where the report goes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support import Run, Tree, skill

pytestmark = pytest.mark.boundary

GOOD = {"skills/a/SKILL.md": skill("a")}
BAD = {**GOOD, "skills/b/SKILL.md": "no front matter\n"}
PROGRAM = [sys.executable, "-m", "skillbag"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--also", "json"], "give FORMAT=FILE"),
        (["--also", "xml=out"], "give FORMAT=FILE"),
        (["--also", "json="], "give FORMAT=FILE"),
        (["--root", "nowhere"], "there is no such folder"),
        (["--diff", "--format", "json"], "--diff prints a diff"),
        (["--diff", "--also", "json=x"], "--diff prints a diff"),
        (["--stdin-filename", "skills/a/SKILL.md"], "goes with the one path -"),
        (["-", "skills", "--stdin-filename", "skills/a/SKILL.md"], "goes with the one path -"),
        (["-", "--fix", "--stdin-filename", "skills/a/SKILL.md"], "standard input can't be fixed"),
        (["-", "--write-baseline", "x", "--stdin-filename", "skills/a/SKILL.md"], "standard input can't be fixed"),
        (["--target", "folder"], "is not one of"),
    ],
)
def test_options_that_do_not_fit(tree: Tree, run: Run, arguments: list[str], words: str) -> None:
    outcome = run("check", *arguments, cwd=tree(BAD))
    assert outcome.code == 2
    assert words in " ".join(outcome.err.split())
    assert outcome.out == ""
    assert not (tree({}) / "x").exists()


def test_standard_input_stands_in_for_a_resource_and_its_mark_has_no_column(tree: Tree, run: Run) -> None:
    root = tree({**BAD, "skills/a/references/x.md": "Old.\n"})
    arguments = ["check", "-", "--stdin-filename", "references/x.md", "--format=json"]
    outcome = run(*arguments, cwd=root / "skills/a", stdin=b"\xef\xbb\xbf[y](#gone)\r\n\r\n[y](#gone)")
    places = [(f["path"], f["line"], f["column"]) for f in json.loads(outcome.out)["findings"]]
    assert places == [("references/x.md", 1, 5), ("references/x.md", 3, 5)]
    assert (root / "skills/a/references/x.md").read_text() == "Old.\n"


@pytest.mark.parametrize("data", [b"\xff", b"---\nname: a\n", b"x" * ((1 << 20) + 1)])
def test_standard_input_that_cannot_be_read_is_a_finding(tree: Tree, run: Run, data: bytes) -> None:
    arguments = ["check", "-", "--stdin-filename", "skills/a/SKILL.md", "--format=json"]
    outcome = run(*arguments, cwd=tree(BAD), stdin=data)
    assert outcome.code == 1
    assert [f["path"] for f in json.loads(outcome.out)["findings"]] == ["skills/a/SKILL.md"]


def test_a_report_into_a_device_does_not_replace_it(tree: Tree, run: Run) -> None:
    root = tree(BAD)
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
    outcome = run("check", "-o", "skills/a/SKILL.md/report.txt", cwd=tree(BAD))
    assert outcome.code == 4
    assert "Not a directory" in outcome.err or "exists" in outcome.err


@pytest.mark.parametrize("color", [True, False])
def test_colour_when_it_is_asked_for(tree: Tree, run: Run, color: bool) -> None:
    out = run("check", "--color" if color else "--no-color", cwd=tree(BAD)).out
    assert ("\x1b[" in out) is color


@pytest.mark.parametrize("no_color", ["", "1"])
def test_colour_on_a_terminal_only_and_never_against_the_wish(tree: Tree, no_color: str) -> None:
    import pty

    parent, child = pty.openpty()
    environment = {**os.environ, "NO_COLOR": no_color, "TERM": "xterm", "COLUMNS": "80"}
    subprocess.run([*PROGRAM, "check"], cwd=tree(BAD), stdout=child, env=environment, check=False)
    os.close(child)
    text = os.read(parent, 100_000).decode()
    os.close(parent)
    assert "frontmatter-invalid" in text
    assert ("\x1b[" in text) is not bool(no_color)


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_reader_that_has_seen_enough(tree: Tree, form: str) -> None:
    root = tree({f"skills/s{number}/SKILL.md": "no front matter\n" for number in range(400)})
    with subprocess.Popen(
        [*PROGRAM, "check", f"--format={form}"], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=300) == 1


def test_an_interrupt_is_no_traceback(tree: Tree) -> None:
    root = tree(GOOD)
    command = [*PROGRAM, "check", "-", "--stdin-filename", "skills/a/SKILL.md"]
    with subprocess.Popen(
        command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        # It waits for standard input by now; an interrupt while Python itself starts is not ours.
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
    assert out == b""
    assert b"Traceback" not in err
    assert process.returncode != 0


def test_the_module_runs_as_the_program(tree: Tree) -> None:
    done = subprocess.run([*PROGRAM, "check"], cwd=tree(BAD), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert "frontmatter-invalid" in done.stdout


def test_an_unknown_command_without_a_near_one(run: Run) -> None:
    outcome = run("zzz")
    assert outcome.code == 2
    assert "No such command 'zzz'" in outcome.err
    assert "Did you mean" not in outcome.err


def test_the_help_names_every_command(run: Run) -> None:
    outcome = run("--help")
    assert outcome.code == 0
    listed = {line.split()[0] for line in outcome.out.partition("Commands:")[2].splitlines() if line.strip()}
    assert listed >= {"check", "init", "new", "rule", "install", "add", "update", "remove", "list", "tree", "why"}
    assert listed >= {"outdated", "verify", "diff", "sync", "cache"}


def test_the_module_is_the_program(tree: Tree) -> None:
    command = [sys.executable, "-m", "skillbag", "check", str(tree(BAD)), "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert "frontmatter-invalid" in done.stdout
