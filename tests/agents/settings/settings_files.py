"""The file of settings."""

from __future__ import annotations

import json
from pathlib import Path

from skillbag.agents.settings.user_settings import MarketSource, UserSettings, change_user_settings

OWN = MarketSource("own", "/srv/skills")


def says(file: Path, values: object) -> Path:
    file.write_text(values if isinstance(values, str) else json.dumps(values, indent=1), "utf-8")
    return file


def write_user_settings(settings: UserSettings) -> None:
    """Replace all settings."""
    change_user_settings(lambda _: settings)
