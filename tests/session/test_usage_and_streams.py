"""Mistakes on the command line if JSON is requested, and streams that can't be written to."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.rows import each_row
from tests.session.agents import command, is_refused, tagged
from tests.support import Run

pytestmark = pytest.mark.boundary

MISTAKES = [
    ("enter", "extra"),
    ("enter", "--nope"),
    ("enter", "--session"),
    ("resolve",),
    ("resolve", "greet", "extra"),
    ("run",),
    ("run", "greet", "--nope=1"),
    ("order", "--nope"),
    ("winner", "--nope"),
    ("refresh", "--watch", "greet"),
    ("remember", "--nope"),
    ("forget", "--nope"),
]


@each_row("usage", MISTAKES, ids=" ".join)
def test_a_mistake_of_usage_is_json_if_json_is_requested(run: Run, tmp_path: Path, usage: tuple[str, ...]) -> None:
    first, *rest = usage
    outcome = run(first, "--json", *rest, cwd=tagged(tmp_path))
    values = json.loads(outcome.out)
    assert (outcome.code, outcome.err) == (2, "")
    assert (values["version"], values["command"], values["exit"]) == (1, first, 2)
    assert len(values["error"].splitlines()) == 1


@pytest.mark.parametrize("usage", MISTAKES[:4], ids=" ".join)
def test_a_mistake_of_usage_is_reported_on_standard_error(run: Run, tmp_path: Path, usage: tuple[str, ...]) -> None:
    is_refused(run(*usage, cwd=tagged(tmp_path)), "error: ")


FULL = Path("/dev/full")
full = pytest.mark.skipif(not FULL.exists(), reason="the system has no device that is always full")


@full
@pytest.mark.proves("lifecycle", "entry.once")
def test_a_hook_whose_output_can_not_be_written_ends_well_and_has_not_entered(run: Run, root: Path) -> None:
    hooks: list[object] = [{"session_id": "s", "cwd": str(root)}, {"session_id": 5, "cwd": str(root)}, []]
    for hook in hooks:
        with FULL.open("w") as nowhere:
            done = subprocess.run(
                command("enter", "--hook"), input=json.dumps(hook), text=True, stdout=nowhere, stderr=subprocess.PIPE
            )
        assert (done.returncode, done.stderr) == (0, "")
    assert run("enter", "--session", "s", cwd=root).out.startswith("Entry into the workspace ")


@full
@pytest.mark.parametrize(
    ("arguments", "code"), [(("order", "nope"), 2), (("order", "--nope"), 2), (("order", "--trace"), 4)]
)
def test_the_exit_code_is_right_where_standard_error_takes_nothing(
    tmp_path: Path, arguments: tuple[str, ...], code: int
) -> None:
    root = tagged(tmp_path / "w")
    with FULL.open("w") as nowhere:
        done = subprocess.run(command(*arguments), cwd=root, stdout=subprocess.PIPE, stderr=nowhere)
    assert done.returncode == code


@pytest.mark.skipif(os.name != "posix", reason="pipes have such names on POSIX systems alone")
def test_a_pipe_as_inputs_is_named_as_one(root: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"{}")
    os.close(writing)
    arguments = command("resolve", "greet", "--inputs", f"/dev/fd/{reading}")
    done = subprocess.run(arguments, cwd=root, pass_fds=(reading,), capture_output=True, text=True)
    os.close(reading)
    assert done.returncode == 2
    assert done.stderr.endswith(": it is no file; give - for standard input\n")


@pytest.mark.skipif(os.name != "posix", reason="streams are closed so by POSIX shells")
@pytest.mark.proves("lifecycle", "entry.once", "refresh.complete")
def test_what_was_printed_to_a_closed_output_does_not_count_as_delivered(run: Run, root: Path) -> None:
    for arguments, start in (
        (("enter", "--session", "s"), "Entry into "),
        (("refresh", "--session", "s"), "New: "),
        (("turn", "--session", "t"), "Entry into "),
    ):
        words = " ".join(map(shlex.quote, command(*arguments)))
        done = subprocess.run(["sh", "-c", f"{words} >&-"], cwd=root, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        assert run(*arguments, cwd=root).out.startswith(start)
        (root / "CONTEXT.md").write_text("Words.\n", "utf-8")


def test_what_is_in_an_id_reaches_a_terminal_only_as_it_is_seen(run: Run, root: Path) -> None:
    for _ in range(2):
        out = run("enter", "--session", "##[error]\u3164x", cwd=root).out
        assert "##[" not in out
        assert "\u3164" not in out
