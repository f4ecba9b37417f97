"""Lines of the catalog that list no skill: the skill that was meant must not stay away without a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.install.worlds import call
from tests.lifecycle.bags import bag
from tests.support import Run

_CATALOG = """\
# Skills
- greet: Greets. #run/always
tidy: Tidies.
tidy: Tidies again. #run/always
Sign_off: Signs. #run/last
"""


@pytest.mark.proves("lifecycle", "tags.run-always")
def test_entry_names_each_line_that_lists_nothing(run: Run, tmp_path: Path) -> None:
    root = bag(tmp_path, ["greet", "sign-off", "tidy"], {".skills/SKILLS.md": _CATALOG})
    _, values = call(run, root, "enter", "--session", "s")
    assert [(one["file"], one["line"]) for one in values["notes"]] == [
        (".skills/SKILLS.md", line) for line in (1, 2, 4, 5)
    ]
    assert [one["name"] for one in values["catalog"]] == ["tidy"]
    text = run("enter", "--session", "s", "--again", cwd=root).out
    assert "Note: .skills/SKILLS.md:2: the line lists no skill; skillbag sync rewrites the catalog\n" in text
    assert "Note: .skills/SKILLS.md:4: tidy is listed above; skillbag sync rewrites the catalog\n" in text


def test_of_a_catalog_of_many_such_lines_only_so_many_are_told_in_the_text(run: Run, tmp_path: Path) -> None:
    root = bag(tmp_path, ["tidy"], {".skills/SKILLS.md": "* no skill\n" * 5_000})
    assert len(run("enter", cwd=root).out) < 20_000
