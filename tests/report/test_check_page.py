"""`check --format html`: what its page says and holds, without a browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from skillbag.kernel.model.findings import Severity, TextEdit, WriteFile
from skillbag.kernel.model.result import Aside, CheckedTarget, CheckResult
from tests.doors.cli.terminals import on_terminal, plain
from tests.report.report_results import HOSTILE, ROOT, RULE, SKILL, TOKEN, made_finding, made_result, reported
from tests.report.test_pages import data_of
from tests.rows import each_row
from tests.support import Run, Tree, skill

WORKSPACE = {"SKILLBAG.md": "# SkillBag\n"}


def page_of(result: CheckResult, **options: Any) -> str:
    """The page, each run of white space as one blank."""
    return " ".join(reported("html", result, **options).split())


def rows(page: str) -> list[dict[str, Any]]:
    """The findings of a page's data."""
    data = data_of(page)
    return [dict(zip(data["columns"], row, strict=True)) for row in data["findings"]]


@each_row(
    ("level", "strict", "verdict"),
    [("error", False, "Fails"), ("warning", False, "Passes"), ("warning", True, "Fails")],
)
def test_the_verdict_is_that_of_the_run(level: str, strict: bool, verdict: str) -> None:
    page = page_of(made_result(made_finding(level=Severity(level))), strict=strict)
    assert f">{verdict}</span>" in page
    assert f"1 {level} in the workspace shop</h1>" in page


def test_a_clean_page_says_to_what_the_target_conforms() -> None:
    page = page_of(made_result(suppressed=2, aside=(Aside(f"{ROOT}/docs/SKILL.md", "it is a sample"),)))
    assert "It conforms to the checked clauses of SkillBag v0.3.0, but for the findings set aside." in page
    assert "Set aside: 2 suppressed." in page
    assert '<span class="code">docs/SKILL.md</span>: it is a sample' in page


def test_several_targets_are_counted_and_listed() -> None:
    targets = (CheckedTarget("workspace", ROOT, 5, 14), CheckedTarget("skills", "/elsewhere", 1, 1))
    page = page_of(made_result(targets=targets))
    assert "1 of 2 targets conforms to the checked clauses of SkillBag v0.3.0." in page
    assert ">elsewhere<" in page


def test_the_data_have_every_finding_with_its_excerpt() -> None:
    page = reported("html", made_result(made_finding(), made_finding(level=Severity.NOTE, fix=None, installed=True)))
    first, second = rows(page)
    assert (first["level"], first["line"], first["column"]) == ("error", 2, 7)
    assert first["excerpt"] == ["name: ", "Weather", ""]
    assert data_of(page)["fixes"] == ['Call it "weather".']
    assert (first["fix"], second["fix"], second["installed"]) == (0, None, 1)
    assert data_of(page)["rules"] == [{"id": RULE.id, "clause": "skill.name", "family": "standard", "url": None}]


@each_row("url", ["javascript:alert(1)", "JAVASCRIPT:x", "data:text/html,x", "file:///etc/x", " https://x"])
def test_only_pages_of_the_web_are_linked(url: str) -> None:
    page = reported("html", made_result(made_finding(), rules=(RULE._replace(url=url),)))
    assert data_of(page)["rules"][0]["url"] is None
    assert url not in page.replace("SKILL.md", "")


def test_without_scripts_the_first_thousand_are_listed() -> None:
    page = page_of(made_result(*[made_finding(line=line) for line in range(1, 1_011)]))
    plain = page.partition("<noscript>")[2].partition("</noscript>")[0]
    assert plain.count("<li>") == 1_000
    assert "These are the first 1,000 findings." in plain
    assert ".skills/weather/SKILL.md:1000:7" in plain
    assert "Fix: Call it &#34;weather&#34;." in plain


def test_each_rule_that_found_something_is_explained() -> None:
    page = page_of(
        made_result(
            made_finding(), rules=(RULE._replace(why="Use\n`a`, <b>.\n\nMore.\n", url="https://host.example/r"),)
        )
    )
    assert "<p>Use <code>a</code>, &lt;b&gt;.</p> <p>More.</p>" in page
    assert '<a href="https://host.example/r" rel="noopener noreferrer">' in page


def test_the_same_input_makes_the_same_page() -> None:
    result = made_result(made_finding(), made_finding(path="/elsewhere/a.md"))
    assert reported("html", result) == reported("html", result)


def test_edits_are_shown_as_the_lines_that_change(tmp_path: Path) -> None:
    path = tmp_path / "SKILL.md"
    path.write_text("---\nname: Weather\nkey: 1\n---\n", "utf-8")
    edit = TextEdit(str(path), 10, 17, "weather")
    other = WriteFile(str(path), "---\nname: Weather\nkey: 2\nx\x1b\n---\n")
    page = reported("html", made_result(*(made_finding(edits=(each,), root=str(tmp_path)) for each in (edit, other))))
    first, second = rows(page)
    assert first["changes"] == [[str(path), [["-", "name: Weather"], ["+", "name: weather"]]]]
    assert second["changes"] == [[str(path), [["-", "key: 1"], ["+", "key: 2"], ["+", "x\\x1b"]]]]


def test_edits_show_no_secret(tmp_path: Path) -> None:
    path = tmp_path / "SKILL.md"
    path.write_text(f"key: {TOKEN}\n", "utf-8")
    for edit in (TextEdit(str(path), 0, 3, "token"), WriteFile(str(path), "key: none\n")):
        page = reported("html", made_result(made_finding(edits=(edit,), root=str(tmp_path))))
        assert TOKEN[8:] not in page


def test_long_changes_are_cut(tmp_path: Path) -> None:
    path = tmp_path / "SKILL.md"
    path.write_text("a\n" * 50 + "b" * 9_000 + "\n", "utf-8")
    page = reported("html", made_result(made_finding(edits=(WriteFile(str(path), "c\n"),), root=str(tmp_path))))
    ((_, lines),) = rows(page)[0]["changes"]
    assert lines[12] == ["…", "39 more"]
    assert len(json.dumps(lines)) < 1_000


def test_files_have_the_skill_that_they_are_in(tree: Tree, run: Run) -> None:
    broken = skill("a") + "\n[x](none.md)\n"
    root = tree(
        {"skills/a/SKILL.md": broken, "skills/a/references/deep/more.md": "[x](none.md)\n", "skills/b/SKILL.md": broken}
    )
    run("check", "--config=cache=false", "--select", "links", "--format", "html", "-o", "page.html", cwd=root)
    data = data_of((root / "page.html").read_text("utf-8"))
    assert ["skills/a", "a"] in data["skills"]
    owners = dict(data["files"])
    assert owners["skills/a/references/deep/more.md"] == owners["skills/a/SKILL.md"]
    assert owners["skills/b/SKILL.md"] != owners["skills/a/SKILL.md"]


def test_the_page_says_how_to_make_it_again(tree: Tree, run: Run) -> None:
    root = tree({"skills/a b/SKILL.md": skill("a"), "skillbag.toml": ""})
    options = (
        "--select",
        "links,root",
        "--select",
        "files",
        "--strict",
        "--config=cache=false",
        "-q",
        "-o",
        "page.html",
    )
    run("check", "skills/a b", "--format", "html", *options, cwd=root)
    page = (root / "page.html").read_text("utf-8")
    assert "<code>skillbag check --select links,root,files --strict &#39;skills/a b&#39;</code>" in page


@pytest.mark.parametrize("paths", [["{root}"], ["{root}/one"], ["{root}/one/skills/a"], ["{root}/one", "{root}/two"]])
def test_no_path_of_the_machine_is_in_the_page(paths: list[str], tree: Tree, run: Run, tmp_path_factory: Any) -> None:
    broken = skill("a") + "\n[x](none.md)\n"
    root = tree({"one/skills/a/SKILL.md": broken, "two/skills/a/SKILL.md": broken})
    for cwd in (root, root / "one", tmp_path_factory.mktemp("elsewhere")):
        run("check", *(path.format(root=root) for path in paths), "--format", "html", "-o", "page.html", cwd=cwd)
        page = (cwd / "page.html").read_text("utf-8")
        assert "link-broken" in page
        assert str(root) not in page


def test_another_report_besides(tree: Tree, run: Run) -> None:
    root = tree({"skills/a/SKILL.md": skill("a")})
    outcome = run("check", "--config=cache=false", "--output", "html=page.html", cwd=root)
    assert "No findings." in outcome.out
    assert "<title>No findings in the skills of " in (root / "page.html").read_text("utf-8")


def test_hostile_texts_are_as_harmless_in_the_plain_list() -> None:
    page = reported("html", made_result(made_finding(message=HOSTILE, path=f"{SKILL}/</noscript><b>")))
    assert page.count("</noscript>") == 1
    assert "<b>" not in page


@pytest.mark.boundary
def test_on_a_terminal_a_hint_says_where_the_page_belongs(tree: Tree) -> None:
    root = tree({"skills/a/SKILL.md": skill("a")})
    shown = plain(on_terminal(root, "check", "--config=cache=false", "--format", "html").text)
    assert shown.rstrip().endswith("hint: that was a page for a browser: `-o report.html` writes it to a file.")
    assert "hint" not in plain(
        on_terminal(root, "check", "--config=cache=false", "--format", "html", "-o", "page.html").text
    )
