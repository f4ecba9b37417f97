"""`list`, `status`, `info` and `hooks` say the same of a skill in a session, whatever happened to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.cli.runtime_worlds import make_world, values
from tests.runtime.worlds_active import active
from tests.support import Run

pytestmark = pytest.mark.usefixtures("a_person")

SESSION = ("--session", "s1")
GUARD = """\
register_hook("OnBeforeToolCall", lambda event: {"cancel": "private" in event["data"]["input"]})
register_tool("look", "Looks.", lambda input: str(len(list_dir("."))))
"""
NEEDS = "[{name: guard}]"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with `guard`, which needs `file:read`, and `user`, which requires it."""
    folder = make_world(tmp_path / "w")
    active(folder, "guard", GUARD, permissions='["file:read"]')
    active(folder, "user", GUARD.replace('"look"', '"use"'), own_calls=True, dependencies=NEEDS)
    return folder


def state(run: Run, root: Path, name: str = "guard") -> str:
    """The state of the skill, on which all four agree; `hooks`, which writes the session, comes last and first."""
    found = values(run, root, "info", name, *SESSION)["skill"]
    listed = [each for each in values(run, root, "list", *SESSION)["skills"] if each["name"] == name]
    assert [found] == listed
    is_active = found["state"] == "active"
    assert (name in values(run, root, "status", *SESSION)["active"]) is is_active
    assert (name in {each["skill"] for each in values(run, root, "hooks", *SESSION)["hooks"]}) is is_active
    assert values(run, root, "info", name, *SESSION)["skill"]["state"] == found["state"]
    assert (name in values(run, root, "status", *SESSION)["active"]) is is_active
    return str(found["state"])


def test_activated_denied_and_revoked(run: Run, root: Path) -> None:
    values(run, root, "permissions", "guard", "--grant", "once")
    values(run, root, "activate", "guard", *SESSION)
    assert state(run, root) == "active"
    values(run, root, "permissions", "guard", "--deny")
    assert state(run, root) == "denied"
    values(run, root, "permissions", "guard", "--revoke")
    assert state(run, root) == "inactive"


def test_revoked_while_active(run: Run, root: Path) -> None:
    values(run, root, "activate", "guard", *SESSION, "--approve-skills", "guard")
    values(run, root, "permissions", "guard", "--revoke")
    assert state(run, root) == "inactive"


@pytest.mark.parametrize("settings", ['denied_skills = ["guard"]'])
def test_denied_by_the_settings_and_allowed_again(run: Run, root: Path, settings: str) -> None:
    values(run, root, "activate", "guard", *SESSION, "--approve-skills", "guard")
    (root / "skillbag.toml").write_text(f"[runtime]\n{settings}\n")
    assert state(run, root) == "denied"
    (root / "skillbag.toml").unlink()
    assert state(run, root) == "inactive"


def test_edited_and_activated_again(run: Run, root: Path) -> None:
    values(run, root, "activate", "guard", *SESSION, "--approve-skills", "guard")
    (root / ".skills/guard/main.star").write_text(f"{GUARD}# more\n")
    assert state(run, root) == "inactive"
    values(run, root, "activate", "guard", *SESSION, "--approve-skills", "guard")
    assert state(run, root) == "active"


def test_with_what_a_skill_requires_it_goes_as_well(run: Run, root: Path) -> None:
    values(run, root, "activate", "user", *SESSION, "--approve-skills", "guard")
    values(run, root, "permissions", "guard", "--deny")
    reason = values(run, root, "info", "user", *SESSION)["skill"]["reason"]
    assert reason == 'skill "user" requires "guard", which is not active any more'
    assert (state(run, root), state(run, root, "user")) == ("denied", "inactive")


def test_the_remark_says_how_to_get_it_back(run: Run, root: Path) -> None:
    values(run, root, "activate", "guard", *SESSION, "--approve-skills", "guard")
    values(run, root, "permissions", "guard", "--deny")
    remarks = values(run, root, "hooks", *SESSION)["remarks"]
    assert remarks == [
        (
            'skill "guard" is not active any more: the user has denied it file:read, hook:change, hook:observe; a '
            "person revokes that on a terminal, so that it can be asked for again, then activate it again"
        )
    ]
    assert values(run, root, "hooks", *SESSION)["remarks"] == []


@pytest.mark.parametrize("name", ["runtime.db"])
def test_an_approval_is_not_taken_from_a_database_that_was_replaced(run: Run, root: Path, name: str) -> None:
    values(run, root, "permissions", "guard", "--grant", "once")
    values(run, root, "activate", "guard", *SESSION)
    database = Path(values(run, root, "status")["database"])
    assert database.name == name
    for part in database.parent.glob(f"{name}*"):
        part.unlink()
    # A new one, perhaps with the inode of the old one.
    values(run, root, "permissions", "pods", "--grant", "once")
    assert state(run, root) == "inactive"
    values(run, root, "call", "look", "--skill", "guard", *SESSION, code=3)


def test_what_nothing_knows_has_no_permissions(run: Run, root: Path) -> None:
    for words in ([], ["--revoke"], ["--deny"], ["--grant", "once"]):
        error = values(run, root, "permissions", "gaurd", *words, code=2)["error"]
        assert error == 'skill "gaurd" not found; did you mean "guard"?'
    values(run, root, "permissions", "guard", "--grant", "always")
    for path in sorted((root / ".skills/guard").iterdir()):
        path.unlink()
    assert values(run, root, "permissions", "guard")["approvals"]
    done = values(run, root, "permissions", "guard", "--revoke")["done"]
    assert done == "All permissions revoked for skill 'guard'; no skill of this name is found now"
    values(run, root, "permissions", "guard", "--revoke", code=2)


def test_a_usage_error_names_the_whole_command(run: Run, root: Path) -> None:
    assert values(run, root, "list", "--nope", code=2)["error"] == "no such option '--nope'"
