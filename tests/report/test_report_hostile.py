"""What must hold in every format: no raw control character, no secret, no format that loads what it does not need."""

from __future__ import annotations

import subprocess
import sys
import unicodedata

import pytest

from skillbag.model.result import CheckedTarget, RuleInfo
from skillbag.report import FORMATS
from tests.report.report_results import (
    HOSTILE,
    ROOT,
    RULE,
    TOKEN,
    made_finding,
    made_result,
    reported,
)


@pytest.mark.parametrize("form", FORMATS)
def test_no_format_prints_a_control_or_invisible_character(form: str) -> None:
    hostile = made_finding(
        rule=HOSTILE, clause=HOSTILE, path=f"{ROOT}/{HOSTILE}", message=HOSTILE, fix=HOSTILE, excerpt=HOSTILE * 3
    )
    result = made_result(hostile, targets=(CheckedTarget("workspace", f"{ROOT}/{HOSTILE}", 1, 1),))
    text = reported(form, result, statistics=True)
    assert "error" in text
    assert not {unicodedata.category(char) for char in text if char != "\n"} & {"Cc", "Cf", "Cs", "Cn", "Co"}
    assert "##[" not in text
    assert text.encode("utf-8")


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_masks_secrets(form: str) -> None:
    told = f"The key {TOKEN} is in the text."
    finding = made_finding(
        path=f"{ROOT}/{TOKEN}/SKILL.md", message=told, fix=f"Take {TOKEN} out.", excerpt=told, column=9, end_column=49
    )
    rule = RuleInfo(RULE.id, RULE.family, None, RULE.level, told, told, told, told)
    targets = (CheckedTarget("workspace", f"{ROOT}/{TOKEN}", 1, 1),)
    text = reported(form, made_result(finding, rules=(rule,), targets=targets), statistics=True)
    assert "is in the text." in text
    assert TOKEN[8:] not in text


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_ends_its_last_line(form: str) -> None:
    assert reported(form, made_result(made_finding())).endswith("\n")


def test_text_and_json_load_nothing_heavy() -> None:
    code = (
        "import sys; from skillbag.report import FORMATS; from skillbag.report.options import ReportOptions\n"
        "from skillbag.model.result import Result\n"
        "[''.join(FORMATS[form](Result((), ()), ReportOptions('/'))) for form in ('text', 'json')]\n"
        "print(*sorted(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert {"skillbag.report.text", "skillbag.report.as_json"} <= loaded
    assert not loaded & {"click", "jsonschema", "yaml", "detect_secrets", "textwrap", "urllib.parse", "html", "xml"}
    assert not {name for name in loaded if name.startswith("skillbag.report.")} & {
        "skillbag.report.sarif",
        "skillbag.report.junit",
        "skillbag.report.markdown",
    }
