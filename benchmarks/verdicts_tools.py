"""The linters whose verdicts are compared: how each is run on a tree, and how its findings are read, generously."""

from __future__ import annotations

import glob
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import environments
from contenders import CONTENDERS, PROJECT, Contender
from corpora import HERE, WORK

REPOSITORY = os.path.dirname(HERE)
LONGEST = 900.0
"""Seconds after which a run is given up."""
_LEVELS = {
    **dict.fromkeys(("error", "high", "critical", "fatal"), "error"),
    **dict.fromkeys(("warning", "warn", "medium"), "warning"),
}
_PATHS = ("skill_path", "file", "file_path", "filePath", "path")
_RULES = ("rule", "ruleId", "rule_id", "code")
_TEXTS = ("message", "title", "description")
_LINES = ("line", "line_number")
_FOLDER = re.compile(r"(?:^|/)([a-z0-9-]+-v\d{3})(?:/(.*))?$")


class Finding(NamedTuple):
    """What a linter says of a file (empty: the whole skill) of the skill in that folder; `line` is 0 without one."""

    skill: str
    path: str
    line: int
    level: str
    rule: str
    message: str


class Tool(NamedTuple):
    """A linter: the command for the root of a tree, and the environment variables that it needs.

    `only` names the one kind of ground that it is for: `security`. `judges_malice` holds for what has rules for it.
    """

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    only: str = ""


class CrashError(Exception):
    """A run ended without a report; the message holds the end of what the program said."""


CISCO = Contender(
    "skill-scanner",
    ("cisco-ai-skill-scanner==2.3.2",),
    ("skill-scanner", "scan-all", "skills", "--recursive", "--lenient", "--format", "json"),
    None,
)
"""A scanner for malicious skills; half a second a skill, so it sees those for security only."""
_NAMES = ("agnix", "skills-ref", "skill-check", "skillcheck", "skilllint", "skillsaw")
PEERS: Mapping[str, Contender] = {one.name: one for one in (*CONTENDERS, CISCO) if one.name in (*_NAMES, CISCO.name)}
"""The other linters, by name."""


def ours(tree: str = REPOSITORY, name: str = PROJECT) -> Tool:
    """The program as it is in a working tree, without its cache."""
    command = (
        sys.executable,
        "-P",
        "-m",
        PROJECT,
        "check",
        "--config=cache=false",
        "--format",
        "json",
        "--config=root=.",
        ".",
    )
    return Tool(name, command, {"PYTHONPATH": tree})


def peer(name: str) -> Tool:
    """Install the peer; see `environments.prepare` for what can go wrong."""
    contender = PEERS[name]
    programs = environments.prepare(contender, WORK)
    path = os.pathsep.join((programs, os.environ.get("PATH", "")))
    command = (os.path.join(programs, contender.command[0]), *contender.command[1:])
    return Tool(name, command, {"PATH": path}, "security" if contender is CISCO else "")


def run(tool: Tool, tree: str) -> tuple[list[Finding], float]:
    """All findings in the tree, and the seconds that it took.

    Raises:
        CrashError: there is no report.
    """
    started = time.perf_counter()
    try:
        done = subprocess.run(
            tool.command,
            cwd=tree,
            env={**os.environ, **tool.environment},
            capture_output=True,
            check=False,
            timeout=LONGEST,
        )
        output = json.loads(done.stdout)
    except subprocess.TimeoutExpired as error:
        raise CrashError(f"no end after {LONGEST:g} s") from error
    except ValueError as error:
        raise CrashError(done.stderr.decode("utf-8", "replace").strip()[-300:]) from error
    return list(_findings(output)), time.perf_counter() - started


def _findings(output: Any) -> Iterator[Finding]:
    if isinstance(output, dict) and isinstance(output.get("messages"), dict):
        for folder, messages in output["messages"].items():
            yield from (Finding(folder, "", 0, "error", "", message) for message in messages)
        return
    yield from _walk(output, "", "")


def _walk(value: Any, skill: str, path: str) -> Iterator[Finding]:
    """Every object with a rule and a text is a finding, in the file that it or an object around it names."""
    if isinstance(value, list):
        for one in value:
            yield from _walk(one, skill, path)
    if not isinstance(value, dict):
        return
    for key in _PATHS:
        if isinstance(named := value.get(key), str):
            placed = _FOLDER.search(named.replace(os.sep, "/").rstrip("/"))
            skill, path = (placed[1], placed[2] or "") if placed else (skill, named)
    rule, text = (next((value[key] for key in keys if value.get(key)), "") for keys in (_RULES, _TEXTS))
    if (rule and text and "severity" in value) or "level" in value:
        line = next((value[key] for key in _LINES if isinstance(value.get(key), int)), 0)
        level = _LEVELS.get(str(value.get("severity", value.get("level"))).lower(), "note")
        yield Finding(skill, path, line, level, str(rule), str(text))
        return
    for one in value.values():
        yield from _walk(one, skill, path)


@cache
def security_rules(tree: str) -> frozenset[str]:
    """The rules of the family `security` in a working tree."""
    found = glob.glob(os.path.join(tree, "rules", "security", "*.yaml"))
    return frozenset(os.path.basename(path).removesuffix(".yaml") for path in found)


def accuses(tool: Tool, finding: Finding) -> bool:
    """Whether the finding is about malice. Of a peer, every one counts, because few tell what it is about."""
    return not tool.name.startswith(PROJECT) or finding.rule in security_rules(tool.environment["PYTHONPATH"])
