"""What `docs/skill-sdk.md` shows works, and it has every function of the context."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from skillbag.skill_sdk import Context
from tests.project.pages import blocks
from tests.supply.install.worlds import write
from tests.support import PROJECT, Run

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="skills run in process groups"),
    pytest.mark.usefixtures("a_person"),
]


def test_the_plugin_of_the_page_works(run: Run, tmp_path: Path) -> None:
    shown = [block.body for block in blocks("yaml", "python") if block.page == "skill-sdk.md"]
    files = {body.partition("\n")[0].removeprefix("# "): body for body in shown}
    write(tmp_path, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": "", "a.txt": "a\nlong\nb\n", **files})
    words = ("--approve-skills", "longest-lines", "--skills", "longest-lines")
    for path, answer in (("a.txt", "long"), ("none.txt", "It can't be read: ")):
        done = run("runtime", "call", "longest_line", f'{{"path": "{path}"}}', *words, cwd=tmp_path)
        assert (done.code, done.out.startswith(answer)) == (0, True), done


def test_every_method_of_the_context_is_on_the_page() -> None:
    page = (PROJECT / "docs/skill-sdk.md").read_text("utf-8")
    named = set(re.findall(r"^\| `(\w+)\(", page.partition("## `Context`")[2], re.MULTILINE))
    assert named == {name for name in vars(Context) if not name.startswith("_")}
