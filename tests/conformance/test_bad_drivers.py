"""Drivers that break the protocol fail with their clauses named, in bounded time, and never reach the terminal raw."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path

import pytest

from tests.support import Outcome, Run

BAD = Path(__file__).with_name("bad_driver.py")
CASES = "rules/catalog-so*"
CLAUSE = "root.catalog-sorted"


def held(run: Run, how: str, *options: object) -> Outcome:
    driver = shlex.join([sys.executable, str(BAD), how])
    outcome = run("conformance", "--driver", driver, "--case", CASES, "--jobs", 1, *options)
    assert "\x1b" not in outcome.out + outcome.err
    assert "Traceback (most" not in outcome.out + outcome.err
    return outcome


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("crash", r'it ended without an answer, exit code 3; its last words: "Traceback: \\u001b]0;owned'),
        ("leave-a-child", "it ended without an answer, exit code 0"),
        ("half-a-line", r'it printed a line that is no JSON: "{\\"id\\": 1, \\"outc"'),
        ("flood", "it answered request 1 with the id null"),
        ("chatter", 'broken.pass-1: expected excludes "root.catalog-sorted", got nothing'),
        ("garbage", 'it printed a line that is no JSON: "It is fine.'),
        ("not-utf-8", "it printed a line that is no JSON"),
        ("no-object", "it printed JSON that is no object: [1, 2]"),
        ("no-number", "it printed a line that is no JSON"),
        ("nested", "it printed a line that is no JSON"),
        ("huge-line", "it printed a line of more than 1048576 bytes"),
        ("wrong-id", "it answered request 1 with the id 77"),
        ("true-id", "it answered request 1 with the id true"),
        ("late", "it answered request 1 with the id 0"),
        ("no-outcome", "its answer has neither an outcome nor why it is unsupported"),
        ("both", "its answer has neither an outcome nor why it is unsupported"),
        ("text-outcome", "its answer has neither an outcome nor why it is unsupported"),
        ("escape", "status: expected"),
        ("empty", 'status: expected "done", got nothing'),
        ("exit", "not asked, since the driver did not greet: it ended without an answer, exit code 5"),
        ("garbled-hello", 'the driver did not greet: it printed a line that is no JSON: "Hello!"'),
        ("old-hello", "the driver did not greet: it speaks protocol 0, not 1"),
        ("nameless-hello", "the driver did not greet: its answer to hello lacks name, version or operations"),
    ],
)
def test_every_case_fails_with_its_clause_named(run: Run, how: str, words: str) -> None:
    outcome = held(run, how)
    assert outcome.code == 1
    assert words.replace(r"\\", "\\") in outcome.out
    assert f"FAILED       {CLAUSE}" in outcome.out
    assert "2 cases: 2 failed. It fails 1 clause of SkillBag: root.catalog-sorted." in outcome.out
    assert "conforms" not in outcome.out


@pytest.mark.parametrize("how", ["hang", "mute", "deaf"])
def test_one_that_does_not_answer_is_waited_for_and_no_longer(run: Run, how: str) -> None:
    began = time.monotonic()
    outcome = held(run, how, "--timeout", 0.5)
    assert time.monotonic() - began < 20
    assert outcome.code == 1
    assert "it gave no answer within 0.5 s" in outcome.out
    assert f"FAILED       {CLAUSE}" in outcome.out


def test_one_that_hangs_again_and_again_is_given_up(run: Run) -> None:
    driver = shlex.join([sys.executable, str(BAD), "hang"])
    outcome = run("conformance", "--driver", driver, "--case", "rules/c*", "--jobs", 2, "--timeout", 0.3)
    assert outcome.code == 1
    hung = outcome.out.count("it gave no answer within 0.3 s")
    assert 5 <= hung <= 6
    assert (
        outcome.out.count("not asked, since the driver has hung 5 times") == outcome.out.count(" failed  [") - hung > 5
    )


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("unsupported", r"2 cases not covered: \x1b]0;owned\x07\x1b[31m not yet"),
        ("unable", "2 cases not covered: the driver does not know the operation check"),
    ],
)
def test_what_is_not_supported_is_not_covered_and_nothing_is_shown(run: Run, how: str, words: str) -> None:
    outcome = held(run, how)
    assert outcome.code == 1
    assert f"not covered  {CLAUSE}" in outcome.out
    assert words in outcome.out
    assert "2 cases: 2 not covered. Nothing was shown, since no case is covered; not covered: root.catalog-sorted." in (
        outcome.out
    )


def test_after_a_crash_the_other_cases_still_run(run: Run, tmp_path: Path) -> None:
    """The driver ends at each first request of a process that is about a breach, and is right otherwise."""
    driver = tmp_path / "half.py"
    driver.write_text(
        "import json, sys\n"
        f"sys.path.insert(0, {str(BAD.parent)!r})\n"
        "from bad_driver import HELLO, say\n"
        "for line in sys.stdin:\n"
        "    request = json.loads(line)\n"
        "    if request['operation'] == 'hello':\n"
        "        say(HELLO)\n"
        "    elif 'fail-1' in request['inputs']['folders']:\n"
        "        sys.exit(1)\n"
        "    else:\n"
        "        broken = {name: [] for name in request['inputs']['folders']}\n"
        "        say({'id': request['id'], 'outcome': {'status': 'done', 'broken': broken}})\n",
        "utf-8",
    )
    command = shlex.join([sys.executable, str(driver)])
    outcome = run("conformance", "--driver", command, "--case", "rules/catalog-*", "--jobs", 1)
    assert outcome.code == 1
    passed, failed = outcome.out.count("1 passed"), outcome.out.count("/fail failed  [")
    assert "/pass failed" not in outcome.out
    assert failed >= 5
    assert passed >= 5


def test_an_answer_more_than_asked_for_is_found_at_the_next_question(run: Run) -> None:
    outcome = held(run, "twice")
    assert "it answered request 2 with the id 1" in outcome.out
    assert outcome.code == 1
