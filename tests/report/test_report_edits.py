"""The edits in JSON, SARIF and rdjson: another program that applies them gets the files of `check --fix`."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from skillbag.kernel.model.findings import Finding, TextEdit, WriteFile
from skillbag.lint.engine.fingerprints import fingerprinted
from skillbag.lint.engine.fixes import apply_changes, plan_fixes
from skillbag.lint.rules.written import RuleExample
from skillbag.report import FORMATS
from skillbag.report.options import ReportOptions
from skillbag.supply.rule_packs.examples import build, findings_of, with_options
from tests.lint.checks.test_rule_examples import bound, cases
from tests.report.applied import apply_json, apply_rdjson, apply_sarif
from tests.report.report_results import TOKEN, made_result
from tests.rows import each_row
from tests.support import Run, Tree

Files = dict[str, tuple[bytes, bool]]


def files(root: Path) -> Files:
    """The bytes of each file, and whether it is executable."""
    found = (path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {str(path.relative_to(root)): (path.read_bytes(), bool(path.stat().st_mode & 0o100)) for path in found}


def written(findings: Iterable[Finding]) -> list[Finding]:
    """The findings whose edits are texts for files that exist: what SARIF can say."""
    return [f for f in findings if all(isinstance(e, TextEdit | WriteFile) and os.path.isfile(e.path) for e in f.edits)]


def in_place(findings: Iterable[Finding]) -> list[Finding]:
    """Those whose edits are in their own file: what reviewdog can suggest."""
    return [finding for finding in written(findings) if {edit.path for edit in finding.edits} <= {finding.path}]


WAYS: dict[str, tuple[Callable[[Path, str], None], Callable[[Iterable[Finding]], list[Finding]]]] = {
    "json": (apply_json, list),
    "sarif": (apply_sarif, written),
    "rdjson": (apply_rdjson, in_place),
}


def fixable() -> Iterator[Any]:
    for case in cases():
        if case.values[3].fixed is not None:
            yield pytest.param(case.values[0], case.values[3], id=case.id)


@each_row("form", WAYS)
@each_row(("rule_file", "given"), list(fixable()))
def test_every_fix_of_a_rule_is_in_the_reports(rule_file: Any, given: RuleExample, form: str, tmp_path: Path) -> None:
    apply, can_say = WAYS[form]
    root, other = tmp_path / "root", tmp_path / "other"
    root.mkdir()
    build(str(root), given)
    findings = fingerprinted(findings_of(str(root), with_options(bound(rule_file), given), given))
    report = FORMATS[form].render(made_result(*findings), ReportOptions(cwd=str(root)))
    shutil.copytree(root, other, symlinks=True)
    apply(other, report)
    apply_changes(plan_fixes(can_say(findings)))
    assert files(other) == files(root)


def faulty(tree: Tree) -> Path:
    """A workspace with fixes of every kind, in texts with a byte order mark, with wide characters and on CRLF."""
    body = (
        "---\nname: {0}\ndescription: {1}\nmetadata:\n  é𐐀: 1.10\n---\n\nRun `./scripts/a.sh`, and read [it](./b.md).\n"
    )
    texts = {
        ".skills/one/SKILL.md": body.format("one", "𐐀 Do it. #run/always"),
        ".skills/two/SKILL.md": "\ufeff" + body.format("two", "漢 Do it. #use/One").replace("\n", "\r\n"),
        ".skills/three/skill.md": body.format("three", "Do it."),
        ".skills/SKILLS.md": "\ufefftwo: 漢 Other.\r\ngone: 𐐀\r\none: Do it.\r\n",
    }
    scripts = {f".skills/{name}/scripts/a.sh": "#!/bin/sh\n" for name in ("one", "two", "three")}
    return tree({"SKILLBAG.md": "SkillBag v0.3.0\n", "CONTEXT.md": "# C\n", **texts, **scripts})


def test_applied_again_and_again_they_give_what_fix_gives(
    tree: Tree, run: Run, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root, other = faulty(tree), tmp_path_factory.mktemp("other") / "copy"
    shutil.copytree(root, other)
    kinds = set()
    for _ in range(10):
        report = run("check", "--select=all", "--format=json", cwd=other).out
        edits = [edit["kind"] for finding in json.loads(report)["findings"] for edit in finding["edits"]]
        kinds |= set(edits)
        if not edits:
            break
        apply_json(other, report)
    run("check", "--select=all", "--fix", cwd=root)
    assert files(other) == files(root)
    assert kinds == {"replace", "rename", "make-executable"}


def test_an_edit_that_would_show_a_secret_is_not_shared(tree: Tree, run: Run) -> None:
    text = f"---\nname: a\ndescription: Use {TOKEN}. #run/always\n---\n\nRead it.\n"
    root = tree({"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": "", ".skills/a/SKILL.md": text})
    found = json.loads(run("check", "--select=description-tag-unquoted", "--format=json", cwd=root).out)["findings"]
    assert [(finding["fixable"], finding["edits"]) for finding in found] == [(True, [])]
    assert run("check", "--fix", "--select=description-tag-unquoted", cwd=root).code == 0
    assert f'description: "Use {TOKEN}. #run/always"' in (root / ".skills/a/SKILL.md").read_text("utf-8")
