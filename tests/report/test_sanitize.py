"""Text of users in every output: secrets masked, invisible characters escaped; and what a report loads."""

from __future__ import annotations

import subprocess
import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.model.result import CheckedTarget, RuleInfo
from skillbag.report import FORMATS
from skillbag.report.sanitize import exact, shown, shown_page
from tests.report.report_results import HOSTILE, ROOT, RULE, TOKEN, made_finding, made_result, reported
from tests.rows import each_row


@each_row(
    ("text", "expected"),
    [
        ("plain text", "plain text"),
        ("é漢字 naïve ☃ ⚠️ 👍🏽\u3000\u00a0.", "é漢字 naïve ☃ ⚠️ 👍🏽\u3000\u00a0."),
        ("a\tb", "a\\tb"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\nb\rc\0", "a\\nb\\rc\\x00"),
        ("\x7f\x85\x9b", "\\x7f\\x85\\x9b"),
        ("\u202e\u2066\u200f\u061c", "\\u202e\\u2066\\u200f\\u061c"),
        ("\u200b\u200d\ufeff\u2060\u00ad", "\\u200b\\u200d\\ufeff\\u2060\\xad"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("\u3164\u115f\u034f\u180b", "\\u3164\\u115f\\u034f\\u180b"),
        ("\ufe00\U000e0101", "\\ufe00\\U000e0101"),
        ("\U000e0041\U000e007f", "\\U000e0041\\U000e007f"),
        ("\ud800\udc80", "\\ud800\\udc80"),
        ("\ufffe\U0010ffff", "\\ufffe\\U0010ffff"),
        ("x ##[error]y", "x #\\x23[error]y"),
    ],
)
def test_invisible_characters_are_escaped(text: str, expected: str) -> None:
    assert shown(text) == expected


@given(st.text(st.characters()))
def test_nothing_invisible_is_left(text: str) -> None:
    categories = {unicodedata.category(char) for char in shown(text)}
    assert not categories & {"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"}


def test_secrets_are_masked() -> None:
    for clean in (shown(f"key {TOKEN} end"), exact(f"key {TOKEN} end"), shown_page(f"one\nkey {TOKEN} end")):
        assert TOKEN[8:] not in clean
        assert clean.endswith(" end")


def test_exact_keeps_everything_but_lone_surrogates() -> None:
    assert exact("a\x1b\n\u202e漢") == "a\x1b\n\u202e漢"
    assert exact("a\udc80b") == "a\\udc80b"


def test_a_page_keeps_its_lines() -> None:
    assert shown_page("# Title\n\n\ttext\x1b\n") == "# Title\n\n\ttext\\x1b"


@each_row("form", FORMATS)
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


@each_row("form", FORMATS)
def test_every_format_masks_secrets(form: str) -> None:
    text = f"The key {TOKEN} is in the text."
    finding = made_finding(
        path=f"{ROOT}/{TOKEN}/SKILL.md",
        message=text,
        fix=f"Take {TOKEN} out.",
        excerpt=text,
        column=9,
        end_column=49,
    )
    rule = RuleInfo(RULE.id, RULE.family, None, RULE.level, text, text, text, text)
    targets = (CheckedTarget("workspace", f"{ROOT}/{TOKEN}", 1, 1),)
    output = reported(form, made_result(finding, rules=(rule,), targets=targets), statistics=True)
    assert "is in the text." in output
    assert TOKEN[8:] not in output


def test_text_and_json_load_nothing_heavy() -> None:
    code = (
        "import sys; from skillbag.report import FORMATS; from skillbag.report.options import ReportOptions\n"
        "from skillbag.kernel.model.result import CheckResult\n"
        "[FORMATS[form].render(CheckResult((), ()), ReportOptions('/')) for form in ('text', 'json')]\n"
        "print(*sorted(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert {"skillbag.report.text", "skillbag.report.as_json"} <= loaded
    heavy = {"click", "jsonschema", "yaml", "detect_secrets", "textwrap", "typing", "urllib.parse", "html", "xml"}
    assert not loaded & heavy
    assert not loaded & {f"skillbag.report.{form}" for form in ("sarif", "junit", "markdown")}
