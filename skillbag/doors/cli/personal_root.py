"""The folder of personal skills, as `skillbag agent personal root` shows and sets it."""

from __future__ import annotations

import os

from skillbag.doors.cli.person import check_person
from skillbag.doors.cli.workspaces import absolute_folder
from skillbag.kernel.base.errors import UserError
from skillbag.report.sanitize import shown


def change_root(folder: str | None) -> str:
    """Set the personal root, or restore the default for None; the message about it.

    Raises:
        UserError: it can't be one. NeedsPersonError: active skills come or go with it, and no person is here.
        OSError: the settings can't be written.
    """
    from skillbag.agents.personal.folders import not_a_folder
    from skillbag.agents.settings.user_settings import change_user_settings

    if folder == "":
        raise UserError("the personal root: '' is not a folder; --reset restores the default")
    path = absolute_folder(folder) if folder else None
    if path is not None and os.path.lexists(path) and not os.path.isdir(path):
        raise not_a_folder(path)
    _check_guards(path)
    change_user_settings(lambda settings: settings._replace(personal_root=path))
    current, origin = current_root()
    if origin == "variable":
        return "Set; but SKILLBAG_PERSONAL_DIR overrides it, as long as it is set.\n"
    text = f"Personal skills are in {shown(current or '')} from now on; those elsewhere stay there.\n"
    if path is not None and not os.path.lexists(path):
        text += "note: this folder does not exist yet; skillbag agent personal add makes it.\n"
    return text


def _check_guards(path: str | None) -> None:
    """Raises NeedsPersonError without a person, if there are active skills in the personal root, or in the next one."""
    from skillbag.agents.hosts.active_skills import holds_manifest
    from skillbag.agents.settings.user_settings import DEFAULT_ROOT

    if any(map(holds_manifest, filter(None, (current_root()[0], path or os.path.expanduser(DEFAULT_ROOT))))):
        check_person("another folder of personal skills, which guard calls")


def current_root() -> tuple[str | None, str]:
    """The personal root, and what sets it: `variable`, `settings` or `default`."""
    from skillbag.agents.settings.user_settings import PERSONAL_VARIABLE, personal_root, read_user_settings

    root = personal_root()
    if PERSONAL_VARIABLE in os.environ:
        return root, "variable"
    return root, "settings" if read_user_settings().personal_root else "default"
