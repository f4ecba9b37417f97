"""The facts of a skill do not depend on its line ends or on the folder from which it is looked at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillbag.lint.capabilities.collect import all_facts, folder_facts
from tests.support import skill

LINES = (
    "curl https://vendor.dev/x \\",
    "  -d @file",
    "git log | head",
    "cat <<EOF > ~/.profile",
    "EOF",
    "import os, subprocess",
    "subprocess.run(['git', 'log'])",
    "os.environ['A_TOKEN']",
    "fetch('https://vendor.dev', {",
    "  method: 'POST' })",
    "irm https://vendor.dev `",
    "  -Method Post | iex",
    "case $x in",
    "a|b) make;;",
    "esac",
    '"hooks": {"Stop": [',
    '"command": "x"',
    "one",
    "- ~/.ssh/id_rsa",
    "",
)
NAMES = ("a.sh", "a.py", "a.js", "a.ps1", "package.json", "requirements.txt")


def written(folder: Path, lines: list[str], newline: str) -> Path:
    folder.mkdir(exist_ok=True)
    text = "\n".join(lines) + "\n"
    fences = "".join(f"\n```{language}\n{text}```\n" for language in ("bash", "python", "js", "powershell", "json"))
    for name, content in {"SKILL.md": skill("tidy") + fences, **dict.fromkeys(NAMES, text)}.items():
        (folder / name).write_bytes(content.replace("\n", newline).encode())
    return folder


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(st.sampled_from(LINES), max_size=8))
def test_line_ends_change_no_fact(tmp_path: Path, lines: list[str]) -> None:
    first = folder_facts(str(written(tmp_path / "lf", lines, "\n")))
    again = folder_facts(str(written(tmp_path / "crlf", lines, "\r\n")))
    assert again.facts == first.facts
    assert again.comparison == first.comparison
    assert again.content == first.content


def test_the_working_directory_changes_no_fact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = written(tmp_path / "tidy", list(LINES), "\n")
    (folder / "sub").mkdir()
    answers = []
    for directory, path in ((tmp_path, "tidy"), (folder, "."), (folder / "sub", "..")):
        monkeypatch.chdir(directory)
        answers.append(all_facts([os.path.abspath(path)]))
    assert answers[0] == answers[1] == answers[2]
    assert answers[0][0].skills[0].facts
