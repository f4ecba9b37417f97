"""Records of the active skill."""

from __future__ import annotations

import os
from pathlib import Path

from skillbag.agents.permissions.active import ActiveSkill, activate
from skillbag.agents.settings.scope import Scope

AA = ActiveSkill("aa", "Read")


BB = ActiveSkill("bb", None)


def records_of() -> list[Path]:
    return sorted(Path(os.environ["SKILLBAG_STATE_DIR"]).glob("sessions/*/*"))


def record_of(scope: Scope) -> Path:
    activate(scope, AA)
    (path,) = records_of()
    return path
