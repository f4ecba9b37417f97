"""The test cases of the examples pass, and reach all of their handlers."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.supply.install.worlds import ENTRYPOINT, write
from tests.support import PROJECT, Run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="skills run in process groups")

EXAMPLES = PROJECT / "examples/runtime/skills"


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(folder.name for folder in EXAMPLES.iterdir()))
def test_the_cases_pass(run: Run, name: str) -> None:
    done = run("runtime", "test", EXAMPLES / name)
    assert (done.code, done.err) == (0, ""), done
    assert not {"FAILED", "No case"} & set(done.out.split())
    assert "No case of" not in done.out


def test_check_has_nothing_to_say_about_them(run: Run, tmp_path: Path) -> None:
    root = write(tmp_path / "ws", {"SKILLBAG.md": ENTRYPOINT, ".skills/SKILLS.md": ""})
    shutil.copytree(EXAMPLES, root / ".skills", dirs_exist_ok=True)
    done = run("check", "--select", "manifest-cases-invalid,manifest-handler-untested", cwd=root)
    assert done.out.endswith("No findings.\n"), done
