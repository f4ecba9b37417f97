"""Personal skills, added and listed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from skillbag.agents.personal.skills import add_personal_skill, personal_skills
from skillbag.kernel.base.errors import UserError
from tests.supply.install.worlds import skill_text, write


def make(folder: Path, name: str, more: dict[str, str | bytes] | None = None, file: str = "SKILL.md") -> Path:
    return write(folder, {file: skill_text(name), **(more or {})})


def add(root: Path, folder: Path | str) -> str:
    return add_personal_skill(str(root), str(folder)).status


def names(root: Path) -> list[str]:
    return [skill.name for skill in personal_skills(str(root)).skills]


def refused(act: Callable[[], object]) -> str:
    with pytest.raises(UserError) as raised:
        act()
    assert "\n" not in str(raised.value)
    return str(raised.value)
