"""Drivers that break the protocol fail with their clauses named, in bounded time, and never reach the terminal raw."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support import Completed, Run

pytestmark = pytest.mark.usefixtures("a_job")

BAD = Path(__file__).with_name("bad_driver.py")
CASES = "files/clauses/root-catalog-[rs]*"
CLAUSES = ("root.catalog-real", "root.catalog-sorted")


def command(how: str) -> str:
    return shlex.join([sys.executable, str(BAD), how])


def held(run: Run, how: str, *options: object) -> Completed:
    outcome = run("conformance", "--driver", command(how), "--case", CASES, "--jobs", 1, *options)
    assert "\x1b" not in outcome.out + outcome.err
    assert "Traceback (most" not in outcome.out + outcome.err
    return outcome


MESSAGES: dict[str, str] = json.loads(BAD.with_name("texts").joinpath("bad_drivers.json").read_text("utf-8"))
"""What the report says of each bad driver."""


@pytest.mark.slow
@pytest.mark.parametrize("how", MESSAGES)
def test_every_case_fails_with_its_clause_named(run: Run, how: str) -> None:
    outcome = held(run, how)
    assert outcome.code == 1
    assert MESSAGES[how] in outcome.out
    assert all(f"FAILED  {clause}" in outcome.out for clause in CLAUSES)
    assert "2 cases: 2 failed. It fails 2 clauses of SkillBag: root.catalog-sorted, root.catalog-real." in outcome.out
    assert "conforms" not in outcome.out


@pytest.mark.parametrize("how", ["hang", "mute", "deaf"])
def test_a_driver_that_does_not_answer_is_given_up_after_the_timeout(run: Run, how: str) -> None:
    began = time.monotonic()
    outcome = held(run, how, "--timeout", 0.5)
    assert time.monotonic() - began < 50
    assert outcome.code == 1
    assert "it gave no answer within 0.5 s" in outcome.out
    assert all(f"FAILED  {clause}" in outcome.out for clause in CLAUSES)


def test_a_driver_that_keeps_hanging_is_given_up(run: Run) -> None:
    outcome = run(
        "conformance", "--driver", command("hang"), "--case", "files/clauses/*", "--jobs", 2, "--timeout", 0.3
    )
    assert outcome.code == 1
    hung = outcome.out.count("it gave no answer within 0.3 s")
    assert 5 <= hung <= 6
    skipped = outcome.out.count("not asked, since the driver has hung 5 times")
    assert skipped == outcome.out.count(" failed  [") - hung > 5


@pytest.mark.parametrize(
    ("how", "word", "reason"),
    [
        ("unsupported", "not covered", r"\x1b]0;owned\x07\x1b[31m not yet"),
        ("unable", "not offered", "the driver does not know the operation check"),
    ],
)
def test_what_is_not_supported_is_not_covered_and_nothing_is_shown(run: Run, how: str, word: str, reason: str) -> None:
    outcome = held(run, how)
    assert outcome.code == 1
    assert all(f"{word}  {clause}" in outcome.out for clause in CLAUSES)
    assert f"2 cases {word}: {reason}" in outcome.out
    assert f"2 cases: 2 {word}. Nothing was shown, since no case is covered; {word}: root." in outcome.out


@pytest.mark.parametrize("how", ["crash-at-the-first", "hang-at-the-first"])
def test_after_a_crash_or_a_hang_the_other_cases_still_run(run: Run, how: str) -> None:
    options = ("--case", "files/clauses/root-catalog-[cn]*", "--jobs", 1, "--timeout", 2, "--json")
    values = json.loads(run("conformance", "--driver", command(how), *options).out)
    assert values["exit"] == 1
    assert {case["id"]: case["verdict"] for case in values["cases"]} == {
        "files/clauses/root-catalog-name": "failed",
        "files/clauses/root-catalog-complete": "passed",
    }


def test_a_second_answer_is_found_at_the_next_request(run: Run) -> None:
    outcome = held(run, "twice")
    assert "it answered request 2 with the id 1" in outcome.out
    assert outcome.code == 1


def test_an_interrupt_ends_the_run_and_the_drivers_at_once(tmp_path: Path) -> None:
    driver, pid = tmp_path / "driver.py", tmp_path / "pid"
    driver.write_text(
        f"import os, pathlib, sys, time\npathlib.Path({str(pid)!r}).write_text(str(os.getpid()))\ntime.sleep(1000)\n",
        "utf-8",
    )
    kit_command = [sys.executable, "-m", "skillbag", "team", "conformance", "--case", CASES, "--jobs", "1", "--driver"]
    with subprocess.Popen([*kit_command, shlex.join([sys.executable, str(driver)])], stderr=subprocess.PIPE) as kit:
        while not (pid.exists() and pid.read_text("utf-8")):
            assert kit.poll() is None
            time.sleep(0.05)
        kit.send_signal(signal.SIGINT)
        _, said = kit.communicate(timeout=300)
    assert (kit.returncode, said.strip()) == (130, b"error: interrupted")
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text("utf-8")), 0)
