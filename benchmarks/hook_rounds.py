"""The pre-commit hook in a repository of many skills with one staged, beside a hook that does nothing."""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import corpora
import environments
import quiet
import results
from contenders import PROJECT, Contender
from measure import cores

_PRE_COMMIT = Contender("pre-commit", ("pre-commit==4.7.0",), (), None)
_HOOKS = os.path.join(os.path.dirname(corpora.HERE), ".pre-commit-hooks.yaml")
_HOW = "of `pre-commit run`; beyond: what it takes more than with a hook `true` in the same round."
_FLOOR, _WARM, _COLD = "`true`", "`skillbag check`", "`skillbag check`, cache empty"


class Way(NamedTuple):
    """A hook that is timed: the configuration's file, whether it checks at all, and keeps its cache between runs."""

    config: str
    checks: bool = True
    keeps: bool = True


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the repository, run the rounds, print the table, and write it with `--save`."""
    parser = argparse.ArgumentParser(prog="benchmarks/hook", description=__doc__)
    parser.add_argument("--skills", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=15, help="rounds; each hook runs once in each")
    parser.add_argument("--save", action="store_true", help="write results/hook.md")
    options = parser.parse_args(arguments)
    project = Contender(PROJECT, (), (), None)
    programs = {one.name: environments.prepare(one, corpora.WORK) for one in (project, _PRE_COMMIT)}
    root = corpora.corpus_of(options.skills, "hook")
    environment = _environment(programs)
    ways = _repository(root, environment)
    times, busy = _rounds(ways, root, options.skills, options.runs, environment)
    facts = results.machine(len(cores()), environments.versions([project, _PRE_COMMIT], programs))
    table = _table(times, options.skills, {**facts, "rounds that other work disturbed": busy})
    print(table)
    if options.save:
        with open(os.path.join(corpora.HERE, "results", "hook.md"), "w", encoding="utf-8") as handle:
            handle.write(table)
    return 0


def _environment(programs: Mapping[str, str]) -> dict[str, str]:
    """Nothing of the user's; the folders of the program and of pre-commit lie in the work folder."""
    home = os.path.join(corpora.WORK, "hook-home")
    shutil.rmtree(home, ignore_errors=True)
    os.makedirs(home)
    path = os.pathsep.join((*programs.values(), os.environ["PATH"]))
    who = {f"GIT_{role}_{what}": "bench@example.com" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    return {"PATH": path, "HOME": home, "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1", **who}


def _repository(root: str, environment: Mapping[str, str]) -> dict[str, Way]:
    """Commit the corpus, and write a configuration for each hook."""
    with open(_HOOKS, encoding="utf-8") as handle:
        hook = handle.read().split("- id: ")[1]
    # The installed program is there already: how pre-commit makes environments is not what is timed.
    hook = hook.replace("language: python", "language: system")
    texts = {"ours": hook, "floor": hook.replace("entry: skillbag check", "entry: 'true'")}
    for name, text in texts.items():
        with open(os.path.join(root, ".git", f"{name}.yaml"), "w", encoding="utf-8") as handle:
            handle.write("repos:\n- repo: local\n  hooks:\n  - id: " + text.replace("\n", "\n  ").rstrip() + "\n")
    _call(["git", "add", "--all"], root, environment)
    _call(["git", "commit", "--quiet", "--allow-empty", "--message=All"], root, environment)
    ours, floor = (f".git/{name}.yaml" for name in texts)
    return {_FLOOR: Way(floor, checks=False), _WARM: Way(ours), _COLD: Way(ours, keeps=False)}


def _rounds(
    ways: Mapping[str, Way], root: str, skills: int, runs: int, environment: Mapping[str, str]
) -> tuple[dict[str, list[float]], int]:
    """Seconds of each hook, round by round after a warm-up, and how many rounds were disturbed."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    disturbed = 0
    for number in range(runs + 1):
        before = quiet.now()
        for name, way in list(ways.items())[:: -1 if number % 2 else 1]:
            taken = _timed(way, root, skills, environment)
            if number:
                times[name].append(taken)
        disturbed += bool(number) and quiet.others(before, quiet.now()) > quiet.LIMIT
    return times, disturbed


def _timed(way: Way, root: str, skills: int, environment: Mapping[str, str]) -> float:
    """Stage one changed skill, and time pre-commit."""
    cache = os.path.join(environment["HOME"], "kept" if way.keeps else "emptied")
    if not way.keeps:
        shutil.rmtree(cache, ignore_errors=True)
    words = corpora.change(root, skills // 2 + 1).words
    _call(["git", "add", corpora.skill_file(root, skills // 2 + 1)], root, environment)
    command = ["pre-commit", "run", "--verbose", "--config", way.config]
    start = time.perf_counter()
    said = _call(command, root, {**environment, "SKILLBAG_CACHE_DIR": cache})
    taken = time.perf_counter() - start
    if (words in said) != way.checks:
        sys.exit(f"the hook did not see what was staged, {words}: {said[-2000:]}")
    return taken


def _call(command: Sequence[str], folder: str, environment: Mapping[str, str]) -> str:
    program = shutil.which(command[0], path=environment["PATH"]) or command[0]
    done = subprocess.run([program, *command[1:]], cwd=folder, env=environment, capture_output=True, check=False)
    said = (done.stdout + done.stderr).decode("utf-8", "replace")
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}: {said[-2000:]}")
    return said


def _table(times: Mapping[str, Sequence[float]], skills: int, facts: Mapping[str, object]) -> str:
    lines = [
        "# The pre-commit hook, timed",
        "",
        f"{skills:,} skills, one of them staged, {len(times[_FLOOR])} rounds in turn, seconds {_HOW}",
        "",
        ", ".join(f"{key.replace('_', ' ')}: {value}" for key, value in facts.items()),
        "",
        "| hook | median | fastest | slowest | beyond |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for name, several in times.items():
        beyond = statistics.median(one - bare for one, bare in zip(several, times[_FLOOR], strict=True))
        figures = (statistics.median(several), min(several), max(several), beyond)
        lines.append(f"| {name} | {' | '.join(f'{figure:.3f}' for figure in figures)} |")
    return "\n".join(lines) + "\n"
