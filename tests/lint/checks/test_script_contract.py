"""Commands of a text are compared with the script that they run: what it refuses is found, and nothing else."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from skillbag.lint.facts.script_arguments import arguments_of
from tests.lint.checks.rule_runs import findings
from tests.rows import each_row
from tests.support import skill, table

TABLE = table(__file__, "script_arguments.toml")


def said(root: Path, text: str, *rules: str, scripts: dict[str, str] | None = None) -> list[str]:
    """The messages about a text in a skill with scripts."""
    folder = root / "skills" / "tidy"
    (folder / "scripts").mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(skill("tidy") + text, "utf-8")
    for name, source in (TABLE["scripts"] if scripts is None else scripts).items():
        (folder / "scripts" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "scripts" / name).write_text(source.lstrip(), "utf-8")
    return [finding.message for finding in findings(root, *rules)]


def block(command: str) -> str:
    return f"\nRun it:\n\n```bash\n{command}\n```\n"


@each_row("command, detail", list(TABLE["refused"].items()))
def test_what_a_script_refuses_is_found(command: str, detail: str, tmp_path: Path) -> None:
    messages = said(tmp_path, block(command), "script-arguments-wrong")
    assert len(messages) == 1
    assert detail in messages[0]


@each_row("command", TABLE["taken"]["lines"])
def test_what_a_script_takes_is_left_alone(command: str, tmp_path: Path) -> None:
    assert said(tmp_path, block(command), "script-arguments-wrong") == []


def test_a_command_in_a_sentence_may_leave_words_out(tmp_path: Path) -> None:
    text = "\nRun `python scripts/argparse.py --format json` on it, or `python scripts/argparse.py --colour`.\n"
    (message,) = said(tmp_path, text, "script-arguments-wrong")
    assert "`--colour`" in message


def test_a_command_that_is_shown_as_wrong_is_left_alone(tmp_path: Path) -> None:
    text = "\n```bash\n# ❌ Wrong\npython scripts/argparse.py a --colour\n```\n"
    assert said(tmp_path, text, "script-arguments-wrong") == []


@pytest.mark.parametrize(
    "command",
    [
        "python scripts/argparse.py " + "-x " * 20_000,
        "python scripts/argparse.py a\n" * 5_000,
        "scripts/argparse.py " * 9_999,
    ],
)
def test_a_hostile_command_takes_linear_time(command: str, tmp_path: Path) -> None:
    started = time.process_time()
    said(tmp_path, block(command), "script-arguments-wrong")
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    "source",
    [
        '"""\n' + "ab\n" * 100_000 + '"""\n',
        "".join(f"a{number} = 1\n" for number in range(40_000)),
        "".join(f"p{number} = argparse.ArgumentParser()\n" for number in range(20_000)),
    ],
    ids=["a long string", "constants", "parsers"],
)
def test_a_hostile_script_takes_linear_time(source: str) -> None:
    started = time.process_time()
    arguments_of("run.py", f"import argparse\nparser = argparse.ArgumentParser()\n{source}parser.parse_args()\n")
    assert time.process_time() - started < 20


@each_row(
    "source, detail",
    [
        ("import helper", "`helper` is named `helpers.py` here"),
        ("import Helpers as h", "named `helpers.py`"),
        ("import mytool", "named `my-tool.py`"),
        ("from .cleaning import a", "is not there"),
        ("from helpers import clean_all", "did you mean `clean_up`"),
        ("from helpers import (\n    clean_up,\n    sort_it,\n)", "has no `sort_it`"),
        ("from scripts.helpers import gone", "has no `gone`"),
        ("import helpers", ""),
        ("import requests, helper_of_others", ""),
        ("from helpers import clean_up as c, SIZES", ""),
        ("try:\n    import helper\nexcept ImportError:\n    helper = None", ""),
        ("TEXT = '''\nfrom .models import A\n'''", ""),
        ("from . import helpers", ""),
        ("import json", ""),
    ],
)
def test_imports_from_the_files_beside_a_script(source: str, detail: str, tmp_path: Path) -> None:
    scripts = {"run.py": source + "\n", "helpers.py": "SIZES = [1]\ndef clean_up(): ...\n", "my-tool.py": ""}
    messages = said(tmp_path, "\nRun `scripts/run.py`.\n", "script-import-broken", scripts=scripts)
    assert len(messages) == bool(detail)
    assert not detail or detail in messages[0]
