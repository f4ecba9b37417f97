"""The rules about the code of active skills: what they leave alone, hostile code, and what they cost."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from skillbag.kernel.manifest.names import HOOK_PHASES, STARLARK_NAMES, Phase
from skillbag.kernel.workspace.discovery import find_targets
from skillbag.kernel.workspace.model import Workspace
from skillbag.lint.checks.starlark_process import starlark_faults
from skillbag.lint.engine.lint import lint_target
from skillbag.lint.rules.builtin import load_rules
from skillbag.runtime.backends.children.starlark_prelude import PRELUDE
from tests.lint.checks.rule_runs import findings, messages
from tests.rows import each_row
from tests.support import PROJECT, Tree

MANIFEST = """name: {}
version: 1.0.0
description: Tidies a folder.
types: [workflow]
implementation: {{backend: {}, entrypoint: {}}}
"""


def starlark(tree: Tree, code: str, **files: str) -> Path:
    """A tree with a Starlark skill."""
    manifest = MANIFEST.format("tidy", "starlark", "skill.star")
    inner = {f"skills/tidy/{name.replace('__', '.')}": text for name, text in files.items()}
    return tree({"skills/tidy/SKILL.yaml": manifest, "skills/tidy/skill.star": code, **inner})


def rules(root: Path) -> list[str]:
    return [finding.rule for finding in findings(root)]


def unjudged(root: Path) -> list[str]:
    (target,) = find_targets([str(root)], None)
    linted = lint_target(Workspace(target), load_rules(), defined=set(), today="2026-06-15")
    return [f"{os.path.relpath(aside.path, root)}: {aside.reason}" for aside in linted.aside]


def test_the_names_are_those_of_the_runtime() -> None:
    defined = set(re.findall(r"^def (\w+)", PRELUDE, re.MULTILINE))
    assert {name for name in defined if not name.startswith("skillbag_")} == STARLARK_NAMES
    assert tuple(Phase) == HOOK_PHASES


def test_skills_of_examples_have_no_findings() -> None:
    root = PROJECT / "examples/runtime/skills"
    assert [finding.message for finding in findings(root)] == []
    assert unjudged(root) == []


FINE = [
    "def f(x):\n    for i in range(3):\n        y = i\n    return [y for y in x if y], {k: v for k, v in x}\n",
    "def f(*args, **kw):\n    return g(args) + kw['a']\ndef g(x): return later\nlater = 3\n",
    "x = lambda a, b=1: (a, b, json.encode(a), json.decode('1'), print(a))\n",
    "".join(f"{name}\n" for name in sorted(STARLARK_NAMES)),
    "x = [len, range, sorted, fail, type, dict, list, str, int, float, bool, tuple, zip, enumerate, any, all, min]\n",
    "x = [max, hasattr, getattr, dir, repr, hash, reversed, abs, True, False, None]\n",
    "def fail(x):\n    return x\n\ndef read_file(x):\n    return x\n",
    "x = 1\nphase = 'OnMonday'\nregister_hook(phase, print)\nregister_tool('register_hook', 'OnMonday', print)\n",
    "",
    "\r\nx = 1\r\n",
]


@each_row("code", FINE)
def test_no_false_alarm(code: str, tree: Tree) -> None:
    assert starlark_faults(code) == []
    assert not [name for name in rules(starlark(tree, code)) if not name.startswith("manifest-permission")]


def test_unknown_names_are_all_told_with_what_is_meant(tree: Tree) -> None:
    root = starlark(tree, "x = readfile('a')\ny = [Tidy for _ in x]\ndef f():\n    return Tidy, zebra\n")
    found = findings(root, "starlark-name-unknown")
    assert [(f.line, f.column, f.message) for f in found] == [
        (1, 5, "Nothing defines `readfile`; did you mean `read_file`?"),
        (2, 6, "Nothing defines `Tidy`"),
        (4, 18, "Nothing defines `zebra`"),
    ]


def test_an_open_bracket_is_told_where_it_opens(tree: Tree) -> None:
    root = starlark(tree, "x = 1\ny = [1,\n     2\n\n")
    (found,) = findings(root, "starlark-syntax-invalid")
    assert (found.line, found.column) == (2, 5)
    assert found.message == "This is not valid Starlark: '[' was never closed"


def test_a_phase_that_is_nearly_one(tree: Tree) -> None:
    root = starlark(tree, "register_hook('onBeforeToolcall', print)\n")
    assert messages(root) == ["There is no hook phase `onBeforeToolcall`; did you mean `OnBeforeToolCall`?"]


def test_files_that_load_each_other_are_read_once(tree: Tree) -> None:
    root = starlark(tree, "load('//a.star', 'a')\n", a__star="load('//skill.star', 'b')\na = 1\n")
    assert messages(root, "starlark-load-invalid") == ["`load` of `//skill.star` fails: the file defines no `b`"]


HOSTILE = {
    "minus": "x = " + "-" * 500_000 + "1",
    "calls": "x = f" + "()" * 300_000,
    "sum": "x = " + "+".join(["1"] * 200_000),
    "brackets": "x = " + "(" * 300_000,
    "surrogate": 'x = "\\ud800"',
    "control": "x = \0\x1b[31m",
}


@each_row("code", HOSTILE.values(), ids=HOSTILE)
def test_hostile_code_ends_neither_the_check_nor_hides_other_skills(code: str, tree: Tree) -> None:
    root = tree(
        {
            "skills/tidy/SKILL.yaml": MANIFEST.format("tidy", "starlark", "skill.star"),
            "skills/tidy/skill.star": code,
            "skills/zebra/SKILL.yaml": MANIFEST.format("zebra", "starlark", "skill.star"),
            "skills/zebra/skill.star": "x = nothing\n",
        }
    )
    found = findings(root, "starlark-syntax-invalid", "starlark-name-unknown", "starlark-load-invalid")
    assert [f.message for f in found if "zebra" in f.path] == ["Nothing defines `nothing`"]


def test_what_ends_the_parser_is_named_as_not_judged(tree: Tree) -> None:
    root = starlark(tree, HOSTILE["minus"])
    assert unjudged(root) == [
        "skills/tidy/skill.star: its code is not checked: the parser fails on it, or takes too long"
    ]


def test_a_process_is_started_once_for_many_skills_and_none_is_left(tree: Tree) -> None:
    files = {}
    for number in range(20):
        files[f"skills/s{number}/SKILL.yaml"] = MANIFEST.format(f"s{number}", "starlark", "skill.star")
        files[f"skills/s{number}/skill.star"] = "x = nothing\n"
    root = tree(files)
    code = (
        "import os, subprocess, sys\n"
        "started = []\n"
        "sys.addaudithook(lambda name, args: started.append(args[1]) if name == 'subprocess.Popen' else None)\n"
        "from tests.lint.checks.rule_runs import findings\n"
        "from pathlib import Path\n"
        "print(len(findings(Path(sys.argv[1]), 'starlark-name-unknown')), file=sys.stderr)\n"
        "print(sum('starlark_syntax' in words for words in started), file=sys.stderr)\n"
        "try: os.waitpid(-1, os.WNOHANG)\n"
        "except ChildProcessError: print('none left', file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(root)], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    assert done.stderr.split("\n")[:3] == ["20", "1", "none left"]


WITHOUT = (
    "import importlib.machinery, sys\n"
    "class Without(importlib.machinery.PathFinder):\n"
    "    @classmethod\n"
    "    def find_spec(cls, name, path=None, target=None):\n"
    "        return None if name == 'starlark' else super().find_spec(name, path, target)\n"
    "sys.meta_path[sys.meta_path.index(importlib.machinery.PathFinder)] = Without\n"
)


def test_without_the_interpreter_it_says_so_once_and_checks_the_rest(tree: Tree, tmp_path: Path) -> None:
    root = starlark(tree, "load('//no.star', 'a')\nx = nothing\n")
    (tmp_path / "sitecustomize.py").write_text(WITHOUT)
    for installed in (False, True):
        done = subprocess.run(
            [sys.executable, "-m", "skillbag", "check", "--format", "json"],
            cwd=root,
            env={"PYTHONPATH": f"{tmp_path}:{PROJECT}" if not installed else str(PROJECT), "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        value = json.loads(done.stdout)
        found = ["starlark-load-invalid", "starlark-name-unknown"] if installed else ["starlark-load-invalid"]
        assert [finding["rule"] for finding in value["findings"]] == found
        reasons = [item["reason"] for item in value["not_judged"]]
        assert reasons == ([] if installed else [reasons[0]])
        assert installed or "pip install 'skillbag[runtime]'" in reasons[0]


@each_row(
    "code",
    [
        "from other import *\n",
        "globals()['new_skill'] = print\n",
        "def __getattr__(name):\n    return print\n",
        "if True:\n    new_skill = print\n",
        "class NewSkill:\n    pass\n",
        "def broken(:\n",
    ],
)
def test_plugins_that_may_have_a_factory(code: str, tree: Tree) -> None:
    root = tree({"skills/tidy/SKILL.yaml": MANIFEST.format("tidy", "plugin", "skill.py"), "skills/tidy/skill.py": code})
    assert "plugin-factory-missing" not in rules(root)


def test_the_bit_of_an_entrypoint_is_set(tree: Tree) -> None:
    root = tree({"skills/tidy/SKILL.yaml": MANIFEST.format("tidy", "process", "run"), "skills/tidy/run": "#!/bin/sh\n"})
    (found,) = findings(root, "entrypoint-not-executable")
    assert found.edits
    assert found.message == "The entrypoint `run` lacks the executable bit"
    (root / "skills/tidy/run").write_bytes(b"\x7fELF\0\0")
    assert messages(root, "entrypoint-not-executable") == [found.message]
    (root / "skills/tidy/run").chmod(0o755)
    assert messages(root, "entrypoint-not-executable") == []
