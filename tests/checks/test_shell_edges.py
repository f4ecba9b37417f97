"""The shell check where there is no usable bash, and scripts that other readers give up on."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from skillbag.checks import shell
from skillbag.checks.shell import shell_fault
from tests.checks.rule_runs import findings
from tests.support import Tree, skill

UNBALANCED = "if true; then\n  echo x\n"


def fake_bash(folder: Path, body: str) -> str:
    program = folder / "bin" / "bash"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    return str(program.parent)


def test_without_a_bash_nothing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shell_fault(UNBALANCED) is not None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert shell_fault(UNBALANCED) is None


@pytest.mark.parametrize("body", ["exit 2", "echo 'line x: no number' >&2; exit 2", "echo 'line 3: odd' >&2; exit 0"])
def test_a_bash_that_says_nothing_usable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    monkeypatch.setenv("PATH", fake_bash(tmp_path, body))
    assert shell_fault(UNBALANCED) is None


def test_a_place_behind_the_end_is_the_last_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", fake_bash(tmp_path, "echo 'bash: line 99: syntax error: odd' >&2; exit 2"))
    assert shell_fault(UNBALANCED) == (3, "syntax error: odd")


def test_a_bash_that_does_not_end_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell, "TIMEOUT", 0.2)
    monkeypatch.setenv("PATH", fake_bash(tmp_path, "exec /bin/sleep 30"))
    assert shell_fault(UNBALANCED) is None


def test_a_bash_that_cannot_be_started_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = fake_bash(tmp_path, "")
    (Path(folder) / "bash").write_bytes(b"\0\1\2")
    monkeypatch.setenv("PATH", folder)
    with pytest.raises(OSError, match="format"):
        subprocess.run([f"{folder}/bash"], check=False)
    assert shell_fault(UNBALANCED) is None


@pytest.mark.parametrize("first", ["#!/usr/bin/fish", "#!/usr/bin/env ruby", "#!/usr/bin/zsh"])
def test_a_script_of_another_shell_is_not_judged(first: str) -> None:
    assert shell_fault(f"{first}\n{UNBALANCED}") is None


@pytest.mark.parametrize(
    "source",
    ["cat <<A\nif then\nA\n", "cat <<-A\n\tif then\n\tA\n", "cat <<A <<'B'\nif\nA\nfi (\nB\n", "cat <<<'if'\n"],
)
def test_what_stands_in_a_here_document_is_no_code(source: str) -> None:
    assert not shell.is_suspect(source)
    assert shell_fault(source) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("assets/a.json", "[" * 200_000),
        ("assets/a.json", '{"a": 1}\n{"a": 2}\n'),
        ("assets/tsconfig.json", "{ // a remark\n}\n"),
        ("assets/a.json", "\n \n"),
        ("assets/a.yaml", "[" * 5_000),
        ("assets/a.yaml", "a: !x &y {b: *y}\n---\nc: d\n"),
        ("assets/a.toml", "a" + ".b" * 2_000 + " = 1\n"),
        ("scripts/a.py", "x = " + "-" * 200_000 + "1"),
    ],
)
def test_what_a_reader_gives_up_on_is_no_fault(tree: Tree, name: str, text: str) -> None:
    root = tree({"skills/a/SKILL.md": skill("a"), f"skills/a/{name}": text})
    assert findings(root, "script-syntax-invalid") == []


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("assets/a.json", '{"a": 1,\n}\n', 1),
        ("assets/a.json", '{"a": 1} x\n', 1),
        ("assets/a.yaml", "a: 1\nb: \x01\n", 2),
        ("assets/a.toml", "a = 1\nb = \n", 2),
        ("assets/a.toml", "a = [1,\n", 1),
        ("scripts/a.py", "print 'x'\n", 1),
        ("scripts/run", "#!/usr/bin/env python3\nx = (\n", 2),
        ("scripts/run", "#!/bin/bash\nif true; then\n", 3),
    ],
)
def test_what_does_not_parse(tree: Tree, name: str, text: str, line: int) -> None:
    root = tree({"skills/a/SKILL.md": skill("a"), f"skills/a/{name}": text})
    assert [f.line for f in findings(root, "script-syntax-invalid")] == [line]


def test_a_file_without_extension_and_first_line_is_text(tree: Tree) -> None:
    root = tree(
        {"skills/a/SKILL.md": skill("a"), "skills/a/scripts/run": UNBALANCED, "skills/a/scripts/rb": "#!ruby\nif (\n"}
    )
    assert findings(root, "script-syntax-invalid") == []
