"""Runs a composite action as GitHub's runner does: conditions, expressions, environment files, exit codes.

Steps that use other actions are recorded; what they would do, a test does.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.project.action_expressions import as_text, filled, holds

_FILES = ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")


@dataclass(frozen=True)
class Used:
    """A step that uses another action: its name, the action, and its inputs."""

    name: str
    action: str
    inputs: dict[str, str]


@dataclass
class Job:
    """The machine of a job: the checked-out repository, the runner's folder for temporary files, the environment.

    `steps` has the outputs of the steps that ran, by id. What a step adds to `GITHUB_ENV` and `GITHUB_PATH` is in the
    environment of the next. `event` is what started the job, `github` more of that context. `use` stands for the other
    actions.
    """

    workspace: Path
    temporary: Path
    environment: dict[str, str]
    steps: dict[str, dict[str, str]] = field(default_factory=dict)
    number: int = 0
    event: dict[str, Any] = field(default_factory=dict)
    github: dict[str, str] = field(default_factory=dict)
    used: list[Used] = field(default_factory=list)
    use: Callable[[Used], None] = lambda used: None


@dataclass(frozen=True)
class Ran:
    """What a step left: its exit code, its log (both streams), and the text of its job summary."""

    code: int
    log: str
    summary: str
    name: str = ""


@dataclass(frozen=True)
class Action:
    """A composite action in `folder`, read from its `action.yml`."""

    folder: Path
    data: dict[str, Any]

    def run(self, step: str, job: Job, **inputs: str) -> Ran:
        """Run the one step of that id; inputs are named with `_` for `-`, those not given have their default."""
        (found,) = (each for each in self.data["runs"]["steps"] if each.get("id") == step)
        return self._run(found, job, self._contexts(job, inputs))

    def run_all(self, job: Job, **inputs: str) -> list[Ran]:
        """Run all steps whose conditions hold, after a failure too; what each shell step left."""
        ran: list[Ran] = []
        for step in self.data["runs"]["steps"]:
            contexts = self._contexts(job, inputs)
            if not holds(step.get("if"), contexts, failed=any(each.code for each in ran)):
                continue
            if "uses" in step:
                given = {name: filled(as_text(value), contexts) for name, value in step.get("with", {}).items()}
                job.used.append(Used(step["name"], step["uses"], given))
                job.use(job.used[-1])
            else:
                ran.append(self._run(step, job, contexts))
        return ran

    def outputs(self, job: Job) -> dict[str, str]:
        """The outputs of the action after its steps ran."""
        contexts = self._contexts(job, {})
        return {name: filled(each["value"], contexts) for name, each in self.data["outputs"].items()}

    def _contexts(self, job: Job, inputs: Mapping[str, str]) -> dict[str, Any]:
        given = {name.replace("_", "-"): value for name, value in inputs.items()}
        assert given.keys() <= self.data["inputs"].keys()
        github = {"action_path": str(self.folder), "event": job.event, "token": "", "run_id": "7", "run_attempt": "1"}
        contexts: dict[str, Any] = {
            "github": {**github, **job.github},
            "runner": {"os": "Linux", "arch": "X64", "temp": str(job.temporary)},
            "steps": {name: {"outputs": outputs} for name, outputs in job.steps.items()},
        }
        contexts["steps"] = {step.get("id"): {"outputs": {}} for step in self.data["runs"]["steps"]} | contexts["steps"]
        defaults = {name: filled(as_text(each.get("default", "")), contexts) for name, each in self._inputs.items()}
        return {**contexts, "inputs": defaults | given}

    @property
    def _inputs(self) -> dict[str, Any]:
        found: dict[str, Any] = self.data["inputs"]
        return found

    def _run(self, step: dict[str, Any], job: Job, contexts: Mapping[str, Any]) -> Ran:
        assert (step["shell"], "${{" in step["run"]) == ("bash", False)
        environment = {name: filled(as_text(text), contexts) for name, text in step.get("env", {}).items()}
        return _run(step, environment, job)


def read_action(folder: Path) -> Action:
    """The action of `folder`."""
    return Action(folder, yaml.safe_load((folder / "action.yml").read_text("utf-8")))


def _run(step: Mapping[str, Any], environment: Mapping[str, str], job: Job) -> Ran:
    job.number += 1
    folder = job.temporary / f"step-{job.number}"
    folder.mkdir(parents=True)
    files = {name: folder / name.lower() for name in _FILES}
    for path in files.values():
        path.touch()
    (folder / "script.sh").write_text(step["run"], "utf-8")
    (folder / "event.json").write_text(json.dumps(job.event), "utf-8")
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", folder / "script.sh"],
        cwd=job.workspace,
        env={
            **job.environment,
            **environment,
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(job.workspace),
            "GITHUB_EVENT_PATH": str(folder / "event.json"),
            "RUNNER_TEMP": str(job.temporary),
            **{f"GITHUB_{name.upper()}": value for name, value in job.github.items()},
            **{name: str(path) for name, path in files.items()},
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if "id" in step:
        job.steps[step["id"]] = read_pairs(files["GITHUB_OUTPUT"].read_text("utf-8"))
    job.environment |= read_pairs(files["GITHUB_ENV"].read_text("utf-8"))
    for line in files["GITHUB_PATH"].read_text("utf-8").splitlines():
        job.environment["PATH"] = f"{line}{os.pathsep}{job.environment['PATH']}"
    return Ran(done.returncode, done.stdout, files["GITHUB_STEP_SUMMARY"].read_text("utf-8"), step.get("name", ""))


def read_pairs(text: str) -> dict[str, str]:
    """The pairs of an environment file: lines `name=value`, or `name<<END`, the value's lines, and `END`."""
    pairs: dict[str, str] = {}
    lines = iter(text.splitlines())
    for line in lines:
        match = re.fullmatch(r"(.+?)(=|<<)(.*)", line)
        assert match, f"the runner refuses the line {line!r}"
        pairs[match[1]] = match[3] if match[2] == "=" else "\n".join(iter(lines.__next__, match[3]))
    return pairs
