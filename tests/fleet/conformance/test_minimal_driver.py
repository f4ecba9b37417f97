"""Another implementation, in another language, from the standard's text: it passes what it offers.

With the code of a clause taken out, the kit fails the driver in this clause.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support import PROJECT

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="the driver of this test runs in node")

KIT = PROJECT / "conformance"
DRIVER = (KIT / "drivers/minimal.mjs").read_text("utf-8")
LEFT_OUT: Mapping[str, tuple[str, str]] = {
    "precedence.order": ('["conversation", "user-context", "context"', '["conversation", "context", "user-context"'),
    "precedence.last-wins": ("return values.at(-1)[parameter]", "return values[0][parameter]"),
    "precedence.prohibition": ("if (isBanned) dropped.push(value);", "if (false) ;"),
    "precedence.conversation-supplies": ("value = set[parameter.name];", "value = undefined;"),
    "inputs.before-run": (
        'outcome.status === "done" ? skill(workspace, name).body : ""',
        "skill(workspace, name).body",
    ),
    "inputs.order": ("candidates[0]", "candidates.at(-1)"),
    "inputs.ask": ("questions.push(...open.map", "questions.concat(...open.map"),
    "inputs.required": ("else if (parameter.required)", "else if (false)"),
    "inputs.conditional": ("holds && !(about in outcome.values)", "false"),
    "inputs.rerun": ("candidates.push([level, value])", 'level !== "conversation" && candidates.push([level, value])'),
    "inputs.report-kind": (
        "status: outcome.questions.length ? ",
        "status: outcome.questions.length ? 'refused' : false ? ",
    ),
    "root.catalog-line": ("!name || all.indexOf(name) < at", "false"),
    "root.catalog-sorted": ("!same([...catalog(folder).keys()], [...catalog(folder).keys()].sort())", "false"),
    "root.catalog-complete": ("valid(folder).some((name) => !catalog(folder).has(name))", "false"),
    "root.catalog-real": ("some((name) => !folders(folder).includes(name))", "some(() => false)"),
    "root.name-pattern": ("!NAME.test(name) || ", ""),
    "naming.invocation": ('identifier.replaceAll("_", "-")', "identifier"),
    "tags.comply": ("/(?<!\\S)#[a-z0-9-]+\\/[\\w-]+/g", "/#none/g"),
    "tags.run-always": ('...having("#run/always"), ', ""),
    "tags.run-last": ('having("#run/last")', "[]"),
    "tags.use": ("[...companions(all, other, seen), other]", "[]"),
    "tags.user-override": ('stated(workspace, "USER_CONTEXT.md").map((each) => each.tags ?? {})', "[]"),
}
"""For each clause that the driver offers, the code that keeps it, and what stands there without it."""


def held(driver: Path, *options: str) -> dict[str, Any]:
    command = [sys.executable, "-I", str(KIT / "run.py"), "--driver", f"node '{driver}'", "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_it_passes_what_it_offers_and_nothing_else_is_asked() -> None:
    report = held(KIT / "drivers/minimal.mjs")
    summary = report["summary"]
    assert summary["failed"] == summary["not_covered"] == 0
    assert summary["passed"] > 30
    assert summary["not_offered"] > 100
    passing = {clause for case in report["cases"] if case["verdict"] == "passed" for clause in case["clauses"]}
    assert passing == LEFT_OUT.keys()


def test_it_is_short_and_needs_no_library() -> None:
    assert len(DRIVER.splitlines()) <= 400
    assert {line.partition(" from ")[2] for line in DRIVER.splitlines() if line.startswith("import ")} == {
        '"node:fs";',
        '"node:path";',
        '"node:readline";',
    }


@pytest.mark.slow
@pytest.mark.parametrize("clause", LEFT_OUT)
def test_without_the_code_of_a_clause_it_fails_this_clause(clause: str, tmp_path: Path) -> None:
    kept, left_out = LEFT_OUT[clause]
    assert DRIVER.count(kept) == 1
    driver = tmp_path / "driver.mjs"
    driver.write_text(DRIVER.replace(kept, left_out), "utf-8")
    found = {each["id"]: each["verdict"] for each in held(driver, "--clause", clause)["clauses"]}
    assert found[clause] == "failed"
