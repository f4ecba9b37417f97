"""`refresh --watch`: real changes, seen by a real process, which ends as cleanly as it is asked to."""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lifecycle.agents import CONVERT, SESSION, enter, launch, refresh, states, tagged
from tests.lifecycle.bags import context, skill_md
from tests.support import Run, ignoring

PATIENCE = 30.0

pytestmark = [pytest.mark.skipif(os.name != "posix", reason="a process is ended by signals here"), pytest.mark.boundary]


class Watch:
    """A watching process, and the lines that it has printed."""

    def __init__(self, root: Path, *arguments: str) -> None:
        self.process = launch(root, "refresh", "--session", SESSION, "--watch", *arguments)
        self.lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.put(line)

    def next(self) -> dict[str, Any]:
        """The next line."""
        values: dict[str, Any] = json.loads(self.lines.get(timeout=PATIENCE))
        return values

    def is_silent(self, seconds: float) -> bool:
        """Whether no line comes for so long."""
        try:
            return not self.lines.get(timeout=seconds)
        except queue.Empty:
            return True

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Send a signal; the exit code and the errors."""
        self.process.send_signal(number)
        return self.ended()

    def ended(self) -> tuple[int, str]:
        """The exit code and the errors of the process, once it has ended."""
        assert self.process.stderr
        return self.process.wait(PATIENCE), self.process.stderr.read()


@pytest.fixture
def root(run: Run, tmp_path: Path) -> Path:
    root = tagged(tmp_path / "w")
    enter(run, root)
    return root


@pytest.fixture
def watch(root: Path) -> Iterator[Watch]:
    """A watch that has told of the state of things as it was found."""
    watch = Watch(root)
    yield watch
    if watch.process.poll() is None:
        watch.process.kill()
    watch.process.wait()


@pytest.mark.proves("lifecycle", "refresh.trigger", "refresh.minimal")
def test_each_change_is_a_line(run: Run, root: Path, watch: Watch) -> None:
    first = watch.next()
    assert (first["version"], first["command"], first["exit"], first["nothing"]) == (1, "refresh", 0, True)
    (root / "CONTEXT.md").write_text("# C\n")
    assert watch.next()["changed"] == [{"path": "CONTEXT.md", "what": "new"}]
    (root / ".skills/greet/SKILL.md").write_text("---\n")
    assert watch.next()["read"] == [".skills/greet/SKILL.md"]
    (root / "notes.md").write_text("of no interest")
    (root / ".skills/tidy/SKILL.md").write_text("never loaded")
    os.utime(root / "CONTEXT.md")
    # Were one of these worth a line, it would be the next one, or part of it.
    (root / ".skills/greet/SKILL.md").write_text("---\n\n")
    assert [one["path"] for one in watch.next()["changed"]] == [".skills/greet/SKILL.md"]
    assert watch.end() == (0, "")


@pytest.mark.proves("lifecycle", "refresh.complete")
def test_it_takes_nothing_from_the_refresh_of_the_session(run: Run, root: Path, watch: Watch) -> None:
    watch.next()
    before = states()[0].read_bytes()
    (root / "CONTEXT.md").write_text("# C\n")
    watch.next()
    assert states()[0].read_bytes() == before
    assert refresh(run, root)["read"] == ["CONTEXT.md"]
    assert refresh(run, root)["nothing"] is True
    (root / ".skills/greet/SKILL.md").write_text("---\n")
    assert watch.next()["read"] == [".skills/greet/SKILL.md"]


def test_it_begins_with_what_has_changed_until_then(root: Path) -> None:
    (root / "CONTEXT.md").write_text("# C\n")
    watch = Watch(root, "--json")
    assert watch.next()["read"] == ["CONTEXT.md"]
    assert watch.end() == (0, "")


@pytest.mark.proves("lifecycle", "refresh.trigger")
def test_what_the_session_loads_meanwhile_is_watched_too(run: Run, root: Path, watch: Watch) -> None:
    watch.next()
    assert run("run", "convert_to_pdf", "--session", SESSION, cwd=root).code == 0
    (root / CONVERT).write_text(skill_md("convert-to-pdf", "Converts files.", "Otherwise."))
    assert watch.next()["read"] == [CONVERT]


def test_a_file_that_is_replaced_and_a_folder_that_is_moved_are_seen(run: Run, root: Path, watch: Watch) -> None:
    watch.next()
    (root / "new").write_text("greet: Greets others. #run/always\n")
    (root / "new").replace(root / ".skills/SKILLS.md")
    values = watch.next()
    assert (values["described"], len(values["removed"])) == (["greet"], 4)
    (root / ".skills").rename(root / "away")
    assert {one["what"] for one in watch.next()["changed"]} == {"removed"}
    (root / "away").rename(root / ".skills")
    assert watch.next()["read"][0] == ".skills/SKILLS.md"


def test_a_mistake_in_a_file_is_a_line_too_and_it_goes_on(root: Path, watch: Watch) -> None:
    watch.next()
    (root / "USER_CONTEXT.md").write_text(context("prohibit: {skills: 5}"))
    values = watch.next()
    assert (values["exit"], values["error"][:16]) == (2, "USER_CONTEXT.md:")
    assert watch.is_silent(1.8)
    (root / "USER_CONTEXT.md").write_text(context("prohibit: {skills: [tidy]}"))
    assert watch.next()["read"] == ["USER_CONTEXT.md"]
    assert watch.end() == (0, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly(watch: Watch, number: int) -> None:
    watch.next()
    assert watch.end(number) == (0, "")


def test_who_starts_it_with_interrupts_ignored_does_not_end_it_by_one(root: Path) -> None:
    with ignoring(signal.SIGINT, signal.SIGHUP):
        watch = Watch(root)
    watch.next()
    for number in (signal.SIGINT, signal.SIGHUP):
        watch.process.send_signal(number)
    (root / "USER_CONTEXT.md").write_text(context("prohibit: {skills: [tidy]}"))
    assert watch.next()["read"] == ["USER_CONTEXT.md"]
    assert watch.end() == (0, "")


def test_it_ends_when_nobody_reads_any_more_though_nothing_changes(root: Path) -> None:
    process = launch(root, "refresh", "--session", SESSION, "--watch")
    assert process.stdout
    assert process.stderr
    process.stdout.readline()
    process.stdout.close()
    assert (process.wait(PATIENCE), process.stderr.read()) == (0, "")


def test_it_ends_with_a_sentence_when_the_workspace_vanishes(root: Path, watch: Watch) -> None:
    watch.next()
    shutil.rmtree(root)
    code, told = watch.ended()
    assert code == 4
    assert told == f"skillbag: {root}: the workspace is gone\n"


def test_it_ends_with_a_sentence_when_the_session_does(root: Path, watch: Watch) -> None:
    watch.next()
    states()[0].unlink()
    code, told = watch.ended()
    assert code == 2
    assert "has not entered this workspace" in told


def test_a_session_that_has_not_entered_cannot_be_watched(root: Path) -> None:
    process = launch(root, "refresh", "--session", "another", "--watch", "--json")
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert "has not entered this workspace" in json.loads(out)["error"]


@pytest.mark.parametrize("arguments", [["tidy"], ["--trace"]])
def test_it_goes_with_neither_skills_nor_a_trace(run: Run, root: Path, arguments: list[str]) -> None:
    assert run("refresh", "--session", SESSION, "--watch", *arguments, cwd=root).code == 2


def test_where_the_system_watches_nothing_it_looks_itself(root: Path) -> None:
    program = "import sys, watchfiles\nfrom skillbag.cli import main\ndef watch(*_, **__):\n    raise OSError\n"
    program += "    yield\nwatchfiles.watch = watch\nmain()\n"
    arguments = ["refresh", "--session", SESSION, "--watch", "--workspace", str(root)]
    process = subprocess.Popen([sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    process.stdout.readline()
    (root / "CONTEXT.md").write_text("# C\n")
    assert json.loads(process.stdout.readline())["read"] == ["CONTEXT.md"]
    process.terminate()
    assert process.wait(PATIENCE) == 0
    process.stdout.close()
