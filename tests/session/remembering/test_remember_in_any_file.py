"""`skillbag session remember` in files of every style, and where it can't write: one value changes, or nothing does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.documents.edit.lines import HandEditError
from skillbag.kernel.fs.read import LIMIT
from skillbag.session.remembering.remember import remember
from skillbag.session.settings.value import typed
from tests.kernel.transaction.snapshots import snapshot as states
from tests.kernel.transaction.snapshots import timeless
from tests.rows import each_row
from tests.session.agents import is_refused
from tests.session.tables import toml_table
from tests.session.user_contexts import NAMES, SKILLS, VALUES, blocks_of, given_in, make_for, text_of, texts, value_in
from tests.supply.install.worlds import contents, make_workspace, snapshot, write
from tests.support import PROJECT, Run
from tests.unprivileged import unprivileged

STYLES = toml_table("remembered")


@each_row("style", STYLES)
def test_files_of_every_style(run: Run, tmp_path: Path, style: str) -> None:
    workspace = make_workspace(tmp_path, user_context=STYLES[style]["before"])
    assert run("remember", "a=new", cwd=workspace).code == 0
    assert text_of(workspace) == STYLES[style]["after"]
    assert value_in(workspace, "a") == typed("new")


@given(texts(), st.sampled_from(SKILLS), st.sampled_from(NAMES), VALUES)
def test_exactly_one_value_changes_in_any_file(raw: bytes, skill: str, name: str, value: object) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = make_for(Path(folder), raw)
        remember(folder, name, typed(value), skill, explicit=True)
        after = (root / "USER_CONTEXT.md").read_bytes()
        found = value_in(root, name, skill)
        assert found is not None
        assert repr(found.value) == repr(value)
    expected = blocks_of(raw)
    written = yaml.load(f"a: {json.dumps(value, ensure_ascii=False)}", yaml.BaseLoader)["a"]  # noqa: S506 - reads texts alone
    if numbers := given_in(expected, skill, name):
        expected[numbers[-1]]["parameters"][skill][name] = written
        assert blocks_of(after) == expected
        return
    # Nothing but one insertion.
    start = next((at for at, (one, other) in enumerate(zip(raw, after, strict=False)) if one != other), len(raw))
    assert raw[start:] == after[len(after) - len(raw) + start :]
    (number,) = given_in(blocks_of(after), skill, name)
    blocks = blocks_of(after)
    given_ = blocks[number]["parameters"]
    assert given_[skill].pop(name) == written
    if not given_[skill] and number == len(expected):
        assert blocks.pop() == {"parameters": {skill: {}}}
    elif not given_[skill]:
        del given_[skill]
    assert blocks == expected


@pytest.mark.parametrize(
    "text",
    [
        '```yaml\nparameters:\n  "*":\n    a:\n      # why\n      - 1\n```\n',
        "Text\n\n```text\nnever closed\n",
        "Text\n\n<!-- never closed\n",
    ],
)
def test_what_can_not_be_edited_safely_is_left_to_the_user(run: Run, tmp_path: Path, text: str) -> None:
    workspace = make_workspace(tmp_path, user_context=text)
    before = snapshot(workspace)
    is_refused(run("remember", "a=new", cwd=workspace), "USER_CONTEXT.md", '\nparameters:\n  "*":\n    a: new\n```\n')
    assert snapshot(workspace) == before
    with pytest.raises(HandEditError):
        remember(str(workspace), "a", typed("new"))


@pytest.mark.parametrize(
    ("file", "text", "place"),
    [
        ("USER_CONTEXT.md", "```yaml\nparameters: [a]\n```\n", "USER_CONTEXT.md:2: "),
        ("USER_CONTEXT.md", "\n```yaml\nparameters: {a: [}\n```\n", "USER_CONTEXT.md:3: "),
        ("USER_CONTEXT.md", b"\xff\xfe", "USER_CONTEXT.md:1: "),
        ("CONTEXT.md", "```yaml\nparameters: {A_b: {}}\n```\n", "CONTEXT.md:2: "),
    ],
)
def test_a_malformed_file_is_named_and_left_alone(
    run: Run, tmp_path: Path, file: str, text: str | bytes, place: str
) -> None:
    workspace = write(make_workspace(tmp_path), {file: text})
    before = snapshot(workspace)
    for command in (["remember", "a=new"], ["forget", "a"]):
        outcome = run(*command, cwd=workspace)
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err.startswith(f"error: {place}")
    assert snapshot(workspace) == before


def test_a_link_in_the_place_of_the_file_is_refused(run: Run, tmp_path: Path) -> None:
    workspace = write(make_workspace(tmp_path / "workspace"), {"notes.md": "# Notes\n"})
    for target in ("notes.md", "nothing.md", "../outside.md", "USER_CONTEXT.md"):
        write(tmp_path, {"outside.md": "# Outside\n"})
        (workspace / "USER_CONTEXT.md").symlink_to(target)
        before = timeless(states(tmp_path))
        outcome = run("remember", "a=1", cwd=workspace)
        assert outcome.code in (2, 4)
        assert "link" in outcome.err
        assert timeless(states(tmp_path)) == before
        (workspace / "USER_CONTEXT.md").unlink()


@pytest.mark.parametrize("what", ["a folder", "a pipe", "too large"])
def test_what_is_no_readable_file_is_refused(run: Run, tmp_path: Path, what: str) -> None:
    workspace, path = make_workspace(tmp_path), tmp_path / "USER_CONTEXT.md"
    if what == "a folder":
        path.mkdir()
    elif what == "a pipe":
        os.mkfifo(path)
    else:
        path.write_bytes(b"x" * (LIMIT + 1))
    outcome = run("remember", "a=1", cwd=workspace)
    assert outcome.code == 2
    assert outcome.err.startswith("error: USER_CONTEXT.md:1: ")


def test_the_file_never_becomes_larger_than_can_be_read(run: Run, tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path, user_context="x" * (LIMIT - 1) + "\n")
    before = text_of(workspace)
    is_refused(run("remember", "a=1", cwd=workspace), "would be larger than 1 MiB")
    assert text_of(workspace) == before


@pytest.mark.parametrize("existing", [False, True])
def test_a_workspace_that_can_not_be_written_stays_as_it_was(tmp_path: Path, existing: bool) -> None:
    workspace = make_workspace(tmp_path / "workspace", user_context="# Mine\n" if existing else "")
    before = contents(workspace)
    workspace.chmod(0o555)
    done = unprivileged(workspace, "remember", "a=1")
    workspace.chmod(0o755)
    assert done.returncode == 4
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == ["error", "hint"]
    assert "Permission denied" in done.stderr
    assert contents(workspace) == before


def test_the_file_keeps_its_permissions(run: Run, tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path, user_context="# Mine\n")
    (workspace / "USER_CONTEXT.md").chmod(0o600)
    assert run("remember", "a=1", cwd=workspace).code == 0
    assert (workspace / "USER_CONTEXT.md").stat().st_mode & 0o777 == 0o600


# The system lets a process write no file beyond this size: what a full disk is to it.
FULL = """
import resource, signal, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
sys.argv[0] = "skillbag"
from skillbag.doors.cli import main
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="limits of this kind are POSIX's")
@pytest.mark.parametrize("size", [1, 100, 2_000])
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, size: int) -> None:
    workspace = make_workspace(tmp_path, user_context="# Mine\n" * 1_000)
    before = contents(workspace)
    command = [sys.executable, "-c", FULL, str(size), "remember", "a=1", "--workspace", str(workspace)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 4, done.stderr
    assert "File too large" in done.stderr
    assert contents(workspace) == before
