"""Every example of every rule file: findings are exactly where it says, and fixes give exactly its files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skillbag.lint.engine.fixes import apply_changes, plan_fixes
from skillbag.lint.rules.loader import RuleFile
from skillbag.lint.rules.model import Rule
from skillbag.lint.rules.written import RuleExample, RuleExamples
from skillbag.supply.rule_packs.examples import build, findings_of, run_examples, with_options
from tests.lint.checks.rule_files import CLAUSES, RULE_FILES
from tests.lint.checks.rule_runs import findings
from tests.rows import each_row
from tests.support import Tree

pytestmark = pytest.mark.boundary


def cases() -> Iterator[Any]:
    for rule_file in RULE_FILES:
        for kind in ("pass", "fail"):
            for number, example in enumerate(of_kind(rule_file, kind), 1):
                yield pytest.param(rule_file, kind, number, example, id=f"{rule_file.written.id}-{kind}-{number}")


def of_kind(rule_file: RuleFile, kind: str) -> tuple[RuleExample, ...]:
    return rule_file.written.examples.fail if kind == "fail" else rule_file.written.examples.pass_


def bound(rule_file: RuleFile) -> Rule:
    return rule_file.bind(CLAUSES, set())


@each_row(("rule_file", "kind", "number", "example"), list(cases()))
def test_example(rule_file: RuleFile, kind: str, number: int, example: RuleExample) -> None:
    examples = RuleExamples((), (example,)) if kind == "fail" else RuleExamples((example,), ())
    (result,) = run_examples(bound(rule_file), examples)
    assert result.faults == (), f"{kind} example {number} of {rule_file.written.id}"


@each_row("rule_file", RULE_FILES, ids=lambda each: each.written.id)
def test_messages_are_filled_and_fixes_settle(rule_file: RuleFile, tmp_path: Path) -> None:
    has_fix = any(example.fixed is not None for example in rule_file.written.examples.fail)
    for number, given in enumerate(rule_file.written.examples.fail):
        root = tmp_path / str(number)
        root.mkdir()
        build(str(root), given)
        rule = with_options(bound(rule_file), given)
        found = list(findings_of(str(root), rule, given))
        assert "{" in str(given.files) or not any("{" in finding.message for finding in found)
        # The table of fixes in the guide is made of these examples.
        assert has_fix or plan_fixes(found) == ()
        if given.fixed is not None:
            apply_changes(plan_fixes(found))
            assert plan_fixes(findings_of(str(root), rule, given)) == ()


def fix(root: Path) -> int:
    """Fix until nothing changes; how many rounds changed something."""
    for rounds in range(10):
        changes = plan_fixes(findings(root))
        if not changes:
            return rounds
        apply_changes(changes)
    raise AssertionError("the fixes never end")


def test_a_muddled_catalog_comes_out_right(tree: Tree) -> None:
    text = "---\nname: {0}\ndescription: Do {0}.{1}\n---\n\nDo it.\n"
    root = tree(
        {
            "AGENTS.md": "A SKILLBAG source. Skills live under `.skills/`. No extra installation steps.\n",
            ".skills/SKILLS.md": "\ufeffe: Do e.\r\nb_b: Do b-b.\r\nb: Do other.\r\ngone: Gone.\r\nb: Do b.\r\n",
            **{f".skills/{name}/SKILL.md": text.format(name, "") for name in ("a", "b", "b-b", "c", "e")},
            ".skills/d/SKILL.md": text.format("d", " #run/last"),
        }
    )
    assert fix(root) <= 4
    expected = "a: Do a.\nb: Do b.\nb-b: Do b-b.\nc: Do c.\nd: Do d. #run/last\ne: Do e.\n"
    catalog = (root / ".skills/SKILLS.md").read_bytes()
    assert catalog == b"\xef\xbb\xbf" + expected.replace("\n", "\r\n").encode()
    assert '\ndescription: "Do d. #run/last"\n' in (root / ".skills/d/SKILL.md").read_text("utf-8")
    assert findings(root) == []


def test_a_companion_whose_name_begins_anothers(tree: Tree) -> None:
    text = '---\nname: a\ndescription: "Do it. #use/B_c #use/B, #use/b"\n---\n'
    root = tree({".skills/a/SKILL.md": text})
    apply_changes(plan_fixes(findings(root, "companion-name-not-canonical")))
    assert (root / ".skills/a/SKILL.md").read_text("utf-8") == text.replace("B_c", "b-c").replace("B", "b")


def test_a_catalog_with_a_remark_is_not_sorted(tree: Tree) -> None:
    root = tree({".skills/SKILLS.md": "b: B.\n# about a\na: A.\n"})
    assert plan_fixes(findings(root, "catalog-unsorted")) == ()


@each_row(
    "description",
    ["It's fine. #run/last", 'Say "hello". #run/last', "C:\\path. #run/last", 'It\'s "both" \\n. #run/last #use/b'],
)
def test_a_quoted_description_keeps_its_text(description: str, tree: Tree) -> None:
    import yaml

    root = tree({".skills/a/SKILL.md": f"---\nname: a\ndescription: {description}\n---\n\nDo it.\n"})
    apply_changes(plan_fixes(findings(root, "description-tag-unquoted")))
    front = (root / ".skills/a/SKILL.md").read_text("utf-8").split("---\n")[1]
    assert yaml.safe_load(front)["description"] == description
    assert findings(root, "description-tag-unquoted") == []
