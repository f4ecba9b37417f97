"""Runs the shell steps of a composite action as GitHub's runner does: expressions, environment files, exit codes."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
_FILES = ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")


@dataclass
class Job:
    """The machine of a job: the checked-out repository, the runner's folder for temporary files, the environment.

    `steps` has the outputs of the steps that ran, by id. What a step adds to `GITHUB_ENV` and `GITHUB_PATH` is in the
    environment of the next.
    """

    workspace: Path
    temporary: Path
    environment: dict[str, str]
    steps: dict[str, dict[str, str]] = field(default_factory=dict)
    number: int = 0


@dataclass(frozen=True)
class Ran:
    """What a step left: its exit code, its log (both streams), and the text of its job summary."""

    code: int
    log: str
    summary: str


@dataclass(frozen=True)
class Action:
    """A composite action in `folder`, read from its `action.yml`."""

    folder: Path
    data: dict[str, Any]

    def run(self, step: str, job: Job, **inputs: str) -> Ran:
        """Run the one step of that id; inputs are named with `_` for `-`, those not given have their default."""
        (found,) = (each for each in self.data["runs"]["steps"] if each["id"] == step)
        assert (found["shell"], "${{" in found["run"]) == ("bash", False)
        given = {name.replace("_", "-"): value for name, value in inputs.items()}
        assert given.keys() <= self.data["inputs"].keys()
        values = {name: str(each.get("default", "")) for name, each in self.data["inputs"].items()} | given
        environment = {name: self._evaluated(text, values, job) for name, text in found.get("env", {}).items()}
        return _run(found["run"], step, environment, job)

    def outputs(self, job: Job) -> dict[str, str]:
        """The outputs of the action after its steps ran."""
        return {name: self._evaluated(each["value"], {}, job) for name, each in self.data["outputs"].items()}

    def _evaluated(self, text: str, inputs: Mapping[str, str], job: Job) -> str:
        def value(match: re.Match[str]) -> str:
            match match[1].split("."):
                case ["inputs", name]:
                    return inputs[name]
                case ["github", "action_path"]:
                    return str(self.folder)
                case ["steps", step, "outputs", name]:
                    return job.steps.get(step, {}).get(name, "")
            raise AssertionError(f"the runner of the tests does not know {match[0]}")

        return _EXPRESSION.sub(value, text)


def read_action(folder: Path) -> Action:
    """The action of `folder`."""
    return Action(folder, yaml.safe_load((folder / "action.yml").read_text("utf-8")))


def _run(script: str, step: str, environment: Mapping[str, str], job: Job) -> Ran:
    job.number += 1
    folder = job.temporary / f"step-{job.number}"
    folder.mkdir(parents=True)
    files = {name: folder / name.lower() for name in _FILES}
    for path in files.values():
        path.touch()
    (folder / "script.sh").write_text(script, "utf-8")
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", folder / "script.sh"],
        cwd=job.workspace,
        env={
            **job.environment,
            **environment,
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(job.workspace),
            "RUNNER_TEMP": str(job.temporary),
            **{name: str(path) for name, path in files.items()},
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
    )
    job.steps[step] = read_pairs(files["GITHUB_OUTPUT"].read_text("utf-8"))
    job.environment |= read_pairs(files["GITHUB_ENV"].read_text("utf-8"))
    for line in files["GITHUB_PATH"].read_text("utf-8").splitlines():
        job.environment["PATH"] = f"{line}{os.pathsep}{job.environment['PATH']}"
    return Ran(done.returncode, done.stdout, files["GITHUB_STEP_SUMMARY"].read_text("utf-8"))


def read_pairs(text: str) -> dict[str, str]:
    """The pairs of an environment file: lines `name=value`, or `name<<END`, the value's lines, and `END`."""
    pairs: dict[str, str] = {}
    lines = iter(text.splitlines())
    for line in lines:
        match = re.fullmatch(r"(.+?)(=|<<)(.*)", line)
        assert match, f"the runner refuses the line {line!r}"
        pairs[match[1]] = match[3] if match[2] == "=" else "\n".join(iter(lines.__next__, match[3]))
    return pairs
