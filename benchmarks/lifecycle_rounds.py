"""A session in a workspace of many skills: each command timed in turn, beside a bare interpreter and `--version`."""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

import environments
import results
from contenders import PROJECT, Contender
from measure import cores

_HERE = os.path.dirname(os.path.abspath(__file__))
_WORK = os.path.join(_HERE, "work")
_SKILL = """---
name: {name}
description: "{description}"
---

# {name}

## Parameters

```yaml
optional:
  - name: format
    default: html
```

Do what was asked for, and say what was done.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the workspace, run the rounds, print the table, and write it with `--save`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--skills", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=21, help="rounds; every command runs once in each")
    parser.add_argument("--save", action="store_true", help="write results/lifecycle.md")
    options = parser.parse_args(arguments)
    contender = Contender(PROJECT, (), (), None)
    programs = environments.prepare(contender, _WORK)
    folder = os.path.join(_WORK, "session")
    environment = fresh(folder)
    make_workspace(os.path.join(folder, "workspace"), options.skills)
    times = _rounds(_commands(programs, options.skills), os.path.join(folder, "workspace"), environment, options.runs)
    facts = results.machine(len(cores()), environments.versions([contender], {PROJECT: programs}))
    table = _table(times, options.skills, options.runs, facts)
    print(table)
    if options.save:
        with open(os.path.join(_HERE, "results", "lifecycle.md"), "w", encoding="utf-8") as handle:
            handle.write(table)
    return 0


def fresh(folder: str) -> dict[str, str]:
    """An empty folder, and an environment whose state lies in it; bytecode is kept, as for any user."""
    shutil.rmtree(folder, ignore_errors=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return environment | {f"SKILLBAG_{name}_DIR": os.path.join(folder, name.lower()) for name in ("STATE", "CACHE")}


def make_workspace(root: str, skills: int) -> None:
    lines = []
    for number in range(1, skills + 1):
        name, tag = f"skill-{number:05}", " #run/always" if number <= 3 else ""
        description = f"Do the task of number {number}. Use when that number is named.{tag}"
        _write(os.path.join(root, ".skills", name, "SKILL.md"), _SKILL.format(name=name, description=description))
        lines.append(f"{name}: {description}\n")
    _write(os.path.join(root, ".skills", "SKILLS.md"), "".join(lines))
    _write(os.path.join(root, "SKILLBAG.md"), "SkillBag v0.3.0\n")
    _write(os.path.join(root, "CONTEXT.md"), "```yaml\nparameters: {skill-00001: {format: pdf}}\n```\n")


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as handle:
        handle.write(text)


def _commands(programs: str, skills: int) -> dict[str, list[str]]:
    skillbag, last = os.path.join(programs, "skillbag"), f"skill-{skills:05}"
    return {
        "`python -c pass`": [os.path.join(programs, "python"), "-c", "pass"],
        "`skillbag --version`": [skillbag, "--version"],
        "`refresh`, nothing changed": [skillbag, "refresh", "--session", "s"],
        "`enter --again`": [skillbag, "enter", "--session", "s", "--again"],
        "`order`": [skillbag, "order", last, "--session", "s"],
        "`resolve`": [skillbag, "resolve", last],
        "`run`": [skillbag, "run", last.replace("-", "_"), "--session", "s"],
    }


def _rounds(
    commands: Mapping[str, list[str]], folder: str, environment: Mapping[str, str], runs: int
) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in commands}
    # Bytecode, the file cache and the session itself are there before anything counts.
    for command in ([*commands["`enter --again`"][:-1]], *commands.values()):
        _timed(command, folder, environment)
    for _ in range(runs):
        for name, command in commands.items():
            times[name].append(_timed(command, folder, environment))
    return times


def _timed(command: Sequence[str], folder: str, environment: Mapping[str, str]) -> float:
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}")
    return time.perf_counter() - start


def _table(times: Mapping[str, list[float]], skills: int, runs: int, facts: Mapping[str, object]) -> str:
    bare = statistics.median(times["`python -c pass`"])
    lines = [
        "# A session, timed",
        "",
        f"{skills:,} skills, {runs} rounds in turn, whole processes, milliseconds; above: beyond a bare interpreter.",
        "",
        ", ".join(f"{key.replace('_', ' ')}: {value}" for key, value in facts.items()),
        "",
        "| command | median | fastest | above |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, several in times.items():
        median = statistics.median(several)
        lines.append(f"| {name} | {median * 1e3:.0f} | {min(several) * 1e3:.0f} | {(median - bare) * 1e3:.0f} |")
    return "\n".join(lines) + "\n"
