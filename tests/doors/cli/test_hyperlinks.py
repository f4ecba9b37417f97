"""Hyperlinks (OSC 8): only where a terminal shows them, to places that it can open, and never out of their sequence."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from skillbag import DOCUMENTATION
from skillbag.doors.cli.hyperlinks import link_form
from skillbag.report.columns import width
from tests.doors.cli.terminals import OUR_TERMINAL, on_terminal, plain
from tests.report.report_results import HOSTILE, ROOT, RULE, TOKEN, made_finding, made_result, reported
from tests.rows import each_row
from tests.support import Run, Tree, skill

HOST = os.uname().nodename if hasattr(os, "uname") else ""
TREE = {"skills/a/SKILL.md": skill("a") + "\n[x](gone.md)\n"}
LINK = re.compile(r"\x1b\]8;;([!-~]*)\x1b\\([^\x1b]*(?:\x1b\[[0-9;]*m[^\x1b]*)*)\x1b\]8;;\x1b\\")
LINKS = {"links": "file://host{path}#{line}"}


def links(text: str) -> list[tuple[str, str]]:
    """The addresses and texts of the links; nothing else in the text is an escape sequence."""
    assert "\x1b]" not in LINK.sub("", text)
    return [(address, plain(shown)) for address, shown in LINK.findall(text)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variables", "place"),
    [
        ({"VTE_VERSION": "6003"}, "file://{host}{path}"),
        ({"TERM_PROGRAM": "iTerm.app"}, "file://{host}{path}"),
        ({"TERM_PROGRAM": "vscode"}, "file://{path}"),
        ({"TERM": "xterm-kitty"}, "file://{host}{path}#10"),
        ({"WT_SESSION": "x", "WSL_DISTRO_NAME": "Ubuntu"}, "file://wsl$/Ubuntu{path}"),
        ({"FORCE_HYPERLINK": "1"}, "file://{host}{path}"),
        ({"FORCE_HYPERLINK": "1", "NO_COLOR": "1"}, "file://{host}{path}"),
    ],
)
@pytest.mark.parametrize("form", ["text", "concise"])
def test_a_terminal_that_shows_links_gets_them(tree: Tree, variables: dict[str, Any], place: str, form: str) -> None:
    root = tree(TREE)
    found = links(on_terminal(root, "check", f"--format={form}", **variables).text)
    address = place.format(host=HOST, path=root / "skills/a/SKILL.md")
    rule = (f"{DOCUMENTATION}/rules/link-broken.md", "link-broken")
    if form == "text":
        assert found == [(address, "skills/a/SKILL.md"), (address, "10:5"), rule]
    else:
        assert found == [(address, "skills/a/SKILL.md:10:5"), rule]


@each_row(
    "variables",
    [
        {},
        {"VTE_VERSION": "5000"},
        {"VTE_VERSION": "new"},
        {"TERM_PROGRAM": "Apple_Terminal"},
        {"VTE_VERSION": "6003", "TERM": "dumb"},
        {"VTE_VERSION": "6003", "NO_COLOR": "1"},
        {"VTE_VERSION": "6003", "FORCE_HYPERLINK": "0"},
    ],
)
def test_any_other_terminal_gets_none(tree: Tree, variables: dict[str, Any]) -> None:
    assert links(on_terminal(tree(TREE), "check", **variables).text) == []


def test_a_pipe_and_a_file_get_none(tree: Tree, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree(TREE)
    monkeypatch.setenv("VTE_VERSION", "6003")
    assert "\x1b" not in run("check", cwd=root).out
    monkeypatch.setenv("FORCE_HYPERLINK", "1")
    assert run("check", "--output=a.txt", "--output=text=b.txt", cwd=root).out == ""
    assert "\x1b" not in (root / "a.txt").read_text("utf-8") + (root / "b.txt").read_text("utf-8")


def test_a_closed_standard_output_is_no_terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in OUR_TERMINAL:
        monkeypatch.delenv(name, raising=False)
    with (tmp_path / "file").open("w") as stream:
        assert link_form(stream, color=True) == ""
    assert sys.stdout.isatty() or link_form(sys.stdout, color=True) == ""


@pytest.mark.parametrize("form", ["text", "concise"])
def test_no_path_breaks_out_of_its_sequence(form: str) -> None:
    hostile = f"{ROOT}/a\x1b\\b\x07c\x9c;d e\n{HOSTILE.replace(chr(0xD800), '')}\udcff{{path}}.md"
    result = made_result(made_finding(path=hostile), rules=(RULE._replace(url="https://host.example/\x1b\\\x07 é"),))
    found = links(reported(form, result, **LINKS))
    assert len(found) == (3 if form == "text" else 2)
    assert found[0][0].startswith("file://host/work/shop/a%1B%5Cb%07c%C2%9C%3Bd%20e%0A")
    assert found[0][0].endswith("%FF%7Bpath%7D.md#2")
    assert found[-1] == ("https://host.example/%1B%5C%07%20%C3%A9", "skill-name-form")


def test_a_path_with_a_secret_is_no_link() -> None:
    text = reported("text", made_result(made_finding(path=f"{ROOT}/{TOKEN}.md")), **LINKS)
    assert links(text) == []
    assert TOKEN not in text


@each_row("columns", [40, 60, 80])
def test_links_take_no_room(columns: int) -> None:
    rule = RULE._replace(url="https://host.example/" + "x" * 100)
    result = made_result(made_finding(clause="skill.clause-of-thirty"), made_finding(line=9), rules=(rule,))
    text = reported("text", result, width=columns, **LINKS)
    bare = re.sub(r"\x1b\]8;;[^\x1b]*\x1b\\", "", text)
    assert bare == reported("text", result, width=columns)
    assert max(map(width, bare.splitlines())) <= columns
