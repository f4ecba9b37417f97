"""A scan through Python: scanners that fail, expressions that take for ever, and the hook at the end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skillbag.kernel.documents.source import Document, decode
from skillbag.kernel.workspace.text import TextFile
from skillbag.runtime.scanning.regexes import RegexJob, RegexSearch
from skillbag.runtime.scanning.scan import Scan, complete, scan
from tests.runtime.scanning.scan_worlds import guard, make_world, rule, scanner
from tests.runtime.worlds_active import active, opened
from tests.supply.install.worlds import write

REPORTS = """\
def report(event):
    write_file("scan.json", json.encode(event["data"]))

register_hook("OnSecurityScanComplete", report)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_world(tmp_path / "ws")


def scanned(root: Path) -> Scan:
    """A scan by all skills that are triggered."""
    with opened(root) as runtime:
        runtime.begin("report")
        found = scan(runtime, str(root))
        complete(runtime, found)
        assert runtime.remarks == []
        return found


def text(name: str, content: str) -> TextFile:
    document = decode(name, content.encode())
    assert isinstance(document, Document)
    return TextFile(document, name, "text")


def test_a_hook_is_told_of_the_scan(root: Path) -> None:
    active(root, "report", REPORTS, permissions='["file:write"]', triggers="{keywords: [report]}")
    guard(root, [rule(), rule(id="bad", match="(")])
    scanned(root)
    reported = json.loads((root / "scan.json").read_text())
    assert reported.keys() == {
        *("findings", "attack_chains", "errors", "findings_count"),
        *("chain_count", "files_scanned", "duration_ms", "errors_count"),
    }
    finding = {"rule": "guard/eval", "severity": "high", "message": "A call of eval [high]", "path": "a.py", "line": 1}
    assert reported["findings"] == [finding]
    assert (reported["findings_count"], reported["errors_count"], reported["attack_chains"]) == (1, 1, [])
    assert reported["errors"][0]["skill"] == "guard"
    assert reported["files_scanned"] >= 5


def test_a_scanner_that_fails_is_an_error_of_the_file(root: Path) -> None:
    code = 'register_scanner("picky", lambda content: fail("no") if "eval" in content else [])\n'
    scanner(root, code)
    found = scanned(root)
    errors = {(error.skill, error.path) for error in found.errors}
    assert ("watch", "a.py") in errors
    assert ("watch", "b.txt") not in errors
    assert [finding.rule for finding in found.result.findings] == ["guard/eval"]


@pytest.mark.parametrize(
    "answer",
    [
        "7",
        '[{"severity": "high"}]',
        '[{"message": "m", "severity": "worst"}]',
        '[{"message": "m", "line": 0}]',
        '[{"message": "m", "rule": "a b"}]',
        "[1]",
    ],
)
def test_a_wrong_answer_of_a_scanner_is_an_error(root: Path, answer: str) -> None:
    scanner(root, f'register_scanner("odd", lambda content: {answer})\n')
    found = scanned(root)
    assert {error.skill for error in found.errors} == {"watch"}
    assert all(error.message.startswith("scanner odd: ") for error in found.errors)


def test_a_scanner_that_always_fails_is_stopped(root: Path) -> None:
    write(root, {f"many/{number}.txt": "x" for number in range(20)})
    scanner(root, 'register_scanner("never", lambda content: fail("no"))\n')
    errors = scanned(root).errors
    assert len(errors) == 10
    assert errors[-1].message.endswith("it is not run on further files")


def test_a_scanner_needs_to_be_allowed_to_read(root: Path) -> None:
    scanner(root, permissions="[]")
    (error,) = scanned(root).errors
    assert "file:read" in error.message


def test_scanners_may_have_a_file_of_their_own(root: Path) -> None:
    declared = "{scanners: [{name: own, entrypoint: own.star}, {name: gone, entrypoint: main.star}]}"
    scanner(root, security_rules=declared)
    write(root / ".skills/watch", {"own.star": 'register_scanner("own", lambda content: ["Seen"])\n'})
    found = scanned(root)
    assert "watch/own" in {finding.rule for finding in found.result.findings}
    assert [error.message for error in found.errors] == [
        'it declares the scanner "gone", and its code does not register it'
    ]


def test_an_expression_that_takes_for_ever_is_left_out() -> None:
    texts = [text("a", "needle"), text("b", "a" * 40 + "!"), text("c", "needle" * 3), text("d", "a" * 40 + "!")]
    with RegexSearch(["needle", "(a+)+$", "n"], seconds=0.2) as search:
        found = {each.text.relative: each for each in search.search(RegexJob(each, (0, 1, 2)) for each in texts)}
    assert {name: len(each.places) for name, each in found.items()} == {"a": 2, "b": 0, "c": 6}
    assert {name: each.slow for name, each in found.items() if each.slow} == {"b": (1,)}


def test_places_count_characters_and_empty_matches_are_none() -> None:
    with RegexSearch(["x*", "^é"]) as search:
        (found,) = search.search([RegexJob(text("a", "ö\nééxx\n"), (0, 1))])
    assert found.places == ((0, 4, 6), (1, 2, 3))
