"""The manual pages: one for each command, and no formatter of pages complains about them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import click
import pytest
from man_pages import write_pages

from skillbag.doors.cli.app import app


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return sorted(write_pages(tmp_path_factory.mktemp("man")))


def shown(page: Path, width: int = 80) -> str:
    """The page as `man` shows it, without its headings' bold."""
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    command = ["groff", "-man", "-Tutf8", "-P-cbou", f"-rLL={width}n", str(page)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True).stdout


def test_each_command_has_a_page(pages: list[Path]) -> None:
    names = app.list_commands(click.Context(app))
    assert {page.name for page in pages} == {"skillbag.1", *(f"skillbag-{name}.1" for name in names)}
    assert {f"skillbag-{name}(1)" for name in names} <= set(re.findall(r"skillbag-[a-z]+\(1\)", shown(pages[-1])))


def test_groff_has_no_warning(pages: list[Path]) -> None:
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    done = subprocess.run(
        ["groff", "-man", "-ww", "-z", "-Tutf8", *map(str, pages)], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""


def test_mandoc_has_no_warning(pages: list[Path]) -> None:
    if shutil.which("mandoc") is None:
        pytest.skip("mandoc is not installed")
    done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", *map(str, pages)], capture_output=True, text=True)
    # A date would differ from one build to the next.
    assert [line for line in done.stdout.splitlines() if "missing date" not in line] == []


@pytest.mark.parametrize("width", [60, 80, 200])
def test_a_page_says_what_help_says(pages: list[Path], width: int) -> None:
    page = " ".join(shown(pages[0].with_name("skillbag-check.1"), width).replace("‐\n", "").split())
    usage = "skillbag check [OPTIONS] [PATH|ADDRESS]..."
    for words in (usage, "--select", "EXAMPLES", "Apply the safe fixes", "SEE ALSO"):
        assert words in page
    group = shown(pages[0].with_name("skillbag-runtime.1"), width)
    assert "skillbag runtime call [OPTIONS] TOOL" in " ".join(group.split())
    assert "skillbag runtime dirs add" in " ".join(group.split())
