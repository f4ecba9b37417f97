"""`skillbag rename`: what an editor's rename does, on the disk, as a whole or not at all."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from shutil import rmtree

import pytest

from tests.kernel.transaction.faults import ACTS, Act, at_calls
from tests.kernel.transaction.runner import count_calls, in_child
from tests.lint.engine.test_fixes_killed import State, check_again, state
from tests.lint.symbols.worlds import found, words_workspace
from tests.sampling import sample_calls
from tests.support import Run, skill


@pytest.fixture
def words(tmp_path: Path) -> Path:
    return words_workspace(tmp_path)


def test_a_check_finds_nothing_new_and_files_keep_their_rights(words: Path, run: Run) -> None:
    script, image = (words / ".skills/tidy-words" / name for name in ("scripts/tidy.py", "assets/a.png"))
    script.chmod(0o755)
    image.parent.mkdir()
    image.write_bytes(b"\x89PNG\0\xff")
    cached = words / ".skills/tidy-words/scripts/__pycache__/tidy.pyc"
    cached.parent.mkdir()
    cached.touch()
    before = found(words)
    done = run("rename", "tidy-words", "clean", cwd=words)
    assert (done.code, done.out.splitlines()[0]) == (0, ".skills/tidy-words/ -> .skills/clean/")
    assert not found(words, "tidy-words", "clean") - before
    assert not (words / ".skills/tidy-words").exists()
    clean = words / ".skills/clean"
    assert (clean / "scripts/tidy.py").stat().st_mode & 0o777 == 0o755
    assert (clean / "assets/a.png").read_bytes() == b"\x89PNG\0\xff"
    assert (clean / "scripts/__pycache__/tidy.pyc").is_file()
    assert not (words / ".skillbag").exists()


def test_a_dry_run_says_what_would_change_and_writes_nothing(words: Path, run: Run) -> None:
    before = state(words)
    done = run("rename", "tidy-words", "clean", "--dry-run", "--json", cwd=words / ".skills")
    values = json.loads(done.out)
    assert (values["old"], values["new"], values["dry_run"]) == (".skills/tidy-words", ".skills/clean", True)
    (draft,) = (file for file in values["files"] if file["path"].endswith("draft-text/SKILL.md"))
    assert (draft["lines"], draft["words"]) == ([3, 5, 21, 22, 25, 26], [26])
    assert state(words) == before


def test_a_declared_name_in_another_spelling_becomes_that_of_the_folder(words: Path, run: Run) -> None:
    file = words / ".skills/tidy-words/SKILL.md"
    before = file.read_text()
    file.write_text(before.replace("name: tidy-words", "name: Tidy-Words"))
    done = run("rename", "Tidy-Words", "tidy-words", cwd=words)
    assert (done.code, done.out, file.read_text()) == (0, ".skills/tidy-words/SKILL.md: line 2\n", before)


def test_the_places_of_the_old_name_that_stay_are_said(words: Path, run: Run) -> None:
    (words / "README.md").write_text("# Words\n\nRun tidy-words, and not tidy-words-well.\n\nOld: tidy-words-well\n")
    (words / "CLAUDE.md").write_text("tidy-words\n" * 7)
    done = run("rename", "tidy-words", "clean", cwd=words)
    last = done.out.splitlines()[-1]
    assert last.startswith("Not changed, and still with the old name: README.md:3, CLAUDE.md:1, ")
    assert last.endswith("CLAUDE.md:4 and 3 more")


def test_a_plain_skill_of_the_same_name_elsewhere_is_another_one(words: Path, run: Run) -> None:
    other = words / "docs/tidy-words/SKILL.md"
    other.parent.mkdir(parents=True)
    other.write_text(skill("tidy-words"))
    (words / "tests/x").mkdir(parents=True)
    (words / "tests/x/SKILL.md").write_text(skill("x"))
    done = run("rename", "tidy-words", "clean", cwd=words)
    assert (done.code, done.out.splitlines()[0]) == (0, ".skills/tidy-words/ -> .skills/clean/"), done.err
    assert other.read_text() == skill("tidy-words")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("tidy-word", "clean", "Did you mean `tidy-words`?"),
        ("../../x\x1b[31m", "clean", "no skill in"),
        ("tidy-words", "../clean", "can't be a skill's name"),
        ("tidy-words", "Clean", "write `clean`"),
        ("tidy-words", "draft-text", "there is a skill `draft-text` already"),
        ("tidy-words", "tidy-words", "is named `tidy-words` already"),
        ("tidy-words", "", "can't be a skill's name"),
        ("tidy-words", "taken", "taken exists already"),
        ("publish-page", "clean", "link.md is a link"),
    ],
)
def test_a_refusal_says_why_and_changes_nothing(words: Path, run: Run, old: str, new: str, why: str) -> None:
    (words / ".skills/taken").symlink_to(words)
    (words / ".skills/publish-page/link.md").symlink_to(words / "CONTEXT.md")
    before = state(words)
    done = run("rename", old, new, cwd=words)
    assert (done.code, done.out) == (2, "")
    assert why in done.err
    assert "\x1b" not in done.err
    assert state(words) == before


def test_where_nothing_can_be_staged_all_stays(words: Path, run: Run) -> None:
    before = state(words)
    done = run("rename", "tidy-words", "clean", "--workspace", words / "gone")
    assert (done.code, "there is no such folder" in done.err) == (2, True)
    (words / ".skillbag").write_text("in the way", "utf-8")
    done = run("rename", "tidy-words", "clean", "--workspace", words)
    assert done.code == 4
    (words / ".skillbag").unlink()
    assert state(words) == before


@pytest.fixture
def base() -> Iterator[Path]:
    """A folder in memory where there is one: a disk takes its time to sync."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        yield Path(folder) / "words"


def fresh(root: Path) -> State:
    rmtree(root, ignore_errors=True)
    return state(words_workspace(root))


def renaming(root: Path, acts: Mapping[int, Act]) -> Callable[[], int]:
    """The work of a child: the command, which comes to grief at these of its calls."""

    def work() -> int:
        from skillbag.doors.cli import main

        sys.argv = ["skillbag", "rename", "tidy-words", "clean", "--workspace", str(root)]
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 -- for the short life of this process
        at_calls(acts)
        try:
            main()
        except SystemExit as ended:
            return int(ended.code or 0)
        return 0

    return work


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the children are forked")
@pytest.mark.parametrize("act", ["kill", "tear", "ENOSPC"])
def test_interrupted_at_any_call_all_is_old_or_all_is_new(base: Path, act: str) -> None:
    before = fresh(base)
    calls = count_calls(renaming(base, {}))
    after = state(base)
    assert ".skills/clean/SKILL.md" in after
    seen = set()
    for number in sample_calls(f"rename {act}", range(1, calls + 1)):
        fresh(base)
        in_child(renaming(base, {number: ACTS[act]}))
        check_again(base)
        now = state(base)
        assert now in (before, after), f"neither old nor new at call {number} of {calls}"
        seen.add(now == after)
        empty = [path for path in base.rglob("*") if path.is_dir() and not any(path.iterdir())]
        assert not empty, f"left at call {number} of {calls}"
    assert seen == {False, True} or act == "ENOSPC"
