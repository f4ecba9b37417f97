"""Credentials in an address reach the server, and neither output, files nor the list of processes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.install.worlds import installed, skill_text, source_files, write
from tests.sources.credentials import USER, World


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


def test_refused_where_it_would_be_written_down(world: World) -> None:
    for address in (world.address(), world.address("repo.zip"), world.address("repo.zip?token=" + world.password)):
        world.both("add", "aa", "--source", address)
        world.both("marketplace", "add", address, "--name", "team", code=2)
    assert not world.leaks((world.workspace / "CONTEXT.md").read_text())
    values = {"version": 1, "marketplace": {"sources": [{"name": "team", "address": world.address()}]}}
    write(Path(os.environ["SKILLBAG_CONFIG_DIR"]), {"settings.json": json.dumps(values)})
    for command in (["marketplace"], ["marketplace", "list"], ["marketplace", "update"], ["search", "files"]):
        world.both(*command)


@pytest.mark.parametrize("path", ["gone.git", "empty.git", "broken.git", "gone.zip", "broken.zip", "repo.git?a=b"])
def test_failing_fetches(world: World, path: str) -> None:
    world.both("install", "aa", "--source", world.address(path))
    world.both("install", "--all", "--source", world.address(path))
    world.both("list", "--source", world.address(path))
    world.both("add", "aa", "--source", world.address(path))
    world.both("audit", world.address(path), "--out", world.folder / "out")


def test_addresses_that_are_refused(world: World) -> None:
    login = f"{USER}:{world.password}"
    for address in (
        f"{login}@example.com/org/repo.git",
        f"{login}@example.com:org/repo.git",
        f"http:/{login}@example.com/repo.git",
        f"http:{login}@example.com/repo.git",
        f"//{login}@example.com/repo.git",
        f" http://{login}@example.com/repo.git",
        f"<http://{login}@example.com/repo.git>",
        f"url=http://{login}@example.com/repo.git",
        f"git+https://{login}@example.com/repo.git",
        f"ftp://{login}@example.com/repo.git",
        f"ssh://{login}@example.com/repo.git",
        f"git://{login}@example.com/repo.git",
        f"file://{login}@example.com/repo.git",
        f"ext::http://{login}@example.com/repo.git",
        f"http://{login}@example.com:port/repo.git",
        f"http://{login}/more@example.com/repo.git",
        f"http://{login}@@example.com/repo.git",
        f"http://{login}@example.com/repo.git#main",
        f"http://{login}@example.com/my repo.git",
        f"HTTP://{login}@example.com\\repo.git",
        f"http://{login}@",
        f"-http://{login}@example.com/repo.git",
    ):
        world.call("install", "aa", f"--source={address}")
        world.call("install", "aa", f"--source={address}", "--json")
        world.call("audit", "--out", world.folder / "out", "--", address)
        world.call("marketplace", "add", "--name", "team", "--", address)
        world.call("marketplace", "add", "--json", "--name", "team", "--", address)
        world.call("personal", "add", "--", address)
        world.call("personal", "add", "--json", "--", address)
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


def test_a_lock_that_somebody_gave_credentials(world: World) -> None:
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


def _every_reader(world: World) -> None:
    """Whatever reads the declarations."""
    for command in (
        ["install", "--dry-run"],
        ["install"],
        ["install", "--frozen"],
        ["install", "--upgrade"],
        ["update"],
        ["outdated"],
        ["list"],
        ["tree"],
        ["why", "aa"],
        ["verify"],
        ["diff", "aa"],
        ["enter"],
        ["enter", "--trace"],
        ["run", "aa"],
        ["resolve", "aa"],
        ["order", "aa"],
        ["refresh"],
    ):
        world.both(*command)
    for form in ("text", "json", "sarif"):
        world.call("check", "--select=all", f"--format={form}")
    world.call("check", "--diff", "--select=all")
