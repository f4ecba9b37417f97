"""`check --watch`: a real process, real edits, and a report for each change."""

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

from tests.support import PROJECT, Tree, ignoring, skill

PATIENCE = 300.0
A = "skills/a/SKILL.md"
COMMAND = [sys.executable, "-m", "skillbag", "check", "--watch", "--format", "json"]

pytestmark = [pytest.mark.skipif(os.name != "posix", reason="a process is ended by signals here"), pytest.mark.boundary]


class Watch:
    """A watching process: its reports, and its messages on standard error."""

    def __init__(self, root: Path, *arguments: str) -> None:
        streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
        self.process = subprocess.Popen([*COMMAND, *arguments], cwd=root, text=True, env=environment, **streams)
        self.reports: queue.Queue[str] = queue.Queue()
        self.messages: queue.Queue[str] = queue.Queue()
        for stream, lines in ((self.process.stdout, self.reports), (self.process.stderr, self.messages)):
            threading.Thread(target=self._read, args=(stream, lines), daemon=True).start()

    @staticmethod
    def _read(stream: Any, lines: queue.Queue[str]) -> None:
        for line in stream:
            lines.put(line)

    def next(self) -> set[tuple[str, str]]:
        """The rules and places of the next report, which is one line."""
        report = json.loads(self.reports.get(timeout=PATIENCE))
        return {(finding["rule"], finding["path"]) for finding in report["findings"]}

    def until(self, wanted: set[tuple[str, str]]) -> None:
        """Read reports until one has just these."""
        while self.next() != wanted:
            pass

    def wait_for(self, words: str) -> None:
        """Read messages until one has these words."""
        while words not in self.messages.get(timeout=PATIENCE):
            pass

    def sees_a_fault_in(self, root: Path) -> None:
        """Break the first skill, and read reports until one has just that."""
        (root / A).write_text("no front matter\n")
        self.until({("frontmatter-invalid", A)})

    def end(self, number: int = signal.SIGINT) -> int:
        """Send a signal; the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@pytest.fixture
def root(tree: Tree) -> Path:
    return tree({A: skill("a"), "skills/b/SKILL.md": skill("b"), "README.md": "# Skills\n"})


@pytest.fixture
def watch(root: Path) -> Iterator[Watch]:
    """A watch that has reported the sound skills."""
    watch = Watch(root)
    assert watch.next() == set()
    watch.wait_for("watching")
    yield watch
    if watch.process.poll() is None:
        watch.process.kill()
    watch.process.wait()


def test_edits_are_reported_and_the_exit_code_is_that_of_the_last_report(root: Path, watch: Watch) -> None:
    # What no rule reads makes no report.
    (root / "README.md").write_text("# Other words\n")
    (root / "skills/a/picture.png").write_bytes(b"\x89PNG")
    (root / A).write_text("no front matter\n")
    assert watch.next() == {("frontmatter-invalid", A)}
    (root / A).write_text(skill("a"))
    watch.until(set())
    # An editor writes another file, and renames it.
    new = root / "skills/a/.SKILL.md.new"
    new.write_text("no front matter\n")
    new.replace(root / A)
    watch.until({("frontmatter-invalid", A)})
    assert watch.end(signal.SIGTERM) == 1


def test_interrupts_that_are_ignored_at_the_start_do_not_end_a_watch(root: Path) -> None:
    with ignoring(signal.SIGINT, signal.SIGHUP):
        watch = Watch(root)
    watch.wait_for("watching")
    for number in (signal.SIGINT, signal.SIGHUP):
        watch.process.send_signal(number)
    watch.sees_a_fault_in(root)
    assert watch.end(signal.SIGTERM) == 1


def test_skills_that_come_and_go_are_seen(root: Path, watch: Watch) -> None:
    (root / "skills/c/references").mkdir(parents=True)
    (root / "skills/c/SKILL.md").write_text("no front matter\n")
    watch.until({("frontmatter-invalid", "skills/c/SKILL.md")})
    # The folder is watched from now on.
    (root / "skills/c/SKILL.md").write_text(skill("c"))
    watch.until(set())
    (root / "skills/c/references/guide.md").write_text("[gone](gone.md)\n")
    watch.until({("link-broken", "skills/c/references/guide.md")})
    shutil.rmtree(root / "skills/c")
    watch.until(set())
    assert watch.end() == 0


def test_a_change_of_one_file_alters_the_verdict_on_another(tree: Tree) -> None:
    root = tree({A: skill("a") + "\n[b](../b/SKILL.md#b)\n", "skills/b/SKILL.md": skill("b")})
    watch = Watch(root)
    before = watch.next()
    (root / "skills/b/SKILL.md").write_text(skill("b").replace("# b\n", "# Another heading\n"))
    found = watch.next() - before
    assert [path for _, path in found] == [A]
    watch.end()


def test_a_configuration_is_read_again_and_a_mistake_in_it_stays_one(root: Path, watch: Watch) -> None:
    watch.sees_a_fault_in(root)
    (root / "skillbag.toml").write_text('ignore = ["frontmatter-invalid"]\n')
    watch.until(set())
    (root / "skillbag.toml").write_text("ignore = [\n")
    watch.wait_for("this is not TOML")
    (root / "skillbag.toml").write_text('exclude = ["*"]\n')
    watch.wait_for("excluded")
    (root / A).write_text("still no front matter\n")
    with pytest.raises(queue.Empty):
        watch.reports.get(timeout=0.5)
    (root / "skillbag.toml").unlink()
    watch.until({("frontmatter-invalid", A)})


def test_without_a_cache_a_watch_keeps_nothing(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for option, kept in (("--config=cache=false", False), ("--quiet", True)):
        cache = tmp_path / f"cache{option}"
        monkeypatch.setenv("SKILLBAG_CACHE_DIR", str(cache))
        watch = Watch(root, option)
        watch.wait_for("watching")
        watch.end()
        assert cache.exists() is kept


def test_a_watch_ends_by_itself_when_nobody_reads_it(root: Path) -> None:
    process = subprocess.Popen(
        COMMAND,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(PATIENCE) == 0
