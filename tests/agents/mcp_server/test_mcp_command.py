"""The command `skillbag agent mcp` itself: its options, what it says without the SDK, and where it listens."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from skillbag.agents.mcp_server.http import address_of, listening, parse_endpoint
from skillbag.agents.mcp_server.resources import address, read_address
from skillbag.kernel.base.errors import UserError
from tests.agents.mcp_server.mcp_worlds import command, environment, make_world, pipe
from tests.rows import each_row
from tests.support import Run

pytestmark = pytest.mark.boundary


def test_its_help_shows_examples_and_how_to_install_what_it_needs(run: Run) -> None:
    outcome = run("mcp", "--help")
    assert outcome.code == 0
    assert "skillbag agent mcp --http 8000" in outcome.out
    assert "pip install 'skillbag[mcp]'" in outcome.out


def test_without_the_sdk_it_says_how_to_install_it(tmp_path: Path) -> None:
    make_world(tmp_path)
    # As if it were not there: nothing of that name is found.
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.machinery, sys\n"
        "class Without(importlib.machinery.PathFinder):\n"
        "    @classmethod\n"
        "    def find_spec(cls, name, path=None, target=None):\n"
        "        return None if name.startswith('mcp') else super().find_spec(name, path, target)\n"
        "sys.meta_path[sys.meta_path.index(importlib.machinery.PathFinder)] = Without\n"
    )
    done = subprocess.run(
        command(tmp_path / "ws"),
        capture_output=True,
        text=True,
        env={**environment(tmp_path), "PYTHONPATH": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert (done.returncode, done.stdout) == (4, "")
    assert "pip install 'skillbag[mcp]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_nothing_of_the_sdk_is_imported_before_it_is_needed() -> None:
    modules = "skillbag.doors.cli.mcp, skillbag.agents.tools.registry, sys"
    code = f"import {modules}; print({{'mcp', 'pydantic', 'anyio'}} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"


@each_row(
    "place",
    ["", ":", "x", "-1", "65536", "80a", "0.0.0.0:80", "[::]:80", "192.168.0.1:80", "example.com:80", "²", "127.1:80"],
)
def test_only_this_machine_and_a_port_can_be_named(run: Run, place: str) -> None:
    outcome = run("mcp", "--http", place)
    assert outcome.code == 2
    assert "--http" in outcome.err
    assert "Traceback" not in outcome.err


@each_row(
    ("place", "expected"),
    [
        ("0", ("127.0.0.1", 0)),
        (":8000", ("127.0.0.1", 8000)),
        ("localhost:8000", ("127.0.0.1", 8000)),
        ("127.0.0.1:1", ("127.0.0.1", 1)),
        ("[::1]:8000", ("::1", 8000)),
    ],
)
def test_a_place_is_a_host_of_this_machine_and_a_port(place: str, expected: tuple[str, int]) -> None:
    assert parse_endpoint(place) == expected


def test_the_address_of_the_sixth_version_has_brackets() -> None:
    try:
        one = listening(parse_endpoint("[::1]:0"))
    except OSError:
        pytest.skip("this machine has no such addresses")
    with one:
        assert address_of(one).startswith("http://[::1]:")


def test_a_port_that_is_taken_is_reported_as_that(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        outcome = run("mcp", "--http", port)
        assert outcome.code == 4
        why = f"--http 127.0.0.1:{port}: {os.strerror(errno.EADDRINUSE)}; take another port, or 0 for any that is free"
        assert outcome.err == f"error: {why}\n"


@pytest.mark.parametrize("options", [("--workspace", "none"), ("--session", " "), ("--session-type", "x")])
def test_what_cannot_be_used_is_reported_before_anything_is_served(
    run: Run, tmp_path: Path, options: tuple[str, str]
) -> None:
    outcome = run("mcp", *options, cwd=tmp_path)
    assert outcome.code == 2
    assert outcome.out == ""


def test_outside_of_any_workspace_the_personal_skills_are_served(tmp_path: Path) -> None:
    make_world(tmp_path)
    with pipe(tmp_path, "--workspace", str(tmp_path), "--personal", str(tmp_path / "own")) as server:
        message = server.shake_hands()["result"]
        assert "enter" in message["instructions"]
        assert message["serverInfo"]["name"] == "skillbag"
        names = [tool["name"] for tool in server.ask("tools/list")["result"]["tools"]]
        assert "skill_mine" in names
        assert "skill_aa" not in names
        assert server.tool("enter")["isError"]


def test_an_input_that_is_at_its_end_is_served_nothing(tmp_path: Path) -> None:
    make_world(tmp_path)
    started = command(tmp_path / "ws")
    done = subprocess.run(
        started, stdin=subprocess.DEVNULL, capture_output=True, env=environment(tmp_path), timeout=300
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    with pipe(tmp_path, reads=False) as server:
        assert server.process.stdout
        assert (server.end(), server.process.stdout.read(), bytes(server.errors)) == (0, b"", b"")


@each_row("path", ["SKILL.md", "a b/ü.md", "a%2fb", "x#y?z", "a/b/c.txt"])
def test_an_address_that_is_made_is_read_as_what_it_was_made_of(path: str) -> None:
    assert read_address(address("aa", path)) == ("aa", path)


def test_an_address_that_is_none_says_what_one_is() -> None:
    with pytest.raises(UserError, match="skill://NAME/PATH"):
        read_address("skill://aa")
