"""`enter --hook`: whatever an agent's hook gives, the exit code is 0 and the text is of use."""

from __future__ import annotations

import json
import os
import subprocess
from functools import partial
from pathlib import Path

import pytest

from skillbag.doors.cli.stdin import piped_input
from tests.rows import each_row
from tests.session.agents import command, enter, execute, launch, refresh, states, tagged
from tests.session.bags import bag, context, crowded, parameters, skill_md
from tests.session.entry.test_enter import BROKEN
from tests.session.forks import Forked, forks
from tests.support import Completed, Run


def hook(run: Run, given: object, *arguments: object, cwd: Path) -> str:
    """What the hook prints; its exit code is 0 in any case."""
    stdin = given if isinstance(given, bytes) else json.dumps(given).encode()
    outcome: Completed = run("enter", "--hook", *arguments, cwd=cwd, stdin=stdin)
    assert (outcome.code, outcome.err) == (0, "")
    return outcome.out


@pytest.mark.proves("lifecycle", "entry.once")
def test_the_session_and_the_folder_come_from_standard_input(run: Run, tmp_path: Path, root: Path) -> None:
    given = {"session_id": "from-the-agent", "cwd": str(root / ".skills"), "source": "startup", "hook_event_name": "x"}
    text = hook(run, given, cwd=tmp_path)
    assert text.splitlines()[:2] == [
        f"Entry into the workspace {root}",
        "Session: from-the-agent (turn and run take it: --session from-the-agent)",
    ]
    assert "# Skill: greet" in text
    assert refresh(run, root, session="from-the-agent")["nothing"] is True
    assert hook(run, given, cwd=tmp_path) == (
        "Session from-the-agent has entered already; "
        "skillbag enter --session from-the-agent --again prints the report once more.\n"
    )


@pytest.mark.proves("lifecycle", "entry.order")
@pytest.mark.parametrize("file", ["CONTEXT.md", "USER_CONTEXT.md"])
def test_long_text_is_cut_at_a_line_with_the_advice_to_read_the_rest(run: Run, tmp_path: Path, file: str) -> None:
    block = "```yaml\nparameters: {}\n```\n\n"
    rules = [f"- rule {number}: {'words ' * 20}".rstrip() for number in range(100)]
    text = "# Mine\r\n\r\n" + block + "\r\n".join(rules) + "\r\n\r\nNever publish on a Friday.\r\n"
    root = tagged(tmp_path / "w", {file: text})
    reported = hook(run, {"session_id": "s"}, cwd=root).split(f"## From {file}\n\n")[1].split("\n\n## ")[0]
    *kept, last = reported.splitlines()
    assert kept[:2] == ["# Mine", ""]
    assert kept[2:] == rules[: len(kept) - 2]
    assert 3_500 < len(reported) < 4_200
    length = len(text.replace("\r", "").replace(block, "").strip())
    line = text.splitlines().index(rules[len(kept) - 2]) + 1
    assert last == (
        f"… {length:,} characters in all. Read {file} from line {line} on before you do anything else: "
        "the last lines may be a prohibition."
    )


def test_short_words_are_whole_in_a_hook(run: Run, tmp_path: Path) -> None:
    words = "\n".join(f"Line {number} of what I like." for number in range(130))
    text = hook(run, {"session_id": "s"}, cwd=tagged(tmp_path / "w", {"USER_CONTEXT.md": words}))
    assert words in text
    assert "characters in all" not in text


@pytest.mark.proves("lifecycle", "entry.once")
@pytest.mark.parametrize("source", ["compact", "resume", "clear"])
def test_an_agent_whose_context_was_emptied_is_given_the_report_again(run: Run, root: Path, source: str) -> None:
    first = hook(run, {"session_id": "s"}, cwd=root)
    again = hook(run, {"session_id": "s", "source": source}, cwd=root)
    assert again == first.replace(f"{root}\n", f"{root}, once more\n", 1)


def test_the_folder_of_the_command_line_counts_more(run: Run, tmp_path: Path) -> None:
    one, other = tagged(tmp_path / "one"), tagged(tmp_path / "other")
    assert str(other) in hook(run, {"cwd": str(one)}, "--workspace", other, cwd=tmp_path)
    assert str(one) in hook(run, {"cwd": str(one)}, cwd=other)
    assert str(other) in hook(run, {}, cwd=other)


def test_the_session_of_the_command_line_serves_where_the_agent_names_none(run: Run, root: Path) -> None:
    assert "Session: mine (" in hook(run, {}, "--session", "mine", cwd=root)
    assert "Session: theirs (" in hook(run, {"session_id": "theirs"}, "--session", "mine", cwd=root)


@pytest.mark.proves("lifecycle", "entry.missing")
def test_missing_skills_are_in_the_text(run: Run, tmp_path: Path) -> None:
    needs = context("dependencies:\n  - {name: lint-docs, version: v1, source: ../utils}")
    text = hook(run, {"session_id": "s"}, cwd=tagged(tmp_path / "w", {"CONTEXT.md": needs}))
    assert "## Missing skills: ask the user, then: skillbag install\n\n- lint-docs v1 from ../utils (CONTEXT" in text


def test_an_open_question_is_in_the_text(run: Run, tmp_path: Path) -> None:
    body = parameters("required:\n  - name: tone")
    files: dict[str, str | bytes] = {".skills/greet/SKILL.md": skill_md("greet", "Greets. #run/always", body)}
    text = hook(run, {}, cwd=bag(tmp_path / "w", {"greet": "Greets. #run/always"}, files))
    assert "greet can't run yet: 1 question" in text


def test_outside_of_a_workspace_nothing_is_printed(run: Run, tmp_path: Path) -> None:
    assert hook(run, {"session_id": "s", "cwd": str(tmp_path)}, cwd=tmp_path) == ""
    source = bag(tmp_path / "source", ["a"], {"AGENTS.md": "A `SKILLBAG` source.\n"})
    (source / "SKILLBAG.md").unlink()
    assert hook(run, {"session_id": "s", "cwd": str(source)}, cwd=tmp_path) == ""
    assert states() == []


@pytest.mark.parametrize("given", [b"", b"  \n", b"{}"])
def test_without_anything_on_standard_input_it_enters_here_in_a_new_session(
    run: Run, tmp_path: Path, given: bytes
) -> None:
    assert "# Skill: greet" in hook(run, given, cwd=tagged(tmp_path / "w"))
    assert len(states()) == 1


BAD = {
    "no JSON": b"session_id=5",
    "cut off": b'{"session_id": "s',
    "a list": b"[1]",
    "a number": b"7",
    "null": b"null",
    "no text": b"\xff\xfe\x00\x01",
    "another encoding": '{"session_id": "s"}'.encode("utf-16-le")[:-1],
    "nested deep": b"[" * 200_000,
    "a key twice and garbage": b'{"cwd": 1, "cwd": 2} x',
    "a number for an id": b'{"session_id": 5}',
    "a list for an id": b'{"session_id": ["s"]}',
    "an id with control characters": b'{"session_id": "a\\u001b[31m"}',
    "an id that is no text": b'{"session_id": "\\ud800"}',
    "an id of ten kilobytes": b'{"session_id": "' + b"x" * 10_240 + b'"}',
    "an id of white space": b'{"session_id": " "}',
    "a number for a folder": b'{"cwd": 5}',
    "a folder that is not there": b'{"cwd": "/no/such/folder"}',
    "a folder with a NUL": b'{"cwd": "a\\u0000b"}',
    "a folder that is no text": b'{"cwd": "\\ud800"}',
    "a folder with an escape": b'{"cwd": "/\\u001b[31m"}',
    "a source that is none": b'{"source": {"compact": 1}}',
}


@each_row("given", BAD.values(), ids=BAD)
def test_bad_input_is_one_line_and_never_an_error(run: Run, tmp_path: Path, given: bytes) -> None:
    text = hook(run, given, cwd=tagged(tmp_path / "w"))
    assert text.startswith("skillbag: ")
    assert text.count("\n") == 1
    assert text.rstrip("\n").isprintable()
    assert len(text) < 400
    assert states() == []


def test_more_than_a_megabyte_of_input_is_bad_input(run: Run, tmp_path: Path) -> None:
    given = json.dumps({"session_id": "s", "more": "x" * 3_000_000}).encode()
    text = hook(run, given, cwd=tagged(tmp_path / "w"))
    assert text == "skillbag: the standard input of the hook is too long; run skillbag enter instead\n"


@pytest.mark.parametrize("path", BROKEN)
def test_a_broken_file_is_one_line_with_its_place(run: Run, root: Path, path: str) -> None:
    (root / path).write_bytes(BROKEN[path])
    text = hook(run, {"session_id": "s"}, cwd=root)
    assert text.startswith(f"skillbag: {path}:")
    assert text.count("\n") == 1
    assert states() == []


def test_a_state_folder_that_is_none_is_one_line(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SKILLBAG_STATE_DIR", str(tmp_path / "file"))
    text = hook(run, {"session_id": "s"}, cwd=tagged(tmp_path / "w"))
    assert text.startswith("skillbag: ")
    assert "set SKILLBAG_STATE_DIR" in text
    assert text.count("\n") == 1


def test_a_fault_of_our_own_stops_no_agent(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("skillbag.session.entry.entry.enter_workspace", fail)
    outcome = run("enter", "--hook", cwd=tagged(tmp_path / "w"), stdin=b"{}")
    assert outcome.code == 0
    assert outcome.out.startswith("skillbag: entry failed (RuntimeError)")
    assert "boom" in outcome.err


@forks
def test_an_input_that_never_ends_is_not_waited_for(root: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b'{"session_id": "slow"}')
    with open(reading) as stdin, open(writing):
        impatient = partial(setattr, piped_input, "__defaults__", (0.2,))
        done = Forked(root, "enter", "--hook", stdin=stdin, prepare=impatient).ended()
    assert (done.code, done.err) == (0, "")
    assert "Session: slow (" in done.out


@pytest.mark.skipif(os.name != "posix", reason="a shell closes the streams")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_obstacle(root: Path, closed: str, run: Run) -> None:
    line = f'exec "$@" {closed}'
    arguments = ["sh", "-c", line, "sh", *command("enter", "--hook", "--session", "s1")]
    done = execute(root, arguments, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stderr) == (0, "")
    assert enter(run, root)["status"] in ("already", "entered")


def test_a_hook_whose_output_is_not_read_ends_with_0(tmp_path: Path, run: Run) -> None:
    root = crowded(tmp_path / "w")
    process = launch(root, "enter", "--hook", stdin=subprocess.PIPE)
    assert process.stdout
    assert process.stdin
    assert process.stderr
    process.stdout.close()
    process.stdin.write('{"session_id": "s1"}')
    process.stdin.close()
    assert (process.wait(300), process.stderr.read()) == (0, "")
    assert enter(run, root)["status"] == "entered"
