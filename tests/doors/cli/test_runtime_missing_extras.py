"""Skills whose backend needs a package that is not installed: that is said early, and starting them is exit code 4."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import PROJECT

WITHOUT = """import importlib.machinery, sys
class Without(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name == {!r} else super().find_spec(name, path, target)
sys.meta_path[sys.meta_path.index(importlib.machinery.PathFinder)] = Without
"""

MANIFEST = """name: tidy
version: 1.0.0
description: Tidies.
types: [tool]
implementation: {backend: starlark, entrypoint: skill.star}
tools: [{name: tidy_up, description: Tidies}]
triggers: {keywords: [mess]}
"""

STARLARK = "Starlark is not installed: pip install 'skillbag[runtime]'"
VERSIONS = "comparing versions of skills needs the package semantic-version: pip install 'skillbag[runtime]'"


def commanded(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {"HOME": str(tmp_path), "PYTHONPATH": f"{tmp_path}:{PROJECT}", "PATH": "/usr/bin:/bin"}
    environment["SKILLBAG_APPROVE_SKILLS"] = "tidy"
    command = [sys.executable, "-m", "skillbag", "runtime", *words, "--workspace", str(tmp_path / "ws")]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "more", "reason"),
    [
        ("starlark", "", STARLARK),
        ("semantic_version", "compatibility: {agent_version: '>=0.0.1'}\n", VERSIONS),
        ("semantic_version", "dependencies: [{name: other, version: '^1.0.0'}]\n", VERSIONS),
    ],
)
def test_what_an_extra_lacks_is_said_before_and_at_the_activation(
    tmp_path: Path, package: str, more: str, reason: str
) -> None:
    skill = tmp_path / "ws/.skills/tidy"
    skill.mkdir(parents=True)
    (tmp_path / "ws/SKILLBAG.md").write_text("SkillBag v0.3.0\n")
    (skill / "SKILL.yaml").write_text(MANIFEST + more)
    (skill / "skill.star").write_text("register_tool('tidy_up', 'Tidies', lambda value: 'tidy')\n")
    (skill.parent / "other").mkdir()
    (skill.parent / "other/SKILL.yaml").write_text(
        "name: other\nversion: 1.0.0\ndescription: O.\ntypes: [prompt]\nprompt: {system_prompt_file: SKILL.yaml}\n"
    )
    (tmp_path / "sitecustomize.py").write_text(WITHOUT.format(package))
    listed = json.loads(commanded(tmp_path, "list", "--json").stdout)
    (tidy,) = [each for each in listed["skills"] if each["name"] == "tidy"]
    assert tidy["state"] == "blocked"
    assert tidy["reason"].endswith(reason)
    assert reason in commanded(tmp_path, "why", "tidy", "--message", "a mess").stdout
    assert f"State: {tidy['state']}: {tidy['reason']}" in commanded(tmp_path, "info", "tidy").stdout
    for words in (("call", "tidy_up"), ("activate", "tidy"), ("hooks", "--skills", "tidy")):
        done = commanded(tmp_path, *words)
        assert (done.returncode, done.stdout) == (4, "")
        assert reason in done.stderr
    (tmp_path / "sitecustomize.py").unlink()
    assert commanded(tmp_path, "call", "tidy_up").stdout == "tidy\n"
