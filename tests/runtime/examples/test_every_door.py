"""Every example, template and built-in skill at work through every door: the command line, MCP and Python."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from skillbag.runtime.discovery.builtin import FOLDER as BUILT_IN
from skillbag.supply.bootstrap.active_skill import NewType
from tests.agents.mcp_server.mcp_worlds import environment
from tests.runtime.examples.doors import DOORS, Door
from tests.supply.install.worlds import ENTRYPOINT, write
from tests.support import PROJECT, Run

pytestmark = pytest.mark.boundary

EXAMPLES = PROJECT / "examples/runtime/skills"
FILES = {
    "SKILLBAG.md": ENTRYPOINT,
    ".skills/SKILLS.md": "",
    "notes.txt": "one\ntwo words\n",
    "docs/a.md": "# One\n## Two\n",
    "app.py": 'logger.info(patient_name)\nDEBUG = True\nsite = "http://example.org"\n',
}
KUBECTL = '#!/bin/sh\necho "{\\"asked\\": \\"$*\\"}"\n'
COMPLETER = [sys.executable, "-c", "import sys; print('MODEL', sys.stdin.read().splitlines()[-1].upper())"]


class Work(NamedTuple):
    """What a skill does through a door, and the result."""

    do: Callable[[Door], Any]
    result: Any


EXAMPLE_WORK = {
    "kubernetes": Work(
        lambda door: json.loads(door.call("kubectl_get", resource="pods"))["asked"],
        "get pods --output=json --context=home",
    ),
    "ddd-expert": Work(lambda door: "One transaction changes one aggregate" in door.prompt(), True),
    "rfc-writer": Work(
        lambda door: door.run("rfc-writer/write_rfc", title="Two words", context="none"),
        {"path": "docs/rfcs/two-words.md"},
    ),
    "hipaa-compliance": Work(lambda door: door.scan(), [("hipaa-compliance/phi-in-log", "app.py", 1)]),
    "i18n-output": Work(lambda door: door.transform("good day"), "MODEL GOOD DAY"),
    "echo-process": Work(lambda door: door.call("echo", text="hé"), "hé"),
}
TEMPLATE_WORK = {
    "tool": Work(lambda door: door.call("my_tool", path="notes.txt", text="two"), "2: two words"),
    "prompt": Work(lambda door: "my prompt" in door.prompt().lower(), True),
    "workflow": Work(lambda door: door.run("my-workflow/my_workflow", to="out.txt"), {"headings": 2}),
    "security-rule": Work(
        lambda door: door.scan(),
        [
            ("my-security-rule/my-security-rule-debug", "app.py", 2),
            ("my-security-rule/my-security-rule-http", "app.py", 3),
        ],
    ),
    "transform": Work(lambda door: door.transform("We utilize it in order to see."), "We use it to see."),
    "process": Work(lambda door: json.loads(door.call("my_process", text="a b")), {"words": 2}),
    "plugin": Work(lambda door: json.loads(door.call("my_plugin", path="notes.txt")), {"words": 3}),
}
BUILT_IN_WORK = {
    "core-tools": Work(
        lambda door: door.call("file", operation="read", path="notes.txt").split(), ["one", "two", "words"]
    ),
    "git": Work(lambda door: {"path": "app.py", "status": "??"} in json.loads(door.call("git-status")), True),
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace that is a repository, `kubectl` on the PATH, a model, and approvals of all skills."""
    root = write(tmp_path / "ws", FILES)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    write(tmp_path / "bin", {"kubectl": KUBECTL})
    (tmp_path / "bin/kubectl").chmod(0o755)
    names = [*EXAMPLE_WORK, *(f"my-{type_}" for type_ in TEMPLATE_WORK), *BUILT_IN_WORK]
    runtime = {"llm": {"command": COMPLETER}, "approved_skills": names}
    write(tmp_path / "config", {"settings.json": json.dumps({"version": 1, "runtime": runtime})})
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    for name, value in environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("KUBE_CONTEXT", "home")
    return root


def test_nothing_is_left_out() -> None:
    assert EXAMPLE_WORK.keys() == {folder.name for folder in EXAMPLES.iterdir()}
    assert TEMPLATE_WORK.keys() == {each.value for each in NewType}
    assert BUILT_IN_WORK.keys() == {
        folder.name for folder in Path(BUILT_IN).iterdir() if (folder / "SKILL.yaml").exists()
    }


def works(run: Run, root: Path, skill: str, door: str, work: Work) -> None:
    with DOORS[door](run, root, skill) as opened:
        assert work.do(opened) == work.result


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("skill", EXAMPLE_WORK)
def test_an_example(run: Run, root: Path, skill: str, door: str) -> None:
    shutil.copytree(EXAMPLES / skill, root / ".skills" / skill)
    works(run, root, skill, door, EXAMPLE_WORK[skill])


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("type_", TEMPLATE_WORK)
def test_a_template(run: Run, root: Path, type_: str, door: str) -> None:
    skill = f"my-{type_}"
    described = f"Does {type_}. Use it for {type_}."
    assert run("new", skill, "--type", type_, "--description", described, cwd=root).code == 0
    works(run, root, skill, door, TEMPLATE_WORK[type_])


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("skill", BUILT_IN_WORK)
def test_a_built_in_skill(run: Run, root: Path, skill: str, door: str) -> None:
    works(run, root, skill, door, BUILT_IN_WORK[skill])
