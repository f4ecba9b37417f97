"""Lists and counts that pages copy by hand, each beside what it is copied from."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import click

from skillbag.doors.cli import exit_codes
from skillbag.doors.cli.completing import SHELLS
from skillbag.doors.cli.tree import tree
from skillbag.report import FORMATS
from tests.project.pages import read
from tests.rows import each_row
from tests.support import PROJECT

GUIDE = PROJECT / "docs/guide.md"
EXIT_CODES = PROJECT / "docs/exit-codes.md"
TREE = next(option.type.choices for option in tree.params if isinstance(option.type, click.Choice))
EXITS = {
    "0",
    "1",
    *(str(value) for name, value in vars(exit_codes).items() if name.startswith("EXIT_") and value < 100),
}


def first_column(page: Path, head: str) -> list[str]:
    """What the first column of a table names: words in code marks, or all of a cell without any."""
    table = read(page).partition(f"\n| {head} |")[2].partition("\n\n")[0].splitlines()[2:]
    cells = [line.split("|")[1].strip() for line in table]
    return [name for cell in cells for name in re.findall("`([^`]+)`", cell) or [cell.partition(" (")[0]]]


@each_row(
    ("page", "head", "known"),
    [
        (GUIDE, "format | for", FORMATS),
        (GUIDE, "format | result", set(TREE) - {"text"}),
        (EXIT_CODES, "exit code | meaning | what to do", EXITS | {"130"}),
        (GUIDE, "shell | file | line", {*SHELLS, "powershell"}),
    ],
)
def test_a_table_names_what_there_is(page: Path, head: str, known: Iterable[str]) -> None:
    named = [name.lower() for name in first_column(page, head)]
    assert sorted(named) == sorted(known)
