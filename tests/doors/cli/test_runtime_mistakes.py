"""What a user mistypes or gets wrong in a command of `skillbag runtime`, and what it answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doors.cli.runtime_worlds import make_world, values
from tests.runtime.worlds_active import active
from tests.supply.install.worlds import write
from tests.support import Run

pytestmark = [pytest.mark.boundary, pytest.mark.usefixtures("a_person")]

TRANSFORM = 'register_hook("OnAfterResponse", lambda event: {"modified": {"response": event["data"]["response"]}})\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_world(tmp_path / "w")


def test_an_approval_of_an_unknown_skill_is_remarked(run: Run, root: Path) -> None:
    remark = '--approve-skills: skill "podz" not found; did you mean "pods"?'
    found = values(run, root, "activate", "words", "--approve-skills", "podz,words")
    assert found["remarks"] == [remark]
    assert remark in values(run, root, "activate", "words", "--approve-skills", "podz", "--dry-run")["remarks"]


def test_bad_input_is_found_before_the_user_is_asked(run: Run, root: Path) -> None:
    error = values(run, root, "call", "pods_get", '{"kind": 3}', code=2)["error"]
    assert error == "pods_get: input.kind: 3 is not of type 'string'"
    assert values(run, root, "call", "pods_get", '{"kind": "web"}', code=3)["questions"]
    assert values(run, root, "call", "pods_scale", "{}", code=3)["questions"]
    write(root / ".skills/pods", {"get.json": "no schema"})
    assert values(run, root, "call", "pods_get", '{"kind": 3}', code=3)["questions"]


def test_tools_of_built_in_skills_that_were_not_named_are_not_listed(run: Run, root: Path) -> None:
    error = values(run, root, "call", "nothing_like_it", code=2)["error"]
    assert "; there are pods_fail, pods_get, pods_scale; " in error
    error = values(run, root, "call", "nothing_like_it", "--skills", "core-tools", code=2)["error"]
    assert "; there are file, pods_fail, " in error


@pytest.mark.parametrize("text", ["", "good day\n"])
def test_an_answer_that_stays_as_it_is_has_not_changed(run: Run, root: Path, text: str) -> None:
    active(root, "same", TRANSFORM, types="[transform]")
    done = run("runtime", "transform", "--skills", "same", "--json", cwd=root, stdin=text.encode())
    found = json.loads(done.out)
    assert (found["response"], found["changed"]) == (text, False)
