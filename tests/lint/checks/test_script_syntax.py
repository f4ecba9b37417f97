"""Scripts with syntax errors: the place and message for each language, and what is let pass."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from skillbag.lint.checks import shell
from skillbag.lint.checks.shell import is_suspect, shell_fault
from tests.lint.checks.rule_runs import findings
from tests.rows import each_row
from tests.support import Tree, skill

BASH = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash to confirm a suspect")


UNBALANCED = "if true; then\n  echo x\n"


def syntax(tree: Tree, name: str, text: str) -> list[tuple[int, int, str]]:
    root = tree({"skills/tidy/SKILL.md": skill("tidy"), f"skills/tidy/{name}": text})
    return [(f.line, f.column, f.message) for f in findings(root, "script-syntax-invalid")]


@pytest.mark.parametrize(
    ("name", "text", "line", "column", "words"),
    [
        ("scripts/a.py", "x = 1\ny = (1\n", 2, 5, f"Python {sys.version_info[0]}."),
        ("scripts/a.py", "é = 'ü' 1\n", 1, 9, "Python"),
        ("scripts/a.py", "print 'old'\n", 1, 1, "Python 2"),
        ("scripts/a.py", "return 1\n", 1, 1, "outside function"),
        ("scripts/a.py", "class A(:\n    pass\n", 1, 9, "Python"),
        ("scripts/a.py", "if True:\n\tx = 1\n        y = 2\n", 3, 1, "tabs"),
        ("scripts/run", "#!/usr/bin/env python3\nx = (\n", 2, 5, "never closed"),
        ("a.json", '{"a": 1,\n "b" 2}', 2, 6, "`:`"),
        ("a.json", "{'a': 1}", 1, 2, "single quotes"),
        ("a.json", '{"a": 1} // one', 1, 10, "after the end"),
        ("a.json", '{"a": [1,', 1, 10, "ends inside"),
        ("a.json", " \n", 1, 1, "is empty"),
        ("scripts/a.js", "const é = 'ü'; x(1, 2;\n", 1, 17, "nothing closes this `(`"),
        ("scripts/a.js", "a();\r\n}\r\n", 2, 1, "nothing opens this `}`"),
        ("scripts/a.cjs", "x(/* one\n", 1, 2, "JavaScript"),
        ("scripts/a.tsx", "const a = <p>{b</p>;\n", 1, 14, "TypeScript"),
        ("scripts/a.mts", "let s = `one ${two;\n", 1, 14, "TypeScript"),
        (
            "scripts/a.ts",
            "export type * from './b';\nconst a = f(`${g(1}`, /[(]/, '(');\n",
            2,
            17,
            "nothing closes this `(`",
        ),
        ("scripts/a.ts", "export type * from './b';\nlet x = a / b; }\n", 2, 16, "nothing opens this `}`"),
        ("scripts/a.ts", "const a: string = 'é\n", 1, 19, "this string is not closed"),
        ("scripts/a.ts", "const a = `${b}\n", 1, 11, "this template literal is not closed"),
        ("scripts/a.ts", "let x: A; /* b\n", 1, 11, "this comment is not closed"),
        ("scripts/a.tsx", "const a = <p>Don't {b && (c}</p>;\n", 1, 26, "nothing closes this `(`"),
        ("scripts/run", "#!/usr/bin/env node\nretrun 1;\n", 2, 8, "unexpected `1`"),
        ("assets/a.json", "{", 1, 2, "JSON"),
        ("assets/a.json", '{"a": 1,\n}\n', 1, 8, "trailing comma"),
        ("assets/a.json", '{"a": 1} x\n', 1, 10, "JSON"),
        ("a.yaml", "a: 1\n  b: 2\n", 2, 4, "check the indentation"),
        ("a.yml", 'a: "x\n', 2, 1, "this quote is never closed"),
        ("a.yaml", "a: b\nc: \x01\n", 2, 4, "character"),
        ("a.toml", "a = 1\na = 2\n", 2, 6, "overwrite"),
        ("a.toml", "a = [1", 1, 7, "nclosed array"),
        ("assets/a.toml", "a = 1\nb = \n", 2, 5, "TOML"),
        ("assets/a.toml", "a = [1,\n", 1, 8, "TOML"),
        pytest.param("scripts/a.sh", "ls\ncat <<EOF\na\n", 2, 1, "no line `EOF` ends", marks=BASH),
        pytest.param("scripts/run", "#!/bin/bash\nif true; then\n", 3, 1, "shell", marks=BASH),
    ],
)
def test_fault(name: str, text: str, line: int, column: int, words: str, tree: Tree) -> None:
    found = syntax(tree, name, text)
    assert [place[:2] for place in found] == [(line, column)], found
    assert words in found[0][2]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("scripts/a.py", "if 1 is 1: print('\\d')\n"),
        ("scripts/a.py", "#!/usr/bin/python2\nprint 'old'\n"),
        ("scripts/a.py", 'x = {\'a\': 1}\nprint(f"{x["a"]}")\n'),
        ("scripts/a.py", "type X = int\n"),
        ("scripts/a.py", "class A[T]:\n    def f[U](self, u: U) -> T: ...\n"),
        ("scripts/a.py", "try:\n    pass\nexcept ValueError, TypeError:\n    pass\n"),
        ("scripts/a.py", "x = t'{1}'\n"),
        ("scripts/a.py", "%matplotlib inline\nx = 1\n"),
        ("scripts/a.py", "x = {{ value }}{% endif %}\n{% if x %}\n"),
        ("scripts/a.py", "x = " + "(" * 150 + ")" * 150),
        ("scripts/a.py", "x = a" + ".b" * 100_000),
        ("scripts/a.py", "x = " + "-" * 200_000 + "1"),
        ("assets/part.py", "def x(:\n"),
        ("scripts/a.js", "[...a, ...(b ? c : d)].forEach(e => e);\n"),
        ("scripts/a.js", "class A { accessor b = 1; }\n"),
        ("scripts/a.js", "const a = {{ value }};\n"),
        ("scripts/a.js", "const a = <YOUR NAME>;\n"),
        ("scripts/a.jsx", "export default () => <p style={{color: 'red'}}>{'}'}</p>;\n"),
        ("scripts/a.js", "/* @flow */\nconst a = (b: any);\ntype C = {| d: 1 |};\n"),
        ("assets/a.js", "function ("),
        ("scripts/a.ts", "for (let i = 0; i < unique.length; i += 1) {}\nconst infer = 1;\nlet b = infer < c;\n"),
        ("scripts/a.ts", "export type * from './b';\ninterface A<in T, out U = unknown> {}\n"),
        ("scripts/a.ts", "let a: import('b').C['d'];\ntype E = ['f'?];\nlet g = h<typeof import('i')>();\n"),
        (
            "scripts/a.ts",
            "export type * from 'b';\na = /[`'({]/.test(b) ? `}${c ? `{` : '('}` : d / 2; // (\n/* [ */ e = /}/;\n",
        ),
        ("scripts/a.tsx", "const a = <a href='?b=1&c=2'>Don't :(</a>;\n"),
        ("scripts/a.jsx", "#target illustrator\nvar doc = app.activeDocument;\n"),
        ("scripts/a.jsx", "const a = <a href='?b=1&c=2'>d & e</a>;\n"),
        ("scripts/a.jsx", "export default function A({ b = false }) {\n  return <p class='c'>{b && d}</p>;\n}\n"),
        ("scripts/a.ts", "<!DOCTYPE TS><TS>it's</TS>\n"),
        ("scripts/a.js", "'" * 200_001),
        ("scripts/a.js", "([{" * 200_000),
        ("templates/a.json", "{,}"),
        ("scripts/template.py", "def x(:\n"),
        ("tests/fixtures/bad.json", "{,}"),
        ("a.json", '{"a": 1}\n{"a": 2}\n'),
        ("a.json", "[" * 200_000),
        ("a.json", '{"a": <value>}'),
        ("tsconfig.json", "{// one\n}"),
        (".vscode/settings.json", "{// one\n}"),
        ("a.yaml", "a: {{ b }}: c\n"),
        ("a.yaml", "a: !x [1]\n---\nb: *c\n"),
        ("assets/a.yaml", "a: !x &y {b: *y}\n---\nc: d\n"),
        ("a.yaml", "[" * 5_000),
        ("a.yaml", "[" * 500_000),
        ("a.yaml", "{a: " * 200_000),
        ("a.toml", "a." * 100_000 + "b = 1 2"),
        ("a.toml", "a" + ".b" * 2_000 + " = 1\n"),
        ("a.toml", ""),
        ("scripts/a.sh", "#!/usr/bin/env fish\nif true\nend\n"),
        ("scripts/a.fish", "if true\nend\n"),
        ("scripts/a.txt", "if ("),
        ("scripts/run", "if true; then\n"),
        ("scripts/rb", "#!ruby\nif (\n"),
    ],
)
def test_let_pass(name: str, text: str, tree: Tree, recwarn: pytest.WarningsRecorder) -> None:
    assert syntax(tree, name, text) == []
    assert not list(recwarn)


@BASH
@each_row(
    ("script", "line"),
    [
        ("if true; then\n  echo\n", 3),
        ("for a in b; do\n  echo\n", 3),
        ("echo 'a\n", 1),
        ('echo "a\n', 1),
        ("echo $(ls\n", 1),
        ("case a in\n  b) echo ;;\n", 3),
        ("if [ a ] then\n  echo\nfi\n", 3),
        ("echo\n&& echo\n", 2),
        ("f() {\n  echo\n", 3),
        ("echo )\n", 1),
        ("done\n", 1),
        ("cat <<EOF\nx\n", 1),
        ("if true; then\r\n  echo\r\n", 3),
    ],
)
def test_shell_fault(script: str, line: int) -> None:
    found = shell_fault(script)
    assert found is not None
    # Versions of bash count the end of the text differently.
    assert found[0] <= line + 1
    assert found[1]


SOUND = """#!/bin/bash
set -euo pipefail  # don't stop (here
usage() { echo "usage: ${0##*/} [-h] \\"file\\""; }
list=(
  one
  'two three'
)
while read -r line; do
  if [[ "$line" =~ ^# ]]; then continue; elif [ -z "$line" ]; then break; fi
  case "$line" in
    a|b) echo "it's" ;;
    (c) echo $((1 + (2 * 3))) ;;
    *) printf '%s\\n' "${line:-${list[0]}}" || exit 1 ;;
  esac
done < <(cat "$1" \\
  | sort)
cat <<-'EOF' | tr a b
	if this isn't (read
	EOF
for f in *.{md,txt}; do echo "$(basename "$f")" && true; done
"""


@each_row("script", [SOUND, SOUND.replace("\n", "\r\n"), "", "echo fi done\n", "echo a # it's\n"])
def test_sound_shell(script: str) -> None:
    assert shell_fault(script) is None


def test_sound_shell_costs_no_process() -> None:
    assert not is_suspect(SOUND)


@BASH
def test_suspect_is_never_run(tmp_path: object) -> None:
    assert shell_fault(f"touch {tmp_path}/made\nif true; then\n") is not None
    assert not list(tmp_path.iterdir())  # type: ignore[attr-defined]


@BASH
def test_extended_patterns(tree: Tree) -> None:
    # Both look unbalanced; the pattern itself is valid only with the option.
    assert syntax(tree, "scripts/a.sh", "#!/bin/bash\nshopt -s extglob\nls !(*.md)  \\\n  `ls`\necho {a\n") == []
    found = shell_fault("shopt -s extglob\nls !(*.md)\nif true; then\n")
    assert found is not None
    assert found[0] > 2


def fake_bash(folder: Path, body: str) -> str:
    program = folder / "bin" / "bash"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    return str(program.parent)


def test_without_bash_nothing_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shell_fault(UNBALANCED) is not None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert shell_fault(UNBALANCED) is None


@pytest.mark.parametrize("body", ["exit 2", "echo 'line x: no number' >&2; exit 2", "echo 'line 3: odd' >&2; exit 0"])
def test_a_bash_without_a_usable_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    monkeypatch.setenv("PATH", fake_bash(tmp_path, body))
    assert shell_fault(UNBALANCED) is None


def test_a_line_after_the_end_is_the_last_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", fake_bash(tmp_path, "echo 'bash: line 99: syntax error: odd' >&2; exit 2"))
    assert shell_fault(UNBALANCED) == (3, "syntax error: odd")


def test_a_bash_that_does_not_end_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell, "TIMEOUT", 0.2)
    monkeypatch.setenv("PATH", fake_bash(tmp_path, "exec /bin/sleep 1000"))
    assert shell_fault(UNBALANCED) is None


def test_a_bash_that_cannot_be_started_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = fake_bash(tmp_path, "")
    (Path(folder) / "bash").write_bytes(b"\0\1\2")
    monkeypatch.setenv("PATH", folder)
    with pytest.raises(OSError, match="format"):
        subprocess.run([f"{folder}/bash"], check=False)
    assert shell_fault(UNBALANCED) is None


@each_row("first", ["#!/usr/bin/fish", "#!/usr/bin/env ruby", "#!/usr/bin/zsh"])
def test_a_script_of_another_shell_is_not_checked(first: str) -> None:
    assert shell_fault(f"{first}\n{UNBALANCED}") is None


@each_row(
    "source",
    ["cat <<A\nif then\nA\n", "cat <<-A\n\tif then\n\tA\n", "cat <<A <<'B'\nif\nA\nfi (\nB\n", "cat <<<'if'\n"],
)
def test_a_here_document_is_not_code(source: str) -> None:
    assert not is_suspect(source)
    assert shell_fault(source) is None
