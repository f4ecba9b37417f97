"""The command line of the protocol's own inspector, from npm, drives everything, over both transports."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.agents.mcp_server.mcp_worlds import command, environment, make_world, over_http
from tests.once import once
from tests.sampling import sample

pytestmark = [pytest.mark.slow, pytest.mark.nightly]

# The inspector wants a newer Node.js than many a system has; npm has one as well.
PACKAGES = ("node@22", "@modelcontextprotocol/inspector@2.12.0")
FAILED = 5


class Requested(NamedTuple):
    code: int
    out: Any
    err: str


Ask = Callable[..., Requested]


@pytest.fixture(scope="module")
def inspector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the installed programs."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    return Path(once(tmp_path_factory, "inspector", install))


def install(folder: Path) -> str:
    """Install them in the folder, from npm; the folder of the programs."""
    (folder / "package.json").write_text("{}")
    npm = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), *PACKAGES]
    done = subprocess.run(npm, capture_output=True, text=True, cwd=folder, timeout=600, check=False)
    if done.returncode:
        pytest.skip(f"the inspector can't be installed from npm: {done.stderr[-300:]}")
    return str(folder / "node_modules" / ".bin")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inspected")
    make_world(folder)
    return folder


@pytest.fixture(scope="module", params=sample("inspector", ["stdio", "http"], 1))
def ask(request: pytest.FixtureRequest, inspector: Path, world: Path) -> Iterator[Ask]:
    """Run the inspector against a server, and what it said."""
    variables = {**environment(world), "PATH": f"{inspector}{os.pathsep}{os.environ['PATH']}", "HOME": str(world)}

    def inspected(target: list[str], *arguments: str) -> Requested:
        started = [str(inspector / "mcp-inspector"), "--cli", *target, *arguments]
        done = subprocess.run(started, capture_output=True, text=True, env=variables, timeout=300, check=False)
        return Requested(done.returncode, json.loads(done.stdout) if done.stdout.strip() else None, done.stderr)

    if request.param == "stdio":
        given = [f"-e={name}={value}" for name, value in variables.items() if name.startswith("SKILLBAG_")]
        target = [
            *(part for pair in given for part in pair.split("=", 1)),
            *command(world / "ws", "--session", "stdio"),
        ]
        yield lambda *arguments: inspected(target, *arguments)
        return
    with over_http(world, "--session", "http") as door:
        [(name, value)] = door.headers.items()
        yield lambda *arguments: inspected([door.url, "--header", f"{name}: {value}"], *arguments)


def call(ask: Ask, tool: str, **arguments: str) -> Any:
    """The text of a tool's result."""
    pairs = [part for name, value in arguments.items() for part in ("--tool-arg", f"{name}={value}")]
    requested = ask("--method", "tools/call", "--tool-name", tool, *pairs)
    assert requested.code == 0, requested
    return requested.out["content"][0]["text"]


def test_it_lists_everything_and_finds_no_fault_in_the_schemas(ask: Ask) -> None:
    tools = ask("--method", "tools/list", "--strict")
    assert tools.code == 0, tools.err
    assert {"skill_marketplace", "enter", "skill_aa"} <= {entry["name"] for entry in tools.out["tools"]}
    resources = ask("--method", "resources/list").out["resources"]
    assert "skill://aa/references/guide.md" in {entry["uri"] for entry in resources}
    assert {"aa", "ask"} <= {entry["name"] for entry in ask("--method", "prompts/list").out["prompts"]}
    assert ask("--method", "resources/templates/list").out["resourceTemplates"]


def test_it_calls_every_tool(ask: Ask, world: Path) -> None:
    env = environment(world)
    subprocess.run([*command(world / "ws")[:3], "marketplace", "update"], env=env, check=True, capture_output=True)
    assert "SKILLBAG.md" in call(ask, "enter")
    assert "nothing" in call(ask, "refresh").lower()
    assert call(ask, "skill_aa", arguments="for me").startswith("# Skill: aa")
    assert "target" in call(ask, "skill_ask")
    assert json.loads(call(ask, "resolve", skill="ask", inputs='{"target": "x"}'))["ready"] is True
    assert json.loads(call(ask, "remember", name="target", value="here", skill="ask"))["file"] == "USER_CONTEXT.md"
    assert call(ask, "read_skill_file", skill="aa", path="references/guide.md") == "# Guide\n"
    assert call(ask, "run_skill_script", skill="aa", script="scripts/say.sh", args='["it"]') == "said it\n"
    assert json.loads(call(ask, "skill_add", path=str(world / "own" / "mine")))["status"] in ("installed", "replaced")
    assert json.loads(call(ask, "skill_remove", name="MINE"))["status"] == "removed"
    assert "fill-pdf" in call(ask, "skill_marketplace", action="list")
    assert "fill-pdf" in call(ask, "skill_marketplace", action="search", query="fill pdf")
    assert "fill-pdf" in call(ask, "skill_marketplace", action="install", skill_ref="fill-pdf")
    assert "fill-pdf" in call(ask, "skill_marketplace", action="list_installed")
    assert "fill-pdf" in call(ask, "skill_marketplace", action="remove", skill_ref="fill-pdf")


def test_it_reads_resources_and_prompts(ask: Ask) -> None:
    (content,) = ask("--method", "resources/read", "--uri", "skill://aa/references/guide.md").out["contents"]
    assert content["text"] == "# Guide\n"
    (content,) = ask("--method", "resources/read", "--uri", "skill://aa/assets/dot.png").out["contents"]
    assert content["blob"]
    requested = ask("--method", "prompts/get", "--prompt-name", "aa", "--prompt-args", "arguments=for me")
    assert "for me" in requested.out["messages"][0]["content"]["text"]


def test_it_is_told_what_is_wrong(ask: Ask) -> None:
    requested = ask("--method", "tools/call", "--tool-name", "read_skill_file", "--tool-arg", "skill=aa")
    assert requested.code
    assert "`path` is missing" in requested.err
    failing = ("--tool-arg", "skill=aa", "--tool-arg", "path=../x")
    requested = ask("--method", "tools/call", "--tool-name", "read_skill_file", *failing)
    assert requested.code == FAILED
    assert requested.out["content"][0]["text"].startswith("Error: ")
    assert ask("--method", "resources/read", "--uri", "skill://aa/../ask/SKILL.md").code
    assert ask("--method", "prompts/get", "--prompt-name", "none").code
