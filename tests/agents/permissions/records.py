"""Records of the active skill."""

from __future__ import annotations

import os
from pathlib import Path

from skillbag.agents.permissions.active import SkillInUse, activate
from skillbag.agents.settings.scope import Scope

AA = SkillInUse("aa", "Read")


BB = SkillInUse("bb", None)


def records_of() -> list[Path]:
    return sorted(Path(os.environ["SKILLBAG_STATE_DIR"]).glob("sessions/*/*"))


def record_of(scope: Scope) -> Path:
    activate(scope, AA)
    (path,) = records_of()
    return path
