"""The rules about manifests: where they run, what they leave alone, and that they cost nothing elsewhere."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from skillbag.lint.checks.lazy_predicate import LazyPredicate, all_predicates
from skillbag.lint.rules.builtin import late_families, load_late_rules
from skillbag.lint.rules.late_index import PREDICATES
from skillbag.lint.rules.model import LATE
from tests.lint.checks.rule_runs import findings
from tests.rows import each_row
from tests.support import PROJECT, Run, Tree, skill

MANIFEST = "name: tidy\nversion: 1.0.0\ndescription: Tidies a folder.\ntypes: [prompt]\n"
PROMPT = MANIFEST + "prompt: {system_prompt_file: prompt.md}\n"
STARLARK = MANIFEST.replace("prompt", "tool") + "implementation: {backend: starlark, entrypoint: a.star}\n"
PLUGIN = STARLARK.replace("starlark", "plugin").replace("a.star", "a.py")


def rules(root: Path) -> list[str]:
    return sorted({finding.rule for finding in findings(root)})


def checked(run: Run, root: Path, *options: str) -> list[str]:
    """The rules of the findings of the command, and where they are."""
    value = json.loads(run("check", "--format", "json", *options, cwd=root).out)
    return [f"{finding['rule']} {finding['path']}:{finding['line']}" for finding in value["findings"]]


@each_row("name", sorted(PREDICATES))
def test_a_predicate_is_the_same_early_and_late(name: str) -> None:
    late, early = LazyPredicate(name, *PREDICATES[name]), all_predicates()[name]
    for known in ("name", "subject", "values", "literals", "needs", "options"):
        assert getattr(late, known) == getattr(early, known)


def test_the_index_names_all_of_them() -> None:
    assert late_families().keys() == {rule.id for rule in load_late_rules()}
    assert {rule.family for rule in load_late_rules()} == LATE


LOADED = "import sys; from skillbag.doors.cli import main\ntry: main()\nfinally: print(*sys.modules, file=sys.stderr)"


@pytest.mark.parametrize("comment", ["", "\n<!-- skillbag: ignore[link-broken] reason=x -->\n"])
def test_without_a_manifest_nothing_of_it_is_imported(tree: Tree, comment: str) -> None:
    root = tree(
        {"skills/a/SKILL.md": skill("a") + comment, "skills/a/data.yaml": "a: 1\n", "skills/b/notes.md": "B.\n"}
    )
    command = [sys.executable, "-c", LOADED, "check", "--config=cache=false", "--ignore", "manifest-unreadable"]
    done = subprocess.run(
        command, cwd=root, env={"PYTHONPATH": str(PROJECT)}, capture_output=True, text=True, check=False
    )
    loaded = done.stderr.split()
    assert "skillbag.lint.engine.lint" in loaded
    assert not [name for name in loaded if "manifest" in name]


def test_a_folder_with_a_manifest_alone_is_a_skill_of_a_plain_tree(tree: Tree, run: Run) -> None:
    root = tree({"skills/tidy/SKILL.yaml": PROMPT, "skills/tidy/prompt.md": "Tidy.\n"})
    outcome = run("check", "--strict", cwd=root)
    assert outcome.code == 0
    assert "1 skill, 2 files" in outcome.out
    assert checked(run, root / "skills/tidy") == []


def test_in_a_workspace_the_standard_wants_a_skill_file(tree: Tree) -> None:
    root = tree(
        {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/tidy/SKILL.yaml": PROMPT, ".skills/tidy/prompt.md": "T.\n"}
    )
    (found,) = findings(root, "skill-misplaced")
    assert found.message.endswith(": the folder `tidy` has a SKILL.yaml, but no SKILL.md")
    assert found.fix
    assert found.fix.startswith("Add a SKILL.md with the `name` and `description` of SKILL.yaml")
    assert not [name for name in rules(root) if name.startswith("manifest")]


def test_a_manifest_elsewhere_is_judged(tree: Tree, run: Run) -> None:
    root = tree({"skills/a/SKILL.md": skill("a"), "things/tidy/SKILL.yaml": "name: [\n"})
    value = json.loads(run("check", "--format", "json", cwd=root).out)
    assert [finding["path"] for finding in value["findings"]] == ["things/tidy/SKILL.yaml"]
    assert value["not_judged"] == []


def test_a_bad_manifest_hides_no_other(tree: Tree, run: Run) -> None:
    good = MANIFEST.replace("tidy", "sort").replace("prompt", "workflow")
    root = tree(
        {"skills/tidy/SKILL.yaml": "name: [\n", "skills/sort/SKILL.yaml": good, "skills/c/SKILL.md": skill("d")}
    )
    assert checked(run, root) == [
        "name-folder-mismatch skills/c/SKILL.md:2",
        "manifest-field-missing skills/sort/SKILL.yaml:4",
        "manifest-unreadable skills/tidy/SKILL.yaml:2",
    ]


def test_a_finding_is_suppressed_by_a_comment(tree: Tree, run: Run) -> None:
    comment = '# skillbag: ignore[{}] reason="ours"\n'
    text = MANIFEST + comment.format("manifest-key-unknown") + "mood: calm\n"
    root = tree({"skills/tidy/SKILL.yaml": text, "skills/tidy/SKILL.md": skill("tidy", "Tidies a folder.")})
    assert checked(run, root) == []
    (root / "skills/tidy/SKILL.yaml").write_text(text.replace("mood: calm", "tags: [calm]"), "utf-8")
    assert checked(run, root) == ["suppression-unused skills/tidy/SKILL.yaml:5"]
    (root / "skills/tidy/SKILL.yaml").write_text(text.replace("key-unknown", "key-odd"), "utf-8")
    assert checked(run, root) == [
        "suppression-invalid skills/tidy/SKILL.yaml:5",
        "manifest-key-unknown skills/tidy/SKILL.yaml:6",
    ]


def test_configurations_name_the_rules(tree: Tree, run: Run) -> None:
    root = tree({"skills/tidy/SKILL.yaml": MANIFEST + "mood: calm\n", "skillbag.toml": ""})
    every = ["manifest-prompt-missing skills/tidy/SKILL.yaml:4", "manifest-key-unknown skills/tidy/SKILL.yaml:5"]
    assert checked(run, root) == every
    # With the cache of the check before.
    for text, expected in (
        ('ignore = ["runtime"]\n', []),
        ('select = ["manifest-key-unknown"]\n', every[1:]),
        ('select = ["runtime"]\n', every),
        ('[levels]\nmanifest-key-unknown = "off"\n', every[:1]),
        ('[paths."skills/tidy/*"]\nignore = ["manifest-prompt-missing"]\n', every[1:]),
    ):
        (root / "skillbag.toml").write_text(text, "utf-8")
        assert checked(run, root) == expected, text
    (root / "skillbag.toml").write_text('select = ["manifest-key-odd"]\n', "utf-8")
    outcome = run("check", cwd=root)
    assert (outcome.code, "did you mean 'manifest-key-unknown'" in outcome.err) == (2, True)
    plain = tree({"skillbag.toml": 'select = ["runtime"]\n', "skills/a/SKILL.md": "no skill\n"})
    (plain / "skills/tidy/SKILL.yaml").unlink()
    assert checked(run, plain) == []


def test_a_teams_own_rule_about_manifests(tree: Tree, run: Run) -> None:
    text = (PROJECT / "rules/runtime/manifest-keyword-short.yaml").read_text("utf-8")
    own = text.replace("id: manifest-keyword-short", "id: keyword-long\noptions: {least: 9}")
    root = tree(
        {
            "skills/tidy/SKILL.yaml": PROMPT + "triggers: {keywords: [mess, disorder]}\n",
            "skills/tidy/prompt.md": "Tidy.\n",
            "skillbag.toml": 'rules = ["own"]\n',
            "own/keyword-long.yaml": own,
        }
    )
    assert checked(run, root) == ["keyword-long skills/tidy/SKILL.yaml:6"] * 2
    (root / "own/keyword-long.yaml").rename(root / "own/manifest-keyword-short.yaml")
    (root / "own/manifest-keyword-short.yaml").write_text(text, "utf-8")
    assert "there is a rule 'manifest-keyword-short' already" in run("check", cwd=root).err


def test_the_cache_notices_the_files_that_a_manifest_names(tree: Tree, run: Run) -> None:
    root = tree({"skills/tidy/SKILL.yaml": PROMPT, "skills/tidy/docs/a.md": "Tidy.\n"})
    link = root / "skills/tidy/prompt.md"
    for target, expected in (("docs/a.md", []), ("docs/b.md", [5]), ("/etc/hosts", [5]), ("docs/a.md", [])):
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        found = [name for name in checked(run, root) if name.startswith("manifest")]
        assert found == [f"manifest-path-invalid skills/tidy/SKILL.yaml:{line}" for line in expected]


def test_sarif_describes_the_rules_of_its_results(tree: Tree, run: Run) -> None:
    root = tree({"skills/tidy/SKILL.yaml": MANIFEST})
    (value,) = json.loads(run("check", "--format", "sarif", cwd=root).out)["runs"]
    described = {rule["id"] for rule in value["tool"]["driver"]["rules"]}
    assert {result["ruleId"] for result in value["results"]} == {"manifest-prompt-missing"} <= described


@each_row(
    ("manifest", "file", "code"),
    [
        (STARLARK, "a.star", "def f(ctx):\n    ctx.exec('x')\n"),
        (STARLARK, "a.star", "def f(x:\n    fetch(x)\n"),
        (PLUGIN, "a.py", "def new_skill():\n    re.match('x').exec()\n    fetch('x')\n"),
        (
            PLUGIN + "permissions: [net:fetch]\n",
            "a.py",
            "def activate(self, ctx):\n    getattr(ctx, 'fe' + 'tch')('x')\n",
        ),
        (PLUGIN + "permissions: [env:write, git:write]\n", "a.py", "def f(c): c.set_env('a', c.git_branch('b'))\n"),
        (STARLARK + "permissions: [net:fetch]\n", "a.star", "(" * 5000),
        (STARLARK.replace("starlark", "process") + "permissions: [net:fetch]\n", "a.star", "fetch()\n"),
    ],
)
def test_permissions_that_nothing_is_known_of(manifest: str, file: str, code: str, tree: Tree) -> None:
    root = tree({"skills/tidy/SKILL.yaml": manifest, f"skills/tidy/{file}": code})
    assert not [name for name in rules(root) if "permission" in name]


def test_a_call_is_named_once_in_each_file(tree: Tree) -> None:
    code = 'x = "ä"; fetch("a"); fetch("b")\nexec("c")\n'
    root = tree({"skills/tidy/SKILL.yaml": STARLARK, "skills/tidy/a.star": code, "skills/tidy/lib/b.star": code})
    found = [
        (Path(item.path).name, item.line, item.column) for item in findings(root, "manifest-permission-undeclared")
    ]
    assert found == [("a.star", 1, 10), ("a.star", 2, 1), ("b.star", 1, 10), ("b.star", 2, 1)]


@each_row("text", ["MIT", "Apache-2.0+", "(MIT OR Zend-2.0) AND ISC", "GPL-3.0-only WITH GCC-exception-3.1"])
def test_licences(text: str, tree: Tree) -> None:
    root = tree({"skills/tidy/SKILL.yaml": f"{PROMPT}license: {text}\n", "skills/tidy/prompt.md": "Tidy.\n"})
    assert findings(root, "manifest-license-unknown") == []


@each_row(("text", "meant"), [("mit", "MIT"), ("Apache2", "Apache-2.0"), ("GPLv3", "GPL-3.0-only"), ("MIT/X", "")])
def test_licences_in_another_spelling(text: str, meant: str, tree: Tree) -> None:
    root = tree({"skills/tidy/SKILL.yaml": f"{PROMPT}license: {text}\n", "skills/tidy/prompt.md": "Tidy.\n"})
    (finding,) = findings(root, "manifest-license-unknown")
    assert finding.message.endswith(f"did you mean `{meant}`?" if meant else "is no SPDX expression")
