"""Personal skills where folders bear names that no change of ours takes, and where an address is given for a folder."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from skillbag.base.errors import UserError
from skillbag.personal.skills import add_personal_skill, remove_personal_skill
from tests.install.worlds import skill_text, snapshot, write
from tests.support import Run


@pytest.mark.parametrize("name", ["a:b", "back\\slash", "SKILLS.md"])
def test_a_folder_that_can_not_be_handled_is_told_with_what_to_do(tmp_path: Path, name: str) -> None:
    root = tmp_path / "root"
    write(root / name, {"SKILL.md": skill_text("odd")})
    source = write(tmp_path / "source", {"SKILL.md": skill_text("odd", body="Better.")})
    before = snapshot(root)

    with pytest.raises(UserError, match="rename or delete it"):
        remove_personal_skill(str(root), "odd")
    with pytest.raises(UserError, match="rename or delete it"):
        add_personal_skill(str(root), str(source))
    assert snapshot(root) == before


def test_no_password_of_an_address_is_repeated(run: Run, tmp_path: Path) -> None:
    address = "https://user:hunter2secret@example.com/x"
    for command in (
        ("personal", "add", address),
        ("personal", "remove", address),
        ("personal", "add", address, "--json"),
        ("personal", "remove", address, "--json"),
        ("tool", "skill_add", json.dumps({"path": address})),
        ("tool", "skill_remove", json.dumps({"name": address})),
        ("tool", "skill_remove", json.dumps({"name": address}), "--json"),
    ):
        outcome = run(*command, cwd=tmp_path)
        assert outcome.code in (1, 2)
        assert "hunter2secret" not in outcome.out + outcome.err
    assert not os.listdir(tmp_path)
