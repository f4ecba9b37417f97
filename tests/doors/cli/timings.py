"""What the tests of `check --config=timing=true` share: skills to measure, and what is read from a report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from tests.support import PROJECT, Run, skill

SCHEMA = json.loads((PROJECT / "schemas" / "findings.schema.json").read_text("utf-8"))
PHASES = {"start", "plan", "list", "read", "front-matter", "literals", "markdown", "rules", "conclude", "other"}
EMPTY = "---\nname: {}\ndescription: Tidy a folder. Use when files lie about.\n---\n"
SKILLS = {
    **{f"skills/{name}/SKILL.md": skill(name) for name in ("a", "b")},
    "skills/a/scripts/run.py": "print(1)\n",
    "skills/c/SKILL.md": EMPTY.format("c"),
    "skills/d/SKILL.md": skill("d") + "\nSee [it](missing.md).\n",
}
OWN = """
id: ours
summary: A rule of the team.
level: note
targets: [skills]
check: body-empty
message: "It is empty."
why: |
  The team has agreed on it, and nobody else needs to know the reason for that here.
fix: "Ask the team."
examples:
  pass:
    - files: {a: b}
  fail:
    - files: {a: b}
      expect: ["a:1"]
"""


def timed(run: Run, cwd: Path, *arguments: object) -> Any:
    """The value of `timing` in a JSON report that fits its schema."""
    value = json.loads(run("check", "--config=timing=true", "--format=json", *arguments, cwd=cwd).out)
    Draft202012Validator(SCHEMA).validate(value)
    return value["timing"]


def phases(timing: Any) -> dict[str, float]:
    return {phase["phase"]: phase["seconds"] for phase in timing["phases"]}


def rules(timing: Any) -> dict[str, tuple[float, int, int]]:
    return {rule["rule"]: (rule["seconds"], rule["calls"], rule["findings"]) for rule in timing["rules"]}
