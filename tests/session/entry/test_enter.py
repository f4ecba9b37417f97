"""Workspace entry: its order, once a session, what it asks, and what stops it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.session.agents import ALL, SESSION, command, enter, execute, launch, states, tagged
from tests.session.bags import bag, context, crowded, parameters, skill_md
from tests.supply.install.worlds import call, snapshot
from tests.support import Run

ROOT_FILES = ["SKILLBAG.md", "CONTEXT.md", "USER_CONTEXT.md", ".skills/SKILLS.md"]
DEPENDENCY = "dependencies:\n  - {name: lint-docs, version: v1.0.0, source: https://example.com/org/repo.git}"


@pytest.mark.proves("lifecycle", "entry.order", "files.catalog-first")
def test_it_reads_in_the_order_of_the_standard(run: Run, tmp_path: Path) -> None:
    values = enter(run, tagged(tmp_path / "w", ALL), "--trace")
    expected = [*ROOT_FILES, ".skills/greet/SKILL.md", ".skills/sign-off/SKILL.md"]
    assert values["read"] == expected
    opened = [os.path.relpath(item["path"], tmp_path / "w") for item in values["trace"]]
    assert opened == expected
    reasons = ["the rules of the workspace", "project context", "user context", "catalog", *["it runs always"] * 2]
    assert [item["why"] for item in values["trace"]] == reasons


@pytest.mark.proves("lifecycle", "entry.order")
def test_files_that_are_not_there_are_no_obstacle(run: Run, tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "SKILLBAG.md").write_text("SkillBag v0.3.0\n")
    values = enter(run, tmp_path / "w")
    assert (values["read"], values["catalog"], values["always"], values["ready"]) == (["SKILLBAG.md"], [], [], True)
    text = run("enter", cwd=tmp_path / "w").out
    assert "\n\n## Skills\n\n(there is no catalog; skillbag self sync writes it, if .skills/ has skills)\n\n" in text


def test_an_empty_catalog_is_not_reported(run: Run, tmp_path: Path) -> None:
    assert "## Skills" not in run("enter", cwd=bag(tmp_path / "w", {})).out


@pytest.mark.proves("lifecycle", "entry.order", "tags.run-always")
def test_always_run_skills_come_by_name_and_those_that_are_last_too_at_the_end(run: Run, tmp_path: Path) -> None:
    skills = {
        "a-last": "A. #run/last #run/always",
        "b": "B. #run/always #use/d",
        "c": "C. #run/always",
        "d": "D.",
        "e-last": "E. #run/last",
    }
    values = enter(run, bag(tmp_path / "w", skills))
    assert [skill["skill"] for skill in values["always"]] == ["b", "c", "a-last"]
    assert [turn["name"] for turn in values["order"]] == ["d", "b", "c", "a-last"]
    assert values["read"][2:] == [".skills/b/SKILL.md", ".skills/c/SKILL.md", ".skills/a-last/SKILL.md"]


@pytest.mark.proves("lifecycle", "entry.order")
def test_the_run_at_entry_has_the_instructions_with_effective_values(run: Run, tmp_path: Path) -> None:
    body = parameters("optional:\n  - name: words\n    default: few", "Greet the user.")
    files = {".skills/greet/SKILL.md": skill_md("greet", "Greets. #run/always", body)}
    files["USER_CONTEXT.md"] = context("parameters: {greet: {words: many}}")
    root = bag(tmp_path / "w", {"greet": "Greets. #run/always"}, files)
    (always,) = enter(run, root)["always"]
    assert always["instructions"].endswith("Greet the user.")
    (parameter,) = always["parameters"]
    assert (parameter["value"], parameter["level"], parameter["file"]) == ("many", "user-context", "USER_CONTEXT.md")


BROKEN = {
    "SKILLBAG.md": b"\xff",
    "CONTEXT.md": b"# C\n\n```yaml\nparameters: {a: [\n```\n",
    "USER_CONTEXT.md": b"# C\n\n```yaml\ntags: {greet: {take: ['#run/last']}}\n```\n",
    ".skills/SKILLS.md": b"greet: \x00\n",
    ".skills/greet/SKILL.md": b"no front matter\n",
}


@pytest.mark.proves("lifecycle", "entry.order", "entry.once")
@pytest.mark.parametrize("path", BROKEN)
def test_a_broken_file_stops_it_with_one_sentence_and_the_session_has_not_entered(
    run: Run, tmp_path: Path, path: str
) -> None:
    root = tagged(tmp_path / "w", ALL)
    root = tagged(tmp_path / "w")
    good = (root / path).read_bytes()
    (root / path).write_bytes(BROKEN[path])
    before = snapshot(root)
    outcome = run("enter", "--session", SESSION, cwd=root)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert outcome.err.startswith(f"error: {path}:")
    assert outcome.err.count(";") >= 1
    assert states() == []
    assert snapshot(root) == before
    assert run("order", "--session", SESSION, cwd=root).code == 2
    (root / path).write_bytes(good)
    assert enter(run, root)["status"] == "entered"


def test_what_is_broken_in_a_skill_that_does_not_run_now_is_no_obstacle(run: Run, tmp_path: Path) -> None:
    root = tagged(tmp_path / "w", {".skills/tidy/SKILL.md": b"\xff"})
    assert enter(run, root)["ready"] is True


@pytest.mark.proves("lifecycle", "entry.once")
def test_a_second_entry_says_so_and_reads_nothing(run: Run, root: Path) -> None:
    assert enter(run, root)["status"] == "entered"
    values = enter(run, root, "--trace")
    assert (values["status"], values["exit"], values["trace"]) == ("already", 0, [])
    assert (values["read"], values["catalog"], values["always"]) == ([], [], [])
    outcome = run("enter", "--session", SESSION, cwd=root)
    assert (
        outcome.out
        == "Session s1 has entered already; skillbag enter --session s1 --again prints the report once more.\n"
    )
    assert (outcome.code, outcome.err) == (0, "")


@pytest.mark.proves("lifecycle", "entry.once")
def test_a_second_entry_does_not_even_see_a_broken_file(run: Run, root: Path) -> None:
    enter(run, root)
    (root / "CONTEXT.md").write_bytes(b"\xff")
    assert run("enter", "--session", SESSION, cwd=root).code == 0
    assert run("enter", "--session", SESSION, "--again", cwd=root).code == 2


@pytest.mark.proves("lifecycle", "entry.once")
def test_again_prints_the_report_once_more(run: Run, tmp_path: Path) -> None:
    root = tagged(tmp_path / "w", ALL)
    first = enter(run, root)
    again = enter(run, root, "--again")
    assert again["status"] == "again"
    assert {**again, "status": "entered"} == first
    assert enter(run, root)["status"] == "already"


def test_again_in_a_session_that_has_not_entered_enters(run: Run, root: Path) -> None:
    assert enter(run, root, "--again")["status"] == "entered"
    assert enter(run, root)["status"] == "already"


def test_again_does_not_forget_what_the_session_has_loaded(run: Run, root: Path) -> None:
    enter(run, root)
    assert run("run", "convert_to_pdf", "--session", SESSION, cwd=root).code == 0
    (root / ".skills/convert-to-pdf/SKILL.md").write_text(skill_md("convert-to-pdf", "Converts files.", "Otherwise."))
    enter(run, root, "--again")
    _, values = call(run, root, "refresh", "--session", SESSION)
    assert values["read"] == [".skills/convert-to-pdf/SKILL.md"]


@pytest.mark.proves("lifecycle", "entry.once")
def test_without_a_session_a_new_one_is_made_and_shown(run: Run, root: Path) -> None:
    first, second = (call(run, root, "enter")[1] for _ in range(2))
    assert (first["status"], second["status"]) == ("entered", "entered")
    assert first["session"] != second["session"]
    assert enter(run, root, session=first["session"])["status"] == "already"
    text = run("enter", cwd=root).out
    session = text.splitlines()[1].removeprefix("Session: ").split(" ")[0]
    assert f"Session: {session} (turn and run take it: --session {session})" in text
    assert run("refresh", "--session", session, cwd=root).out == "Nothing has changed.\n"


def test_a_report_without_a_reader_is_no_entry(tmp_path: Path, run: Run) -> None:
    root = crowded(tmp_path / "w")
    process = launch(root, "enter", "--session", SESSION, "--json")
    assert process.stdout
    process.stdout.close()
    assert process.wait(300) == 0
    assert process.stderr
    assert process.stderr.read() == ""
    process.stderr.close()
    assert enter(run, root)["status"] == "entered"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device stands for a full disk here")
def test_output_that_cannot_be_written_is_no_entry(root: Path, run: Run) -> None:
    with open("/dev/full", "wb") as full:
        done = execute(root, command("enter", "--session", SESSION), stdout=full)
    assert done.returncode == 4
    assert "Traceback" not in done.stderr
    assert "No space left on device" in done.stderr
    assert enter(run, root)["status"] == "entered"


def test_the_trace_stands_beside_the_text(run: Run, tmp_path: Path) -> None:
    outcome = run("enter", "--session", SESSION, "--trace", cwd=bag(tmp_path / "w", ["a"]))
    assert outcome.err.replace(os.sep, "/").splitlines() == [
        "opened SKILLBAG.md: the rules of the workspace",
        "opened .skills/SKILLS.md: catalog",
    ]
    assert "opened" not in outcome.out
