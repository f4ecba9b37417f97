"""Credentials in the audit, in tools and in other processes."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.install.worlds import write
from tests.sources.credentials import USER, World
from tests.sources.servers import Request
from tests.support import Run


def test_the_audit(world: World) -> None:
    world.declares(f"dependencies:\n  - name: aa\n    source: {world.address()}\n")
    lines = [world.address(), f"{world.address()} @ v1", world.address("gone.git"), str(world.workspace)]
    lines += [f"http:/{USER}:{world.password}@example.com/repo.git", world.address("repo.zip?token=" + world.password)]
    write(world.folder, {"manifest.txt": "\n".join(lines)})
    world.both("audit", "--manifest", world.folder / "manifest.txt", "--out", world.folder / "out")
    world.both("audit", "--manifest", world.folder / "manifest.txt", "--out", world.folder / "out", "--retry-failed")
    world.both("audit", "--out", world.folder / "out")


def test_tools_and_the_plugin(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.declares(f"dependencies:\n  - name: aa\n    source: {world.address()}\n")
    address = world.address()
    for name, arguments in (
        ("skill_marketplace", {"action": "install", "skill_ref": address}),
        ("skill_marketplace", {"action": "install", "skill_ref": f"{address}/aa"}),
        ("skill_marketplace", {"action": address}),
        ("skill_marketplace", {"action": "search", "query": address}),
        ("skill_add", {"path": address}),
        ("skill_remove", {"name": address}),
        ("skill_list", {}),
        (address, {}),
        ("enter_workspace", {}),
        ("read_skill_file", {"skill": address, "path": address}),
    ):
        world.call("tool", name, json.dumps(arguments))
        world.call("tool", name, json.dumps(arguments), "--json")
        monkeypatch.setenv("CHIBI_TOOL_NAME", name)
        monkeypatch.setenv("CHIBI_TOOL_ARGS", json.dumps(arguments))
        world.call("plugin")


def test_the_list_of_processes(world: World) -> None:
    slow = world.server.table["/"]

    def slowly(request: Request, handler: object) -> None:
        time.sleep(0.2)
        slow(request, handler)  # type: ignore[arg-type]

    world.server.table["/"] = slowly
    seen: set[str] = set()
    ended = threading.Event()

    def watch() -> None:
        while not ended.is_set():
            seen.update(_command_lines())

    watching = threading.Thread(target=watch)
    watching.start()
    world.call("install", "aa", "--source", world.address(), code=0)
    ended.set()
    watching.join()
    assert any("git-remote-http" in line for line in seen)
    assert not any(world.leaks(line) for line in seen)


def _command_lines() -> Iterator[str]:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode("latin-1")
        except OSError:
            continue
        if "git" in line:
            yield line


def test_an_address_that_is_taken_for_a_path_is_shown_without_its_token(tmp_path: Path, run: Run) -> None:
    outcome = run("check", "https://example.com/x.git?token=hunter2", cwd=tmp_path)
    assert (outcome.code, "hunter2" in outcome.err) == (2, False)
