"""`add --source` without names: on a terminal a list to pick from, elsewhere an error that lists the names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skillbag.doors.cli.picking import PickList, answered, lines
from skillbag.report.columns import width
from skillbag.supply.install.choice import SkillChoice
from tests.doors.cli.terminals import on_terminal, plain
from tests.rows import each_row
from tests.supply.install.outcomes import lock_of
from tests.supply.install.worlds import make_source, make_workspace
from tests.support import Run

NAMES = ("docx", "pdf", "pptx", "xlsx")
OFFERS = [
    SkillChoice("docx", "Write documents. Use for reports.", False),
    SkillChoice("pdf", "Fill forms, merge files\x1b[2J.", True),
    SkillChoice("pptx", "Make slides for talks.", False),
    SkillChoice("xlsx", "表計算 " * 30, False),
]
ALL = PickList(OFFERS, tuple(range(4)))
PROMPT = "Enter alone stops: "


@each_row(
    ("answer", "names"),
    [
        ("1", ["docx"]),
        ("1,3", ["docx", "pptx"]),
        ("3 1 1", ["pptx", "docx"]),
        ("2-4", ["pdf", "pptx", "xlsx"]),
        ("1, 3 - 4", ["docx", "pptx", "xlsx"]),
        ("pdf", ["pdf"]),
        ("xlsx, docx", ["xlsx", "docx"]),
        ("all", list(NAMES)),
        ("ALL", list(NAMES)),
        ("*", list(NAMES)),
    ],
)
def test_an_answer_picks_by_number_range_name_or_all(answer: str, names: list[str]) -> None:
    assert answered(ALL, answer) == names


@each_row("answer", ["0", "5", "4-2", "1,9", "3-99", "123456"])
def test_a_number_that_is_none_of_the_list_picks_nothing(answer: str) -> None:
    assert answered(ALL, answer) == PickList(OFFERS, ALL.listed, "The numbers are 1 to 4.")


def test_a_word_filters_by_name_and_description_and_all_means_what_is_listed() -> None:
    found = answered(ALL, "FOR")
    assert found == PickList(OFFERS, (0, 1, 2))
    assert isinstance(found, PickList)
    assert answered(found, "all") == ["docx", "pdf", "pptx"]
    assert answered(found, "4") == ["xlsx"]
    assert answered(found, "for talks") == PickList(OFFERS, (2,))
    assert answered(found, "nothing\x1b") == PickList(OFFERS, (0, 1, 2), "No skill matches nothing\\x1b.")
    assert answered(ALL, "9" * 5000) == PickList(OFFERS, ALL.listed, f"No skill matches {'9' * 5000}.")


@each_row("columns", [20, 40, 70, 80, 200])
def test_lines_fit_and_hold_no_control_characters(columns: int) -> None:
    text = [*lines(ALL, columns), *lines(PickList(OFFERS, (1,)), columns)]
    assert max(map(width, text)) <= columns
    assert all(line.isprintable() for line in text)
    assert any("pdf (installed)" in line for line in text)


def test_a_name_longer_than_its_column_has_the_description_below() -> None:
    offers = [
        SkillChoice("skillbag-convert-documents-of-the-office", "Tidy.", True),
        SkillChoice("pdf", "Fill forms.", False),
    ]
    first, below, other = lines(PickList(offers, (0, 1)), 80)
    assert first == "1  skillbag-convert-documents-of-the-office (installed)"
    assert below.index("Tidy.") == other.index("Fill")


def test_a_long_list_is_cut_and_says_so() -> None:
    offers = [SkillChoice(f"skill-{n}", "Tidy.", False) for n in range(500)]
    text = list(lines(PickList(offers, tuple(range(500))), 80))
    assert len(text) == 41
    assert text[-1] == "… and 460 more: a word finds them"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace beside the source `../office`."""
    make_source(tmp_path / "office", list(NAMES))
    return make_workspace(tmp_path / "work")


@pytest.mark.boundary
@pytest.mark.parametrize("columns", [40, 80])
def test_what_is_picked_on_a_terminal_is_installed_and_declared(workspace: Path, columns: int) -> None:
    words = ("add", "--source", "../office")
    ended = on_terminal(workspace, *words, answer="1,3\ny\n", prompt=PROMPT[-9:], columns=columns)
    assert ended.code == 0, ended.text
    assert "../office offers 4 skills:" in plain(ended.text)
    assert {"docx", "pptx"} <= set(lock_of(workspace))
    assert "pdf" not in (workspace / "CONTEXT.md").read_text("utf-8")

    again = on_terminal(workspace, "add", "--source", "../office", answer="\n", prompt=PROMPT[-9:])
    assert again.code == 3
    assert "docx (installed)" in plain(again.text)
    assert "note: nothing was picked, so nothing was installed" in plain(again.text)
    assert "error" not in plain(again.text)
    assert "nothing was written" not in plain(again.text)


@pytest.mark.boundary
@pytest.mark.parametrize("key", ["\x03", "\x04"], ids=["Ctrl-C", "Ctrl-D"])
def test_an_interrupt_leaves_everything_as_it_was(workspace: Path, key: str) -> None:
    before = {path: path.read_bytes() for path in workspace.rglob("*") if path.is_file()}
    ended = on_terminal(workspace, "add", "--source", "../office", answer=key, prompt=PROMPT)

    assert ended.code == 130
    assert "Traceback" not in ended.text
    assert {path: path.read_bytes() for path in workspace.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("command", ["add", "install"])
def test_without_a_terminal_an_error_lists_the_names(command: str, run: Run, workspace: Path) -> None:
    done = run(command, "--source", "../office", cwd=workspace)
    assert done.code == 2
    assert "It offers `docx`, `pdf`, `pptx`, `xlsx`. Name them, as in `skillbag" in done.err
    assert ", or give --all" in done.err

    values = json.loads(run(command, "--source", "../office", "--json", cwd=workspace).out)
    assert values["exit"] == 2
    assert "`docx`, `pdf`, `pptx`, `xlsx`" in values["problems"][0]["message"]
