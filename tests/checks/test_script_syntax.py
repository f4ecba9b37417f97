"""Scripts that do not parse: what each language says and where, and what is let pass."""

from __future__ import annotations

import shutil
import sys

import pytest

from skillbag.checks.shell import is_suspect, shell_fault
from tests.checks.rule_runs import findings
from tests.support import Tree, skill

BASH = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash to confirm a suspect")


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
        ("a.json", '{"a": 1,\n "b" 2}', 2, 6, "':'"),
        ("assets/a.json", "{", 1, 2, "JSON"),
        ("a.yaml", "a: 1\n  b: 2\n", 2, 4, "check the indentation"),
        ("a.yml", 'a: "x\n', 2, 1, "this quote is never closed"),
        ("a.yaml", "a: b\nc: \x01\n", 2, 4, "character"),
        ("a.toml", "a = 1\na = 2\n", 2, 6, "overwrite"),
        ("a.toml", "a = [1", 1, 7, "nclosed array"),
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
        ("assets/part.py", "def x(:\n"),
        ("templates/a.json", "{,}"),
        ("scripts/template.py", "def x(:\n"),
        ("tests/fixtures/bad.json", "{,}"),
        ("a.json", " \n"),
        ("a.json", '{"a": 1}\n{"a": 2}\n'),
        ("a.json", "[" * 100_000),
        ("a.json", '{"a": <value>}'),
        ("tsconfig.json", "{// one\n}"),
        (".vscode/settings.json", "{// one\n}"),
        ("a.yaml", "a: {{ b }}: c\n"),
        ("a.yaml", "a: !x [1]\n---\nb: *c\n"),
        ("a.yaml", "[" * 500_000),
        ("a.yaml", "{a: " * 200_000),
        ("a.toml", "a." * 100_000 + "b = 1 2"),
        ("a.toml", ""),
        ("scripts/a.sh", "#!/usr/bin/env fish\nif true\nend\n"),
        ("scripts/a.fish", "if true\nend\n"),
        ("scripts/a.txt", "if ("),
    ],
)
def test_let_pass(name: str, text: str, tree: Tree, recwarn: pytest.WarningsRecorder) -> None:
    assert syntax(tree, name, text) == []
    assert not list(recwarn)


@BASH
@pytest.mark.parametrize(
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


@pytest.mark.parametrize("script", [SOUND, SOUND.replace("\n", "\r\n"), "", "echo fi done\n", "echo a # it's\n"])
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
    # Both are suspects; only where the option is known is the pattern itself no fault.
    assert syntax(tree, "scripts/a.sh", "#!/bin/bash\nshopt -s extglob\nls !(*.md)  \\\n  `ls`\necho {a\n") == []
    found = shell_fault("shopt -s extglob\nls !(*.md)\nif true; then\n")
    assert found is not None
    assert found[0] > 2
