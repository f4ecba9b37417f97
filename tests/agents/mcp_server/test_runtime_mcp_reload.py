"""Active skills are written, edited and removed while `skillbag agent mcp` runs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.agents.mcp_server.mcp_worlds import Pipe, environment
from tests.processes import eventually
from tests.runtime.worlds_active import active
from tests.supply.install.worlds import write
from tests.support import AS_PERSON

BY_MODE = "{modes: [mcp]}"
CHANGED = "notifications/tools/list_changed"


def tool(name: str, answer: str) -> str:
    return f'register_tool("{name}", "Says {answer}.", lambda input: "{answer}")\n'


def names(server: Pipe) -> set[str]:
    return {each["name"] for each in server.ask("tools/list")["result"]["tools"]}


def said(server: Pipe, name: str, **arguments: str) -> str:
    text: str = server.tool(name, arguments)["content"][0]["text"]
    return text


def decided(workspace: Path, folder: Path, name: str, *words: str) -> None:
    """Decide about a skill, as its user does on a terminal."""
    command = [*AS_PERSON, "runtime", "permissions", name, *words]
    subprocess.run(command, cwd=workspace, env=environment(folder), check=True, capture_output=True)


@pytest.fixture
def first(workspace: Path, server: Pipe) -> Path:
    """The folder of an active skill of the running server."""
    folder = active(workspace, "first", tool("one", "1"), triggers=BY_MODE)
    assert said(server, "one") == "1"
    assert "one" in names(server)
    return folder


@pytest.mark.usefixtures("first")
def test_a_new_skill_is_offered_and_a_removed_one_is_not(workspace: Path, server: Pipe) -> None:
    later = active(workspace, "later", tool("two", "2"), triggers=BY_MODE)
    asleep = active(workspace, "asleep", tool("three", "3"))
    listed = {each["name"]: each for each in server.ask("tools/list")["result"]["tools"]}
    assert "two" in listed
    assert "three" not in listed
    assert "- asleep: Does asleep." in listed["skill_activate"]["description"]
    assert said(server, "two") == "2"
    assert eventually(lambda: CHANGED in server.hear(0.1))
    assert eventually(lambda: "notifications/prompts/list_changed" in server.hear(0.1))
    for folder in (later, asleep):
        shutil.rmtree(folder)
    assert "error" in server.ask("tools/call", {"name": "two", "arguments": {}})
    server.notified.clear()
    assert eventually(lambda: CHANGED in server.hear(0.1))
    assert names(server) >= {"one"}
    assert not names(server) & {"two", "three"}


def test_a_call_sees_what_was_edited_just_before_it(first: Path, server: Pipe) -> None:
    for answer in ("eins", "uno"):
        write(first, {"main.star": tool("one", answer)})
        assert said(server, "one") == answer
    write(first, {"main.star": tool("renamed", "x")})
    assert said(server, "renamed") == "x"
    assert "error" in server.ask("tools/call", {"name": "one", "arguments": {}})


def test_an_edited_skill_needs_its_approval_again(workspace: Path, tmp_path: Path, server: Pipe) -> None:
    code = tool("one", "1")
    folder = active(workspace, "reader", code, triggers=BY_MODE, permissions="[file:read]")
    decided(workspace, tmp_path, "reader", "--grant", "always")
    assert said(server, "one") == "1"
    write(folder, {"main.star": tool("one", "2")})
    assert "error" in server.ask("tools/call", {"name": "one", "arguments": {}})
    assert "Required permissions: file:read" in said(server, "skill_activate", skill="reader")
    decided(workspace, tmp_path, "reader", "--grant", "always")
    assert "Active now: reader." in said(server, "skill_activate", skill="reader")
    assert said(server, "one") == "2"


def test_no_call_passes_an_edited_guard_until_it_is_approved(workspace: Path, tmp_path: Path, server: Pipe) -> None:
    guard = 'register_hook("OnBeforeToolCall", lambda event: None)\n'
    folder = active(workspace, "guard", guard, triggers=BY_MODE, permissions="[file:read]")
    active(workspace, "first", tool("one", "1"), triggers=BY_MODE)
    decided(workspace, tmp_path, "guard", "--grant", "always")
    assert said(server, "one") == "1"
    write(folder, {"main.star": "x = 1\n"})
    for name, arguments in (("one", {}), ("read_skill_file", {"skill": "aa", "path": "references/guide.md"})):
        refused = server.tool(name, arguments)
        assert refused["isError"]
        assert refused["content"][0]["text"].endswith("can't be asked: guard")
    assert "Required permissions" in said(server, "skill_activate", skill="guard")
    assert "can't be asked" in said(server, "one")
    decided(workspace, tmp_path, "guard", "--grant", "always")
    said(server, "skill_activate", skill="guard")
    assert said(server, "one") == "1"


def test_what_requires_an_edited_skill_stays(workspace: Path, first: Path, server: Pipe) -> None:
    active(workspace, "user", tool("two", "2"), dependencies="[{name: first}]", triggers=BY_MODE)
    assert said(server, "two") == "2"
    write(first, {"main.star": tool("one", "eins")})
    assert said(server, "two") == "2"
    assert said(server, "one") == "eins"
    write(first, {"main.star": "x = ]\n"})
    assert said(server, "two") == "2"
    assert said(server, "one") == "eins"
    write(first, {"main.star": tool("one", "1")})
    assert said(server, "one") == "1"
    assert {"one", "two"} <= names(server)


def test_an_approved_skill_ends_if_its_edit_can_t_be_loaded(workspace: Path, tmp_path: Path, server: Pipe) -> None:
    guard = 'register_hook("OnBeforeToolCall", lambda event: None)\n'
    folder = active(workspace, "guard", guard, triggers=BY_MODE, permissions="[file:read]")
    active(workspace, "first", tool("one", "1"), triggers=BY_MODE)
    decided(workspace, tmp_path, "guard", "--grant", "always")
    assert said(server, "one") == "1"
    write(folder, {"main.star": "x = ]\n"})
    decided(workspace, tmp_path, "guard", "--grant", "always")
    assert said(server, "one").endswith("can't be asked: guard")
    write(folder, {"main.star": guard})
    decided(workspace, tmp_path, "guard", "--grant", "always")
    said(server, "skill_activate", skill="guard")
    assert said(server, "one") == "1"


def test_a_broken_manifest_ends_its_skill_alone(workspace: Path, first: Path, server: Pipe) -> None:
    active(workspace, "later", tool("two", "2"), triggers=BY_MODE)
    write(first, {"SKILL.yaml": "name: ["})
    assert said(server, "two") == "2"
    assert "one" not in names(server)
