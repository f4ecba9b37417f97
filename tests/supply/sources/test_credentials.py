"""Credentials in an address reach the server, and neither output, files nor the list of processes."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sampling import sample
from tests.supply.install.outcomes import installed
from tests.supply.install.worlds import skill_text, source_files, write
from tests.supply.sources.credentials import USER, World
from tests.supply.sources.servers import Request
from tests.support import Run


def test_installed_from_an_address_with_credentials(world: World) -> None:
    world.both("install", "aa", "--source", world.address(), "--dry-run", code=0)
    world.call("install", "aa", "--source", world.address(), code=0)
    assert installed(world.workspace) == ["aa", "bb"]
    for command in (["list"], ["tree"], ["why", "aa"], ["why", "bb"], ["verify"], ["diff", "aa"], ["cache", "dir"]):
        world.both(*command, code=0)
    # What the lock knows has no credentials: these can't log in.
    for command in (["outdated"], ["update"], ["update", "--version", "v1"], ["diff", "aa", "--upstream"]):
        world.both(*command)
    world.both("list", "--source", world.address(), code=0)
    world.both("install", "--all", "--source", world.address("repo.zip"), "--dry-run")
    world.both("install", "aa", "--source", world.address("repo.zip") + f"?token={world.password}", "--dry-run")
    world.both("remove", "aa", "--dry-run")


def test_an_address_with_credentials_is_not_stored(world: World) -> None:
    for address in (world.address(), world.address("repo.zip"), world.address("repo.zip?token=" + world.password)):
        world.both("add", "aa", "--source", address)
        world.both("marketplace", "add", address, "--name", "team", code=2)
    assert not world.leaks((world.workspace / "CONTEXT.md").read_text())
    values = {"version": 1, "marketplace": {"sources": [{"name": "team", "address": world.address()}]}}
    write(Path(os.environ["SKILLBAG_CONFIG_DIR"]), {"settings.json": json.dumps(values)})
    for command in (["marketplace"], ["marketplace", "list"], ["marketplace", "update"], ["search", "files"]):
        world.both(*command)


FAILING = ["gone.git", "empty.git", "broken.git", "gone.zip", "broken.zip", "repo.git?a=b"]


@pytest.mark.slow
@pytest.mark.parametrize("path", sample("failing address", FAILING, 3))
def test_failing_fetches(world: World, path: str) -> None:
    world.both("install", "aa", "--source", world.address(path))
    world.both("install", "--all", "--source", world.address(path))
    world.both("list", "--source", world.address(path))
    world.both("add", "aa", "--source", world.address(path))
    world.both("team", "audit", world.address(path), "--out", world.folder / "out")


def test_addresses_that_are_refused(world: World) -> None:
    login = f"{USER}:{world.password}"
    lines = Path(__file__).with_name("refused_logins.txt").read_text("utf-8").splitlines()
    for line in sample("refused login", lines, 4):
        address = line.replace("LOGIN", login)
        world.both("install", "aa", f"--source={address}")
        world.call("team", "audit", "--out", world.folder / "out", "--", address)
        for form in ([], ["--json"]):
            world.call("marketplace", "add", *form, "--name", "team", "--", address)
            world.call("personal", "add", *form, "--", address)
        world.call("check", "--", address)
        world.declares(f"dependencies:\n  - name: aa\n    source: {json.dumps(address)}\n")
        world.both("install")
        world.both("tree")


@pytest.mark.parametrize("password", ["", "wrong-pass"])
def test_declared_dependencies(world: World, password: str) -> None:
    address = world.address(password=password)
    world.declares(f"dependencies:\n  - name: aa\n    source: {address}\n    version: v1\n")
    _every_reader(world)
    world.declares(f"dependencies:\n  - name: aa\n    source: {address}\n    version: v2\n")
    _every_reader(world)
    world.declares(f"dependencies:\n  - {{name: aa, source: '{world.address('gone.git')}', required: maybe}}\n")
    _every_reader(world)


def test_overrides_and_conflicts(world: World) -> None:
    one, other = world.address(), world.address("broken.git")
    world.declares(f"dependencies:\n  - name: aa\n    source: {one}\n  - name: aa\n    source: {other}\n")
    _every_reader(world)
    world.declares(f"overrides:\n  aa:\n    source: {one}\n", "USER_CONTEXT.md")
    _every_reader(world)
    world.declares(f"overrides:\n  aa:\n    source: {other}\n    {one}: x\n", "USER_CONTEXT.md")
    _every_reader(world)
    world.declares(f"overrides:\n  {one}:\n    source: {other}\n", "USER_CONTEXT.md")
    _every_reader(world)
    world.declares("prohibit:\n  skills: [aa]\n", "USER_CONTEXT.md")
    _every_reader(world)


def test_one_repository_at_two_versions(world: World) -> None:
    world.repository.commit(source_files({"aa": skill_text("aa", body="Other.")}))
    world.repository.git("tag", "v2", "main")
    pinned = "".join(f"  - name: aa\n    source: {world.address()}\n    version: {at}\n" for at in ("v1", "v2"))
    world.declares(f"dependencies:\n{pinned}")
    _every_reader(world)


def test_dependencies_of_skills(world: World) -> None:
    needs = [{"name": "aa", "source": world.address()}, {"name": "dd", "source": world.address("gone.git")}]
    world.repository.commit(source_files({"aa": skill_text("aa"), "cc": skill_text("cc", needs)}))
    world.both("install", "cc", "--source", world.address())
    world.both("install", "aa", "cc", "--source", world.address())
    optional = [{"name": "aa", "source": world.address(), "required": "false"}]
    world.repository.commit(source_files({"cc": skill_text("cc", optional)}))
    world.both("install", "cc", "--source", world.address())
    for command in (["list"], ["tree"], ["why", "cc"], ["enter"], ["run", "cc"], ["resolve", "cc"], ["check"]):
        world.both(*command) if command != ["check"] else world.call("check", "--format=json")


def test_a_lock_with_credentials(world: World) -> None:
    world.call("install", "aa", "--source", f"{world.folder.as_uri()}/served/repo.git", code=0)
    lock = world.workspace / "skillbag.lock"
    lock.write_text(lock.read_text().replace(f"{world.folder.as_uri()}/served/repo.git", world.address()))
    for command in (["list"], ["tree"], ["why", "aa"], ["verify"], ["outdated"], ["diff", "aa"], ["update"]):
        world.both(*command)
    (world.workspace / ".skills" / "aa" / "SKILL.md").unlink()
    for command in (["install", "--frozen"], ["verify"], ["diff", "aa"], ["list"], ["remove", "aa", "--dry-run"]):
        world.both(*command)
    world.both("install", "aa", "--source", world.address("gone.git"), "--frozen")
    world.call("check")
    world.call("check", "--format=json")
    lock.unlink()


READERS = (
    *("install --dry-run", "install", "install --frozen", "install --upgrade", "update", "outdated", "list", "tree"),
    *("why aa", "verify", "diff aa", "enter", "enter --trace", "run aa", "resolve aa", "order aa", "refresh"),
)


def _every_reader(world: World) -> None:
    """Run the commands that read declarations."""
    for command in sample("reader of declarations", READERS):
        world.both(*command.split())
    for form in ("text", "json", "sarif"):
        world.call("check", "--select=all", f"--format={form}")
    world.call("check", "--format=diff", "--select=all")


def test_the_audit(world: World) -> None:
    world.declares(f"dependencies:\n  - name: aa\n    source: {world.address()}\n")
    lines = [world.address(), f"{world.address()} @ v1", world.address("gone.git"), str(world.workspace)]
    lines += [f"http:/{USER}:{world.password}@example.com/repo.git", world.address("repo.zip?token=" + world.password)]
    write(world.folder, {"manifest.txt": "\n".join(lines)})
    audit = ["team", "audit", "--out", world.folder / "out", "--jobs", "1"]
    world.both(*audit, "--manifest", world.folder / "manifest.txt")
    world.both(*audit, "--manifest", world.folder / "manifest.txt", "--retry-failed")
    world.both(*audit)


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
        world.call("agent", "plugin")


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
