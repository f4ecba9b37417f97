"""`skillbag runtime scan`: findings of rules and scanners, as those of `check`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doors.cli.runtime_worlds import values
from tests.runtime.scanning.scan_worlds import guard, make_world, places, rule, scanned, scanner
from tests.supply.install.worlds import write
from tests.support import Run

pytestmark = pytest.mark.usefixtures("a_person")

EVAL = ("guard/eval", "a.py", 1, 5)
SEVERITIES = ("critical", "high", "medium", "low", "info")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_world(tmp_path / "ws")


def test_a_rule_finds_its_expression(run: Run, root: Path) -> None:
    found = scanned(run, root)
    assert places(found) == [EVAL]
    (finding,) = found["findings"]
    assert (finding["severity"], finding["level"]) == ("high", "error")
    assert finding["message"] == "A call of eval [high]"
    assert finding["fix"] == "Parse the text instead."
    assert (found["skills"], found["errors"], found["suppressed"]) == (["guard"], [], 0)
    text = run("runtime", "scan", cwd=root)
    assert text.code == 1
    assert "  1:5 error guard/eval\n    A call of eval [high]\n     1 | x = eval(y)\n" in text.out


def test_scanners_look_at_every_text(run: Run, root: Path) -> None:
    scanner(root)
    write(root, {"c.md": "SHOUT\nTODO: x\n", "d.bin": "\0TODO", "big.txt": "TODO " * 300_000})
    found = scanned(run, root)
    assert places(found) == [EVAL, ("watch/plain", "c.md", 1, 1), ("watch/todo", "c.md", 2, 1)]
    assert [each["severity"] for each in found["findings"]] == ["high", "medium", "low"]
    assert [each["level"] for each in found["findings"]] == ["error", "warning", "note"]
    assert found["errors"] == []


@pytest.mark.parametrize("severity", SEVERITIES)
def test_the_exit_code_is_by_severity(run: Run, root: Path, severity: str) -> None:
    guard(root, [rule(severity=severity)])
    for number, limit in enumerate(SEVERITIES):
        fails = SEVERITIES.index(severity) <= number
        scanned(run, root, "--fail-on", limit, code=int(fails))


def test_paths_narrow_the_scan(run: Run, root: Path) -> None:
    write(root, {"sub/c.py": "eval(1)\n", "subway.py": "eval(1)\n"})
    assert places(scanned(run, root, "sub")) == [("guard/eval", "sub/c.py", 1, 1)]
    assert places(scanned(run, root, "a.py", "b.txt")) == [EVAL]
    assert len(scanned(run, root, ".")["findings"]) == 3
    for path, said in ((root.parent, "not in the workspace"), (root / "no", "no such file")):
        assert said in values(run, root, "scan", str(path), code=2)["error"]


def test_comments_suppress_findings(run: Run, root: Path) -> None:
    ignore = "skillbag: ignore[guard/eval]"
    write(root, {"a.py": f'eval(1)  # {ignore} reason="a test"\neval(2)\n', "c.md": f"eval(3) <!-- {ignore} -->\n"})
    found = scanned(run, root)
    assert places(found) == [
        ("guard/eval", "a.py", 2, 1),
        ("suppression-reason-missing", "c.md", 1, 9),
    ]
    assert found["suppressed"] == 2
    assert found["findings"][1]["severity"] is None
    write(
        root,
        {
            "a.py": f'x = 1  # {ignore} reason="none"\n',
            "c.md": f'eval(3) <!-- {ignore} reason="b" until=2020-01-01 -->\n',
        },
    )
    rules = [each["rule"] for each in scanned(run, root)["findings"]]
    assert rules == ["suppression-unused", "guard/eval", "suppression-expired"]


def test_a_comment_for_the_one_is_none_of_the_other(run: Run, root: Path) -> None:
    rules = ("secret", "other/rule", "guard/eval")
    code = "".join(f"# skillbag: ignore[{name}] reason=x\n" for name in rules) + "eval(1)\n"
    write(root, {"c.py": code, ".skills/other/scripts/x.py": code})
    found = scanned(run, root)
    assert (places(found), found["suppressed"]) == ([EVAL], 2)
    checked = json.loads(run("check", "--format", "json", cwd=root).out)
    about = [each for each in checked["findings"] if each["rule"] == "suppression-invalid"]
    assert about == []


def test_a_baseline_leaves_out_what_was_there(run: Run, root: Path) -> None:
    done = run("runtime", "scan", "--output=baseline=base.json", cwd=root)
    assert (done.code, done.out) == (0, "base.json: 1 finding written\n")
    write(root, {"a.py": "\nx = eval(y)\neval(new)\n"})
    found = scanned(run, root, "--baseline", "base.json")
    assert places(found) == [("guard/eval", "a.py", 3, 1)]
    assert found["baselined"] == 1


def test_sarif_keeps_severity_and_weakness(run: Run, root: Path) -> None:
    done = run("runtime", "scan", "--format", "sarif", "-o", "out.sarif", cwd=root)
    assert (done.code, done.out) == (1, "")
    log = json.loads((root / "out.sarif").read_text())["runs"][0]
    described = next(each for each in log["tool"]["driver"]["rules"] if each["id"] == "guard/eval")
    assert described["properties"]["security-severity"] == "8.0"
    assert described["properties"]["tags"] == ["scan", "high", "injection", "external/cwe/cwe-95"]
    (result,) = log["results"]
    assert (result["ruleId"], result["level"]) == ("guard/eval", "error")
    for form in ("github", "gitlab", "junit", "markdown", "json"):
        assert "guard/eval" in run("runtime", "scan", "--format", form, cwd=root).out


def test_an_override_changes_severity_paths_and_use(run: Run, root: Path) -> None:
    guard(root, [rule()], security_rules="{sast_rules_file: rules.yaml, overrides_file: over.yaml}")
    write(root, {"t/b.py": "eval(1)\n"})

    def severities(text: str) -> dict[str, str]:
        write(root / ".skills/guard", {"over.yaml": text})
        found = values(run, root, "scan", "--fail-on", "critical")
        return {each["path"]: each["severity"] for each in found["findings"]}

    assert severities("eval: {severity: low}") == {"a.py": "low", "t/b.py": "low"}
    assert severities("eval: {severity: low, paths: [t/]}") == {"a.py": "high", "t/b.py": "low"}
    assert severities('eval: {enabled: false, paths: ["t/**"]}') == {"a.py": "high"}
    assert severities("eval: {enabled: false}") == {}


def test_excluded_paths_are_not_searched(run: Run, root: Path) -> None:
    guard(root, [rule(exclude_paths=["*.py"])])
    assert scanned(run, root, code=0)["findings"] == []


def test_a_bad_rule_is_an_error_with_its_place_and_others_count(run: Run, root: Path) -> None:
    guard(root, [rule(id="old", match="[[:alpha:]]"), rule(id="tree", type="tree-sitter"), rule()])
    found = scanned(run, root, "--fail-on", "critical")
    assert places(found) == [EVAL]
    assert [each["message"].split(": ", 1)[0] for each in found["errors"]] == ["rules.yaml:11:14", "rules.yaml:22:13"]
    assert "[[:alpha:]] are not supported" in found["errors"][0]["message"]
    assert 'type "tree-sitter" is not supported' in found["errors"][1]["message"]


def test_what_may_be_asked_or_planned(run: Run, root: Path) -> None:
    scanner(root)
    assert values(run, root, "scan", code=3)["questions"][0]["about"] == "watch"
    planned = values(run, root, "scan", "--dry-run")
    assert [step["skill"] for step in planned["steps"]] == ["guard", "watch"]


def test_without_a_security_skill_nothing_is_scanned(run: Run, root: Path) -> None:
    guard(root, [rule()], triggers="{keywords: [never]}")
    done = run("runtime", "scan", cwd=root)
    said = 'no skill of the type "security-rule" is active, so nothing was scanned; activate one with --skills: guard'
    assert (done.code, done.err) == (0, f"note: {said}\n")
    unknown = '--approve-skills: skill "watch" not found'
    assert scanned(run, root, code=0)["remarks"] == [unknown, said]
    assert scanned(run, root, "--skills", "guard")["skills"] == ["guard"]
