"""Commands that write a few files, several at once or killed at any call: all is old or new, and nothing is left."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.kernel.transaction.faults import kill
from tests.kernel.transaction.runner import commanded, count_calls, fork, in_child, wait
from tests.kernel.transaction.workspaces import make_workspace, write
from tests.sampling import sample_calls
from tests.support import Run, skill

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the children are forked")

State = dict[str, bytes]


def state(folder: Path) -> State:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def left_over(*folders: Path) -> list[Path]:
    return [path for folder in folders for path in folder.rglob(".skillbag*") if path.name != ".skillbag.lock"]


def test_eight_new_skills_at_once_are_all_in_the_catalog(tmp_path: Path) -> None:
    root = make_workspace(tmp_path / "w")
    names = [f"new-{number}" for number in range(8)]
    children = [fork(commanded(root, "new", name)) for name in names]
    assert [wait(child) for child in children] == ["done"] * 8
    listed = (root / ".skills/SKILLS.md").read_text()
    assert [name for name in names if f"{name}:" in listed] == names


@pytest.mark.parametrize("command", ["new more --type tool", "init --pre-commit --agents claude --hooks"])
def test_killed_at_each_call_it_is_old_or_new(tmp_path: Path, run: Run, command: str) -> None:
    root = tmp_path / "w"
    old = state(_fresh(root))
    number = count_calls(commanded(root, *command.split()))
    new = state(root)
    assert len(new.keys() - old.keys()) > 1
    found = set()
    for at in sample_calls(command, range(1, number + 1)):
        _fresh(root)
        in_child(commanded(root, *command.split(), acts={at: kill}))
        run("list", cwd=root)
        found.add(state(root) == new)
        assert state(root) in (old, new), f"{at} of {number}"
        assert left_over(root) == [], f"{at} of {number}"
    assert found == {True, False}


def _fresh(root: Path) -> Path:
    shutil.rmtree(root, ignore_errors=True)
    return make_workspace(root)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", ["hook install", "check --output=baseline=base.json", "marketplace add https://example.com/a/b.git"]
)
def test_the_same_command_clears_away_what_a_killed_one_has_left(tmp_path: Path, command: str) -> None:
    root, settings = tmp_path / "w", Path(os.environ["SKILLBAG_CONFIG_DIR"])
    write(_fresh(root), {".skills/renewed/SKILL.md": skill("renewed") + "\n[a](b.md)\n"})
    number = count_calls(commanded(root, *command.split()))
    for at in sample_calls(command, range(1, number + 1)):
        _fresh(root)
        shutil.rmtree(settings, ignore_errors=True)
        in_child(commanded(root, *command.split(), acts={at: kill}))
        assert in_child(commanded(root, *command.split())) == "done"
        assert left_over(root, settings) == [], f"{at} of {number}"


def test_what_another_writer_is_writing_stays(tmp_path: Path) -> None:
    from skillbag.kernel.fs.atomic import open_atomic, write_atomic

    with open_atomic(str(tmp_path / "a"), root=str(tmp_path)) as file:
        file.write(b"a")
        write_atomic(str(tmp_path / "b"), b"b", root=str(tmp_path))
    assert state(tmp_path) == {"a": b"a", "b": b"b"}
