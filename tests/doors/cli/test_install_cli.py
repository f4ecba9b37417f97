"""The commands about installed skills as people meet them: on a terminal, in a pipe, and in a hurry."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doors.cli.terminals import on_terminal, plain
from tests.rows import each_row
from tests.supply.install.worlds import AGENTS, STEPS, make_source, make_workspace, skill_text, write
from tests.support import Run

pytestmark = pytest.mark.boundary

SECRET = "sup3rS3cretTok3nXYZ"
ADDRESS = f"https://user:{SECRET}@example.com/Org/skills.git"


@pytest.fixture
def workspace(run: Run, tmp_path: Path) -> Path:
    """A workspace with the skills `a` and `b` of the folder `../one`."""
    make_source(tmp_path / "one", ["a", "b"])
    root = make_workspace(tmp_path / "work")
    assert run("install", "--all", "--source", "../one", cwd=root).code == 0
    return root


def newer(workspace: Path) -> None:
    """A newer `a` in the source."""
    write(workspace.parent / "one", {".skills/a/SKILL.md": skill_text("a", body="Version two.")})


def test_a_question_stays_as_it_was_asked_until_it_is_answered(workspace: Path) -> None:
    newer(workspace)
    ended = on_terminal(workspace, "update", answer="y\n")
    assert ended.code == 0
    assert "Plan: 1 to upgrade, 1 current. To be written: skillbag.lock.\nGo ahead? [y/N]: " in plain(ended.text)
    assert ended.pause == ""
    assert "1 upgraded, 1 current." in ended.text
    assert ended.text.endswith("\n")


def test_a_declined_plan_changes_nothing_and_says_so(workspace: Path) -> None:
    newer(workspace)
    ended = on_terminal(workspace, "update", answer="n\n")
    assert ended.code == 3
    after = plain(ended.text.partition("[y/N]: n")[2])
    assert after[after.index("declined") :] == (
        "declined: the installation was declined: you did not agree to replace a\n"
        "note: nothing was written: the workspace is as it was\n"
    )


def test_extra_steps_are_shown_in_full_once_and_can_be_refused(workspace: Path) -> None:
    steps = STEPS + "\n2. Open https://example.com/" + "x" * 90 + " and read\x1b[2J it.\n"
    make_source(workspace.parent / "two", ["c"], agents=steps)
    ended = on_terminal(workspace, "install", "c", "--source", "../two", answer="n\n", columns=50)
    assert ended.code == 3
    assert ended.pause == ""
    assert ended.text.count("| 1. Run `make ready`.") == 1
    assert "https://example.com/" + "x" * 90 in ended.text
    assert "\x1b[2J" not in ended.text
    assert not (workspace / ".skills/c").exists()
    after = plain(ended.text.partition("[y/N]: n")[2])
    assert "question" not in after
    assert " ".join(after[after.index("declined") :].split()) == (
        "declined: the installation was declined: you did not agree to the extra installation steps of ../two "
        "note: nothing was written: the workspace is as it was"
    )


def test_an_honest_source_is_not_asked_about(workspace: Path) -> None:
    agents = AGENTS.replace("The skills live", "Installed media skills live")
    make_source(workspace.parent / "two", ["c"], agents=agents)
    ended = on_terminal(workspace, "install", "c", "--source", "../two", answer="y\n")
    assert (ended.code, "Agree" in ended.text) == (0, False)


def test_what_is_new_is_shown_and_asked_about_and_no_writes_nothing(workspace: Path) -> None:
    make_source(workspace.parent / "two", ["c"])
    before = sorted(str(path) for path in workspace.rglob("*"))
    ended = on_terminal(workspace, "add", "../two", "c", answer="n\n")
    assert (ended.code, "../two" in ended.text.partition("Go ahead?")[0]) == (3, True)
    assert "you did not agree to install c" in " ".join(plain(ended.text).split())
    assert sorted(str(path) for path in workspace.rglob("*")) == before
    assert on_terminal(workspace, "add", "../two", "c", "--yes").code == 0
    # What the lock has is not new: a colleague has agreed to it.
    shutil.rmtree(workspace / ".skills/c")
    assert on_terminal(workspace, "install").code == 0


def test_colours_on_a_terminal_alone_and_not_against_the_will(run: Run, workspace: Path) -> None:
    assert "\x1b[2mcurrent" in on_terminal(workspace, "list").text
    assert "\x1b" not in on_terminal(workspace, "list", NO_COLOR="1").text
    assert "\x1b" not in on_terminal(workspace, "update", TERM="dumb").text
    assert "\x1b" not in run("list", cwd=workspace).out


def test_a_narrow_terminal_is_not_overrun(workspace: Path) -> None:
    shown = plain(on_terminal(workspace, "verify", columns=40).text)
    assert max(map(len, shown.splitlines())) <= 40


def test_a_reader_that_has_seen_enough_is_no_failure(workspace: Path) -> None:
    skills = {
        f"skill-{number}": json.loads((workspace / "skillbag.lock").read_text())["skills"]["a"] for number in range(999)
    }
    (workspace / "skillbag.lock").write_text(json.dumps({"version": 1, "skills": skills}))
    command = f"'{sys.executable}' -m skillbag list --json; echo $? >&2"
    # Without a buffer, Python takes a write that a closed pipe cut short for a whole one.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    done = subprocess.run(
        ["sh", "-c", f"({command}) | head -1"], cwd=workspace, capture_output=True, text=True, env=environment
    )
    assert (done.stdout, done.stderr) == ("{\n", "0\n")


@each_row(
    "arguments",
    [
        ("update", ADDRESS),
        ("remove", ADDRESS),
        ("why", ADDRESS),
        ("diff", ADDRESS),
        ("install", "--merge", ADDRESS),
        ("remove", "a", "--overwrite", ADDRESS),
    ],
)
def test_an_address_in_the_place_of_a_name_is_refused_and_not_repeated(
    run: Run, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    for more in ((), ("--json",)):
        outcome = run(*arguments, *more, cwd=make_workspace(tmp_path))
        printed = outcome.out + outcome.err
        assert (outcome.code, SECRET in printed) == (2, False)
        assert "an address or a path stands where the name of a skill belongs" in printed
        assert "skillbag list" in printed


@each_row(
    ("arguments", "words"),
    [
        (("install", "a", "--source", "../one", "--version", ""), "--version is empty"),
        (("install", "--accept=markers"), "--merge NAME"),
        (("install", "--merge", "a", "--overwrite", "a"), "give one of them"),
        (("add",), "name the skills to add"),
        (("list", "--version", "v1"), "--source ADDRESS"),
        (("list", "--version", " ", "--source", "../one"), "--source ADDRESS"),
        (("verify", "--workspace", "nowhere"), "there is no such folder"),
        (("self", "sync", "--workspace", ""), "there is no such folder"),
    ],
)
def test_mistakes_are_a_sentence_or_json(run: Run, tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    workspace = make_workspace(tmp_path)
    outcome = run(*arguments, cwd=workspace)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: ")
    assert words in outcome.err
    outcome = run(*arguments, "--json", cwd=workspace)
    values = json.loads(outcome.out)
    assert (outcome.code, outcome.err, values["exit"]) == (2, "", 2)
    assert words in values["problems"][0]["message"]


@pytest.mark.parametrize("name", ["one", "one.zip"])
def test_a_path_that_was_meant_from_the_current_folder_is_explained(run: Run, tmp_path: Path, name: str) -> None:
    make_workspace(tmp_path / "work")
    write(tmp_path, {"one/AGENTS.md": "SKILLBAG\n", "one.zip": "x"})
    outcome = run("add", "a", "--source", name, "--workspace", "work", cwd=tmp_path)
    assert outcome.code == 4
    assert f"not from the current folder: write {tmp_path / name}" in outcome.err
    assert "current folder" not in run("add", "a", "--source", "./gone.zip", "--workspace", "work", cwd=tmp_path).err


def test_no_difference_is_said_beside_the_empty_patch(run: Run, workspace: Path) -> None:
    outcome = run("diff", "a", cwd=workspace)
    assert (outcome.code, outcome.out, outcome.err) == (
        0,
        "",
        "note: there is no difference; --upstream compares with the newest version\n",
    )


def test_a_patch_of_a_file_with_windows_line_ends_applies(run: Run, workspace: Path) -> None:
    make_source(workspace.parent / "two", {"c": skill_text("c").replace("\n", "\r\n")})
    assert run("install", "c", "--source", "../two", cwd=workspace).code == 0
    skill = workspace / ".skills/c/SKILL.md"
    clean = skill.read_bytes()
    edited = clean.replace(b"Read the file.", b"Read it twice.")
    skill.write_bytes(edited)
    patch = run("diff", "c", cwd=workspace).out
    (workspace.parent / "c.patch").write_bytes(patch.encode())
    skill.write_bytes(clean)
    subprocess.run(["git", "apply", "../c.patch"], cwd=workspace, check=True)
    assert skill.read_bytes() == edited


def test_what_was_interrupted_is_completed_and_said_by_every_command_here(run: Run, workspace: Path) -> None:
    from tests.kernel.transaction.pending import journal, leave, of_text, step

    catalog = (workspace / ".skills/SKILLS.md").read_text()
    leave(
        workspace,
        journal(step(".skills/SKILLS.md", of_text(catalog), of_text(catalog + "\n"))),
        staged={"new/0000": catalog + "\n"},
    )
    outcome = run("list", cwd=workspace)
    assert (outcome.code, "an interrupted change was completed" in outcome.err) == (0, True)


@pytest.mark.skipif(os.name != "posix", reason="streams are closed by the shell")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_failure(workspace: Path, closed: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f"'{sys.executable}' -m skillbag update {closed}"], cwd=workspace, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("command", ["install", "add", "update"])
def test_help_names_the_exit_codes_and_keeps_within_80_columns(run: Run, command: str) -> None:
    text = run(command, "--help").out
    assert "Exit codes: 0 done, 1 an invalid source or drift, 2 bad usage" in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    "arguments",
    [
        ("update", f"http://user:{SECRET}@h.invalid/x"),
        ("install", "x", "--source", f"http://h.invalid/x.git#{SECRET}"),
        ("install", "x", "--source", f"//user:{SECRET}@h.invalid/x.git"),
        ("tree", "--workspace", f"https://user:{SECRET}@h.invalid/"),
    ],
)
def test_a_misplaced_address_is_refused_without_its_secret(
    run: Run, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    outcome = run(*arguments, cwd=make_workspace(tmp_path))
    assert outcome.code == 2
    assert SECRET[:11] not in outcome.out + outcome.err


@pytest.mark.parametrize("more", [(), ("other",), ("https://h.invalid/y",), ("--json",)])
@pytest.mark.parametrize("command", ["add", "install", "list", "check", "capabilities", "tree"])
def test_an_address_with_a_secret_is_shown_without_it(
    run: Run, tmp_path: Path, command: str, more: tuple[str, ...]
) -> None:
    outcome = run(command, f"http://user:{SECRET}@h.invalid/x", *more, cwd=make_workspace(tmp_path))
    assert outcome.code in (2, 4)
    assert SECRET[:11] not in outcome.out + outcome.err
