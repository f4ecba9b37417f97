"""`refresh --watch`: real changes, seen by a real process, which ends as cleanly as it is asked to."""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skillbag.kernel.base.errors import UserError
from skillbag.session.refresh.refresh import Refresh
from skillbag.session.refresh.watch import watch as watch_session
from tests.session.agents import CONVERT, SESSION, enter, launch, refresh, states, tagged
from tests.session.bags import context, skill_md
from tests.session.test_lifecycle_schema import check
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
        """The next line, which follows the schema."""
        values: dict[str, Any] = json.loads(self.lines.get(timeout=PATIENCE))
        check(values)
        return values

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
    """A watching process."""
    watch = Watch(root)
    yield watch
    if watch.process.poll() is None:
        watch.process.kill()
    watch.process.wait()


class Watching:
    """A watch in a thread of this process, and what it delivers."""

    def __init__(self, root: Path) -> None:
        self._delivered: queue.Queue[Refresh | UserError] = queue.Queue()
        self._ended = threading.Event()
        self._thread = threading.Thread(
            target=watch_session, args=(str(root), SESSION, self._delivered.put, self._ended)
        )
        self._thread.start()

    def next(self, seconds: float = PATIENCE) -> Refresh:
        """The next changes; raises the next error."""
        found = self._delivered.get(timeout=seconds)
        if isinstance(found, UserError):
            raise found
        return found

    def end(self) -> None:
        """End it, and wait until it has."""
        self._ended.set()
        self._thread.join()


@pytest.fixture
def watching(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watching]:
    monkeypatch.setattr("skillbag.session.refresh.watch._TICK", 0.2)
    watching = Watching(root)
    yield watching
    watching.end()


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
    assert [change["path"] for change in watch.next()["changed"]] == [".skills/greet/SKILL.md"]
    (root / "USER_CONTEXT.md").write_text(context("prohibit: {skills: 5}"))
    values = watch.next()
    assert (values["exit"], values["error"][:16]) == (2, "USER_CONTEXT.md:")
    assert watch.end() == (0, "")


@pytest.mark.proves("lifecycle", "refresh.complete")
def test_it_takes_nothing_from_the_refresh_of_the_session(run: Run, root: Path, watching: Watching) -> None:
    watching.next()
    before = states()[0].read_bytes()
    (root / "CONTEXT.md").write_text("# C\n")
    watching.next()
    assert states()[0].read_bytes() == before
    assert refresh(run, root)["read"] == ["CONTEXT.md"]
    assert refresh(run, root)["nothing"] is True
    (root / ".skills/greet/SKILL.md").write_text("---\n")
    assert watching.next().read == (".skills/greet/SKILL.md",)


def test_it_begins_with_what_has_changed_until_then(root: Path) -> None:
    (root / "CONTEXT.md").write_text("# C\n")
    watching = Watching(root)
    assert watching.next().read == ("CONTEXT.md",)
    watching.end()


@pytest.mark.proves("lifecycle", "refresh.trigger")
def test_what_the_session_loads_meanwhile_is_watched_too(run: Run, root: Path, watching: Watching) -> None:
    watching.next()
    assert run("run", "convert_to_pdf", "--session", SESSION, cwd=root).code == 0
    (root / CONVERT).write_text(skill_md("convert-to-pdf", "Converts files.", "Otherwise."))
    assert watching.next().read == (CONVERT,)


def test_a_file_that_is_replaced_and_a_folder_that_is_moved_are_seen(root: Path, watching: Watching) -> None:
    watching.next()
    (root / "new").write_text("greet: Greets others. #run/always\n")
    (root / "new").replace(root / ".skills/SKILLS.md")
    found = watching.next()
    assert (found.described, len(found.removed)) == (("greet",), 4)
    (root / ".skills").rename(root / "away")
    assert {change.what for change in watching.next().changed} == {"removed"}
    (root / "away").rename(root / ".skills")
    assert watching.next().read[0] == ".skills/SKILLS.md"


def test_a_malformed_file_is_reported_once_and_watching_goes_on(root: Path, watching: Watching) -> None:
    watching.next()
    (root / "USER_CONTEXT.md").write_text(context("prohibit: {skills: 5}"))
    with pytest.raises(UserError, match=r"^USER_CONTEXT\.md:"):
        watching.next()
    with pytest.raises(queue.Empty):
        watching.next(0.8)
    (root / "USER_CONTEXT.md").write_text(context("prohibit: {skills: [tidy]}"))
    assert watching.next().read == ("USER_CONTEXT.md",)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly(watch: Watch, number: int) -> None:
    watch.next()
    assert watch.end(number) == (0, "")


def test_an_ignored_interrupt_does_not_end_it(root: Path) -> None:
    with ignoring(signal.SIGINT, signal.SIGHUP):
        watch = Watch(root)
    watch.next()
    for number in (signal.SIGINT, signal.SIGHUP):
        watch.process.send_signal(number)
    (root / "USER_CONTEXT.md").write_text(context("prohibit: {skills: [tidy]}"))
    assert watch.next()["read"] == ["USER_CONTEXT.md"]
    assert watch.end() == (0, "")


def test_it_ends_without_a_reader_though_nothing_changes(root: Path) -> None:
    process = launch(root, "refresh", "--session", SESSION, "--watch")
    assert process.stdout
    assert process.stderr
    process.stdout.readline()
    process.stdout.close()
    assert (process.wait(PATIENCE), process.stderr.read()) == (0, "")


def test_it_ends_with_a_sentence_when_the_workspace_vanishes(root: Path, watch: Watch) -> None:
    watch.next()
    shutil.rmtree(root)
    code, reported = watch.ended()
    assert code == 4
    assert reported == f"error: {root}: the workspace is gone\n"


def test_it_ends_with_a_sentence_when_the_session_does(root: Path, watch: Watch) -> None:
    watch.next()
    states()[0].unlink()
    code, reported = watch.ended()
    assert code == 2
    assert "has not entered this workspace" in reported


def test_a_session_that_has_not_entered_cannot_be_watched(run: Run, root: Path) -> None:
    outcome = run("refresh", "--session", "another", "--watch", "--json", cwd=root)
    assert outcome.code == 2
    assert "has not entered this workspace" in json.loads(outcome.out)["error"]


@pytest.mark.parametrize("arguments", [["tidy"], ["--trace"]])
def test_it_goes_with_neither_skills_nor_a_trace(run: Run, root: Path, arguments: list[str]) -> None:
    assert run("refresh", "--session", SESSION, "--watch", *arguments, cwd=root).code == 2


def test_where_the_system_can_watch_nothing_contents_are_compared(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> Iterator[None]:
        raise OSError
        yield

    monkeypatch.setattr("watchfiles.watch", fail)
    monkeypatch.setattr("skillbag.session.refresh.watch._TICK", 0.1)
    watching = Watching(root)
    watching.next()
    (root / "CONTEXT.md").write_text("# C\n")
    assert watching.next().read == ("CONTEXT.md",)
    watching.end()
