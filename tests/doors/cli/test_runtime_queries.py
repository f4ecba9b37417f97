"""`skillbag runtime list|info|why|trace|status`: what is found, and what would be done."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from skillbag.kernel.manifest.names import Category
from tests.doors.cli.runtime_worlds import BUILT_IN, make_world, values
from tests.runtime.worlds_active import active
from tests.supply.install.worlds import write
from tests.support import Run

pytestmark = pytest.mark.boundary


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_world(tmp_path / "w")


def test_the_table_has_every_skill_and_says_what_is_wrong(run: Run, root: Path) -> None:
    done = run("runtime", "list", cwd=root)
    lines = [line.split() for line in done.out.splitlines()]
    assert lines[0] == ["NAME", "VERSION", "TYPES", "SOURCE", "STATE"]
    assert lines[1:7] == [
        ["core-tools", "1.0.0", "tool", "builtin", "blocked"],
        ["git", "1.0.0", "tool", "builtin", "blocked"],
        ["loud", "1.0.0", "workflow", "project", "inactive"],
        ["pods", "1.0.0", "tool", "project", "inactive"],
        ["stuck", "1.0.0", "prompt", "project", "blocked"],
        ["words", "1.0.0", "prompt", "project", "inactive"],
    ]
    assert '  stuck: dependency "nowhere" not found\n' in done.out
    assert f'{root}/.skills/faulty/SKILL.yaml:1:7: manifest validation: invalid name "Faulty"' in done.out
    assert (done.code, done.err) == (0, "")


def test_a_skill_that_hides_another_is_told(run: Run, root: Path) -> None:
    personal = Path(os.environ["SKILLBAG_PERSONAL_DIR"])
    shutil.copytree(root / ".skills/words", personal / "words")
    done = run("runtime", "list", cwd=root)
    assert f"{root}/.skills/words/SKILL.yaml: hidden by {personal}/words/SKILL.yaml\n" in done.out
    found = values(run, root, "list")
    assert found["hidden"][0]["by"] == f"{personal}/words/SKILL.yaml"
    assert [each["source"] for each in found["skills"] if each["name"] == "words"] == ["user"]
    other = values(run, root, "list", "--session-type", "other")
    assert other["hidden"] == []


def test_without_a_workspace_there_are_the_built_in_skills(run: Run, tmp_path: Path) -> None:
    assert [each["name"] for each in values(run, tmp_path, "list")["skills"]] == [*BUILT_IN]
    assert values(run, tmp_path, "trace")["activation"] == []


def test_a_denied_skill_is_listed_as_such(run: Run, root: Path) -> None:
    write(Path(os.environ["SKILLBAG_CONFIG_DIR"]), {"settings.json": '{"runtime": {"denied_skills": ["pods"]}}'})
    states = {each["name"]: each["state"] for each in values(run, root, "list")["skills"]}
    assert (states["pods"], states["words"]) == ("denied", "inactive")
    assert "denied_skills" in values(run, root, "why", "pods", "--message", "pods")["reason"]


def test_skills_are_listed_by_category_and_tags(run: Run, root: Path) -> None:
    for number, category in enumerate(Category):
        active(root, f"c{number}", category=category, tags=f"[All, t{number}]")
        names = [each["name"] for each in values(run, root, "list", "--category", category)["skills"]]
        assert [name for name in names if name not in BUILT_IN] == [f"c{number}"]
    tagged = [each["name"] for each in values(run, root, "list", "--tag", "all")["skills"]]
    assert tagged == [f"c{number}" for number in range(len(Category))]
    assert [each["name"] for each in values(run, root, "list", "--tag", "T1", "--tag", "all")["skills"]] == ["c1"]
    assert "No skills found." in run("runtime", "list", "--tag", "none", cwd=root).out


def test_info_has_a_line_for_each_subject(run: Run, root: Path) -> None:
    text = run("runtime", "info", "pods", cwd=root).out
    for line in (
        "Name: pods",
        "Version: 1.0.0",
        "Types: tool",
        "Permissions: file:read (low risk), env:read (medium risk)",
        "Components: 3 tools",
        "Tools: pods_get, pods_scale (asks before each call), pods_fail",
        "Backend: starlark (main.star)",
        "Triggers: files Dockerfile, k8s/; keywords pods; modes headless",
    ):
        assert f"{line}\n" in text
    assert "Permissions: none\n" in run("runtime", "info", "words", cwd=root).out
    assert "Workflows:" not in text
    assert "; skillbag runtime run loud runs the only one, or" in run("runtime", "info", "loud", cwd=root).out
    found = values(run, root, "info", "pods")
    assert found["program"] == ["starlark", "main.star"]
    assert found["manifest"]["tools"][1]["requires_approval"] is True


def test_info_names_the_files_of_the_prompt(run: Run, root: Path) -> None:
    folder = active(root, "guide", types="[prompt]", implementation=None, prompt="{context_files: [more.md]}")
    text = "---\nname: guide\ndescription: Does guide.\n---\n\nRead first.\n"
    write(folder, {"SKILL.md": text, "more.md": "More.\n", "own.md": "Own.\n"})
    assert "Prompt: SKILL.md, more.md\n" in run("runtime", "info", "guide", cwd=root).out
    active(root, "guide", types="[prompt]", implementation=None, prompt="{system_prompt_file: own.md}")
    assert "Prompt: own.md\n" in run("runtime", "info", "guide", cwd=root).out
    assert "Prompt:" not in run("runtime", "info", "pods", cwd=root).out


def test_an_unknown_skill_is_named_with_what_may_be_meant(run: Run, root: Path) -> None:
    done = run("runtime", "info", "podz", cwd=root)
    assert (done.code, done.err) == (2, 'error: skill "podz" not found; did you mean "pods"?\n')
    faulty = values(run, root, "info", "faulty", code=2)
    assert f"{root}/.skills/faulty/SKILL.yaml:1:7: " in faulty["error"]
    assert values(run, root, "why", "nothing", code=2)["error"] == 'skill "nothing" not found'
    assert run("runtime", "lst", cwd=root).code == 2


def test_why_has_the_parts_of_the_score(run: Run, root: Path) -> None:
    given = ("why", "pods", "--message", "list the PODS", "--mode", "headless")
    found = values(run, root, *given, "--current-path", "k8s/app.yaml")
    parts = {part["kind"]: part["points"] for part in found["parts"]}
    assert parts == {"current path": 100, "files": 100, "keywords": 80, "modes": 40}
    assert (found["score"], found["activates"]) == (320, True)
    absolute = values(run, root, *given, "--current-path", root / "Dockerfile")
    assert absolute["parts"][0]["points"] == 150
    text = run("runtime", *given, cwd=root).out
    assert text.startswith("pods: score 220, threshold 1\n  100  files")
    assert text.endswith("It would be activated.\n")


def test_why_says_what_stands_in_the_way(run: Run, root: Path) -> None:
    assert "only by its name" in run("runtime", "why", "loud", cwd=root).out
    assert run("runtime", "why", "words", cwd=root).out.endswith("It would not be activated.\n")
    blocked = run("runtime", "why", "stuck", "--message", "stuck", cwd=root).out
    assert blocked.endswith('It can\'t be activated: dependency "nowhere" not found\n')


def test_a_trace_has_scores_activation_and_budget(run: Run, root: Path) -> None:
    found = values(run, root, "trace", "--message", "the aggregate is stuck", "--mode", "headless")
    scores = {each["skill"]: (each["score"], each["activates"]) for each in found["skills"]}
    assert scores == {
        "pods": (140, True),
        "stuck": (80, False),
        "words": (80, True),
        "loud": (0, False),
    } | dict.fromkeys(BUILT_IN, (0, False))
    assert found["activation"] == ["pods", "words"]
    (fragment,) = found["budget"]["fragments"]
    assert (fragment["skill"], fragment["inclusion"]) == ("words", "included")
    assert found["budget"]["used"] == fragment["tokens"] == fragment["wanted"] > 0
    little = values(run, root, "trace", "--message", "aggregate", "--max-total-tokens", fragment["wanted"] - 2)
    assert little["budget"]["fragments"][0]["inclusion"] == "truncated"
    text = run("runtime", "trace", "--message", "stuck aggregate", cwd=root).out
    assert "Activated from 1 on, in this order: pods, words\n" in text
    assert 'Not activated: stuck: dependency "nowhere" not found\n' in text


def test_a_skill_that_is_named_is_activated_in_any_case(
    run: Run, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert values(run, root, "trace", "--skills", "loud,words")["activation"][:2] == ["loud", "words"]
    folder = active(tmp_path / "elsewhere", "far")
    assert "far" in values(run, root, "trace", "--skills", str(folder))["activation"]
    error = 'explicit skill "nope" not found in any source'
    assert values(run, root, "list", "--skills", "nope", code=2)["error"] == error
    monkeypatch.setenv("SKILLBAG_SKILLS", "loud")
    assert "loud" in values(run, root, "trace")["activation"]
    assert "(named)" in run("runtime", "list", cwd=root).out


def test_the_status_has_session_limits_and_database(run: Run, root: Path) -> None:
    found = values(run, root, "status")
    assert found["counts"] == {"found": 6, "hidden": 0, "unusable": 1, "blocked": 3}
    assert (found["session"], found["bytes"], found["active"]) == (None, None, [])
    assert found["limits"] == {"shell:exec": 20, "net:fetch": 10, "llm:call": 10}
    assert not Path(found["database"]).exists()
    assert f"Workspace: {root}\n" in run("runtime", "status", cwd=root).out


def test_what_is_shown_starts_and_writes_nothing(run: Run, root: Path) -> None:
    for arguments in (["list"], ["info", "pods"], ["trace"], ["status"], ["audit"], ["permissions", "pods"]):
        assert run("runtime", *arguments, "--session", "s1", cwd=root).code == 0
    assert not Path(os.environ["SKILLBAG_STATE_DIR"]).exists()


def test_control_characters_and_secrets_are_not_shown(run: Run, root: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    description = json.dumps(f"Evil \x1b[31m {token}")
    active(root, "evil", description=description)
    for arguments in (["info", "evil"], ["list"], ["list", "--json"], ["info", "evil", "--json"]):
        out = run("runtime", *arguments, cwd=root).out
        assert "\x1b" not in out
        assert token not in out


def test_it_can_be_switched_off(run: Run, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBAG_RUNTIME", "off")
    assert "SKILLBAG_RUNTIME" in values(run, root, "list", code=2)["error"]


@pytest.mark.parametrize("name", ["", "list", "call", "run", "permissions", "trace", "deactivate"])
def test_each_command_explains_itself(run: Run, name: str) -> None:
    done = run("runtime", *([name] if name else []), "--help")
    assert done.code == 0
    assert "Example" in done.out


def test_it_runs_as_a_program(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "skillbag", "runtime", "list"], cwd=root, capture_output=True, text=True, check=True
    )
    assert "pods" in done.stdout
