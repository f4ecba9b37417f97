"""`skillbag runtime test --record`: the answers of the host, written into cases."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.doors.cli.runtime_worlds import VALIDATOR
from tests.runtime.worlds_active import active
from tests.supply.install.worlds import write
from tests.support import Run

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="skills run in process groups"),
    pytest.mark.usefixtures("a_person"),
]

CODE = """\
def count(input):
    done = exec("sh", "-c", "cat " + input["path"])
    write_file("out.txt", done["stdout"])
    return {"lines": len(read_file("out.txt").split("\\n")) - 1}

register_tool("count", "Counts.", count)
register_tool("gone", "Reads.", lambda input: read_file("gone.txt"))
"""
CASES = """\
# My cases.
- name: counts   # twice
  call: {tool: count, input: {path: a.txt}}
  files: {a.txt: "b\\nc\\n"}
  host: []  # nothing yet
  expect: {value: {lines: 2}}

- name: fails
  call: {tool: gone}
  expect: {error: gone.txt}
- {name: flow, call: {tool: gone}, expect: {error: gone.txt}}
"""
APPROVED = ("--approve-skills", "counting")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write(tmp_path / "w", {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    active(root, "counting", CODE, permissions='["shell:exec", "file:read", "file:write", "env:read"]')
    write(root / ".skills/counting", {"tests/a.yaml": CASES})
    return root


def test_what_is_recorded_passes_afterwards(run: Run, root: Path) -> None:
    file = root / ".skills/counting/tests/a.yaml"
    assert run("runtime", "test", cwd=root).code == 1
    done = run("runtime", "test", "--record", *APPROVED, cwd=root)
    assert done.code == 0
    assert done.out == (
        "recorded  counting: counts  (3 calls, .skills/counting/tests/a.yaml)\n"
        "recorded  counting: fails  (1 call, .skills/counting/tests/a.yaml)\n"
        "recorded  counting: flow  (1 call, .skills/counting/tests/a.yaml)\n"
    ), done
    assert run("runtime", "test", cwd=root).code == 0
    lines = file.read_text().splitlines()
    kept = [line for line in CASES.splitlines() if "host" not in line and "flow" not in line]
    assert [line for line in lines if line in kept] == kept
    assert 'stdout: "b\\nc\\n"' in "\n".join(lines)
    assert not (root / "out.txt").exists()
    before = file.read_bytes()
    assert run("runtime", "test", "--record", *APPROVED, cwd=root).code == 0
    assert file.read_bytes() == before


def test_one_case_is_chosen(run: Run, root: Path) -> None:
    assert run("runtime", "test", "--record", "-k", "fails", *APPROVED, cwd=root).code == 0
    text = (root / ".skills/counting/tests/a.yaml").read_text()
    added = '  expect: {error: gone.txt}\n  host:\n    - {call: read_file, args: {path: "gone.txt"}, error: "'
    assert added in text
    assert "  host: []  # nothing yet\n" in text


def test_the_user_is_asked(run: Run, root: Path) -> None:
    before = (root / ".skills/counting/tests/a.yaml").read_bytes()
    done = run("runtime", "test", "--record", cwd=root)
    assert (done.code, 'Skill "counting" wants to activate' in done.out) == (3, True)
    assert run("runtime", "permissions", "counting", "--grant", "once", cwd=root).code == 0
    assert run("runtime", "test", "--record", "-k", "fails", cwd=root).code == 0
    # Once is once, and the case is a part of the skill's content.
    assert run("runtime", "test", "--record", cwd=root).code == 3
    assert run("runtime", "permissions", "counting", "--deny", cwd=root).code == 0
    assert run("runtime", "test", "--record", cwd=root).code == 1
    assert before != (root / ".skills/counting/tests/a.yaml").read_bytes()


def test_a_new_case_of_a_call(run: Run, root: Path) -> None:
    write(root / ".skills/counting", {"tests/a.yaml": "name: x\ntrigger: true\nexpect: {score: 0}\n"})
    words = ("--record-call", "count", '{"path": "/dev/null"}', *APPROVED)
    values = json.loads(run("runtime", "test", "counting", *words, "--json", cwd=root).out)
    VALIDATOR.validate(values)
    assert values["recorded"][0]["file"] == ".skills/counting/tests/count.yaml"
    assert run("runtime", "test", "counting", *words, cwd=root).out.endswith("tests/count-2.yaml)\n")
    done = run("runtime", "test", cwd=root)
    assert (done.code, done.out.count("ok  ")) == (0, 3), done
    assert run("runtime", "test", "counting", "--record-call", "count", "{", *APPROVED, cwd=root).code == 2


def test_secrets_are_not_recorded(run: Run, root: Path) -> None:
    key = "ghp_" + "Zk3Qw8Rt1Yp6Ls9Dv4Bn7Mx2Hc5Jg0FaTe8U"
    write(root / ".skills/counting", {"tests/a.yaml": CASES.replace("b\\nc", f"aws_key = {key}")})
    assert run("runtime", "test", "--record", "-k", "counts", *APPROVED, cwd=root).code == 0
    text = (root / ".skills/counting/tests/a.yaml").read_text().split("host:")[1]
    assert key not in text
    assert "****" in text


def test_an_unusual_layout_is_left_alone(run: Run, root: Path) -> None:
    text = "- host: []\n  name: odd\n  call: {tool: gone}\n  expect: {error: x}\n"
    write(root / ".skills/counting", {"tests/a.yaml": text})
    done = run("runtime", "test", "--record", *APPROVED, cwd=root)
    assert (done.code, "write its `host` by hand" in done.err) == (2, True), done
    assert (root / ".skills/counting/tests/a.yaml").read_text() == text
