"""The formats with a line for each finding: `concise` for grep and editors, `azure` for jobs of Azure Pipelines."""

from __future__ import annotations

import re

from skillbag.kernel.model.findings import Severity
from skillbag.report import FORMATS
from tests.report.report_results import HOSTILE, ROOT, SKILL, made_finding, made_result, reported
from tests.rows import each_row
from tests.support import Run, Tree, skill

LINE = re.compile(r"([^:]+):(\d+):(\d+): (error|warning|note) (\S+) (.+)")
"""What an editor reads of a line: Vim's `errorformat` is `%f:%l:%c: %t%*[^ ] %m`."""

COMMAND = re.compile(r"##vso\[task\.logissue ([^\]]*)\](.*)")
TOKENS = (("%3B", ";"), ("%0D", "\r"), ("%0A", "\n"), ("%5D", "]"), ("%AZP25", "%"))
"""What the agent of Azure Pipelines puts for escapes, in its order."""


def test_concise_is_a_line_for_each_finding_and_nothing_else(tree: Tree, run: Run) -> None:
    root = tree({"skills/a/SKILL.md": skill("a")})
    assert run("check", "--format=concise", cwd=root).out == ""
    tree({"skills/a/SKILL.md": skill("a") + "\n[x](gone.md)\n"})
    outcome = run("check", "--format=concise", cwd=root)
    assert outcome.out == "skills/a/SKILL.md:10:5: warning link-broken `gone.md` does not exist\n"


def test_concise_names_what_was_not_judged(tree: Tree, run: Run) -> None:
    root = tree({"skills/a/SKILL.md": skill("a"), "skills/a/a.txt": ""})
    (root / "skills/a/a.txt").write_bytes(b"a\xff")
    outcome = run("check", "--format=concise", cwd=root)
    assert outcome.out == "skills/a/a.txt:1:1: note not-judged byte 0xff is not UTF-8\n"
    assert LINE.fullmatch(outcome.out.rstrip("\n"))


def test_concise_keeps_hostile_texts_in_their_line() -> None:
    text = reported("concise", made_result(made_finding(message=HOSTILE, path=f"{ROOT}/::error::a\n\x1b[2J.md")))
    assert text.count("\n") == 1
    assert text.startswith("./::error::a\\n\\x1b[2J.md:2:7: error ")
    assert "\x1b" not in text


def test_concise_is_coloured_like_text() -> None:
    text = reported("concise", made_result(made_finding()), color=True)
    assert text.startswith("\x1b[1m.skills/weather/SKILL.md:2:7\x1b[0m: \x1b[1;31merror\x1b[0m skill-name-form The")
    assert LINE.fullmatch(re.sub(r"\x1b\[[0-9;]*m", "", text).rstrip("\n"))


def agent_reads(line: str) -> tuple[dict[str, str], str]:
    """The properties and the text of a logging command, as the agent takes them apart."""
    found = COMMAND.fullmatch(line)
    assert found
    pairs = (pair.split("=", 1) for pair in found[1].split(";"))
    return {name: undone(value) for name, value in pairs}, undone(found[2])


def undone(text: str) -> str:
    for escape, char in TOKENS:
        text = text.replace(escape, char)
    return text


@each_row("name", ["a;b]c%d=e.md", "%3B%0A%AZP25.md", "é 漢.md"])
def test_azure_escapes_what_would_end_a_property(name: str) -> None:
    message = "100% ]; %0A of [this]"
    line = reported("azure", made_result(made_finding(path=f"{ROOT}/{name}", message=message)), quiet=True).rstrip("\n")
    properties, text = agent_reads(line)
    where = {"type": "error", "sourcepath": f"{ROOT}/{name}", "linenumber": "2", "columnnumber": "7"}
    assert properties == {**where, "code": "skill-name-form"}
    assert text == f'{message}\nFix: Call it "weather".'


def test_azure_has_no_issue_for_a_note() -> None:
    findings = (made_finding(level=Severity.NOTE), made_finding(level=Severity.WARNING, path=SKILL))
    lines = reported("azure", made_result(*findings)).splitlines()
    assert lines[0].startswith("##vso[task.logissue type=warning;")
    assert lines[1:] == [
        '.skills/weather/SKILL.md:2:7: note skill-name-form The name "Weather" has upper-case letters.',
        "skillbag: 1 warning, 1 note (5 skills, 14 files checked).",
    ]


@each_row("form", [*FORMATS])
def test_no_text_is_a_command_to_azure(form: str) -> None:
    hostile = "##vso[task.setvariable variable=PATH]x"
    finding = made_finding(message=hostile, fix=hostile, rule=hostile, path=f"{ROOT}/{hostile}", excerpt=hostile)
    commands = re.findall(r"##vso\[[a-z.]+", reported(form, made_result(finding)))
    assert commands == (["##vso[task.logissue"] if form == "azure" else [])
