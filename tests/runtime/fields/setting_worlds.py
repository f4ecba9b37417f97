"""What tests of the settings look at: commands in a workspace whose skills need what the settings allow or name."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from skillbag import open_runtime
from skillbag.kernel.processes.confinement import Held
from skillbag.runtime.backends import launching
from tests.doors.cli.runtime_worlds import BUILT_IN, values
from tests.runtime.children import CHILD, ECHO
from tests.runtime.worlds_active import manifest
from tests.supply.install.worlds import ENTRYPOINT, write
from tests.support import Run

USE = """\
def ask(input):
    return [llm_complete("hi") for _ in range(input["times"])]

def run(input):
    return [exec("true")["exit_code"] for _ in range(input["times"])]

def get(input):
    return [fetch("http://127.0.0.1:9/") for _ in range(input["times"])]

register_workflow("ask", ask)
register_workflow("run", run)
register_workflow("get", get)
"""


class World(NamedTuple):
    """A workspace with skills, and the user's settings beside it."""

    root: Path
    run: Run
    monkeypatch: pytest.MonkeyPatch

    def set(self, settings: Mapping[str, Any], workspace: Mapping[str, Any] | None = None) -> None:
        """Replace the user's settings, and what the workspace says."""
        folder = Path(os.environ["SKILLBAG_CONFIG_DIR"])
        write(folder, {"settings.json": json.dumps({"version": 1, "runtime": settings})})
        lines = [f"{key} = {_toml(value)}" for key, value in (workspace or {}).items()]
        write(self.root, {"skillbag.toml": "\n".join(["[runtime]", *lines, ""])})


Look = Callable[[World], Any]


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + "}"
    return json.dumps(value)


def make_world(root: Path) -> None:
    """`use` needs permissions, `word` has a long prompt and a trigger, `child` is a process, `far` is elsewhere."""
    write(root, {"SKILLBAG.md": ENTRYPOINT, ".skills/SKILLS.md": ""})
    permissions = "[llm:call, shell:exec, net:fetch]"
    use = {"SKILL.yaml": manifest("use", types="[workflow]", permissions=permissions), "main.star": USE}
    prompt = {"types": "[prompt]", "implementation": None, "prompt": "{system_prompt_file: a.md}"}
    word = {"SKILL.yaml": manifest("word", **prompt, triggers="{keywords: [word]}"), "a.md": "Words. " * 100}
    process = {"SKILL.yaml": manifest("child", implementation="{backend: process, entrypoint: bin/child}")}
    skills = {"use": use, "word": word, "child": {**process, "bin/child": CHILD % sys.executable + ECHO}}
    for name, files in skills.items():
        write(root / ".skills" / name, files)
    (root / ".skills/child/bin/child").chmod(0o755)
    write(root.parent / "more/deep/far", {"SKILL.yaml": manifest("far", **prompt), "a.md": "Far.\n"})


def activation(name: str) -> Look:
    """The exit code of `runtime activate`: 0, 1 where it is refused, 3 where the user is asked."""
    return lambda world: world.run("runtime", "activate", name, "--json", cwd=world.root).code


def unconfined(world: World) -> int:
    """The same of a process where the system can hold nothing."""
    with world.monkeypatch.context() as patch:
        patch.setattr(launching, "available", lambda: Held(False, False, False))
        code: int = activation("child")(world)
        return code


def listed(world: World) -> list[str]:
    """The skills that are found, without those of this program."""
    names = [each["name"] for each in values(world.run, world.root, "list")["skills"]]
    return [name for name in names if name not in BUILT_IN]


def triggered(world: World) -> list[str]:
    """What a message activates whose score is 80."""
    found: list[str] = values(world.run, world.root, "trace", "--message", "a word")["activation"]
    return found


def tokens(world: World) -> int:
    """The tokens that the prompt takes of a skill."""
    used: int = values(world.run, world.root, "trace", "--message", "a word")["budget"]["used"]
    return used


def index(world: World) -> int:
    """The characters of the prompt that offers the skills."""
    with open_runtime(str(world.root)) as runtime:
        return len(runtime.build_prompt().added.partition(":\n\n")[2])


def workflow(name: str, times: int) -> Look:
    """Whether a limit stopped so many operations within one turn."""

    def look(world: World) -> str:
        arguments = ("run", f"use/{name}", json.dumps({"times": times}), "--approve-skills", "use")
        done = world.run("runtime", *arguments, cwd=world.root)
        return "limited" if "rate limit exceeded" in done.out else "unlimited"

    return look


def completion(world: World) -> Any:
    """What completes a prompt."""
    arguments = ("run", "use/ask", '{"times": 1}', "--approve-skills", "use")
    done = world.run("runtime", *arguments, "--json", cwd=world.root)
    return json.loads(done.out).get("value")


def mcp_tool(world: World) -> str:
    """What the tool of the MCP server `far` gives."""
    arguments = ("call", "mcp_far_look", "--approve-skills", "mcp-far")
    return world.run("runtime", *arguments, cwd=world.root).out.strip()


def registry(world: World) -> str:
    """The registry that is asked."""
    reported: str = world.run("marketplace", "show", "registry:any", cwd=world.root).err
    return reported.removeprefix("error: ").partition(": ")[0]


def own_activation(world: World) -> list[int]:
    """The exit codes of activating a skill of the user's own, and one of the project."""
    own = world.root.parent / "own-skills"
    permissions = '["llm:call"]'
    write(own, {"own/SKILL.yaml": manifest("own", types="[workflow]", permissions=permissions), "own/main.star": USE})
    world.monkeypatch.setenv("SKILLBAG_PERSONAL_DIR", str(own))
    return [world.run("runtime", "activate", name, cwd=world.root).code for name in ("own", "use")]
