"""The folders of the user's settings that are searched for active skills, as commands change them (skill runtime,
section 10)."""

from __future__ import annotations

import os
from collections.abc import Callable

from skillbag.agents.settings.runtime_settings import runtime_settings
from skillbag.agents.settings.user_settings import settings_path
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.documents import settings_file

Dirs = tuple[str, ...]


def listed_dirs() -> Dirs:
    """The folders, absolute, in the order in which they are searched.

    Raises:
        UserError: the settings can't be used.
    """
    return runtime_settings(None).dirs


def add_dir(folder: str) -> Dirs:
    """Add the absolute `folder`, if it is not there; all folders afterwards.

    Raises:
        UserError: there is no such folder, or the settings can't be used. OSError: they can't be written.
    """
    folder = os.path.normpath(folder)
    if not os.path.isdir(folder) or not folder.isprintable():
        raise UserError(f"{folder}: there is no such folder")
    return _changed(lambda dirs: dirs if folder in dirs else (*dirs, folder))


def remove_dir(folder: str) -> Dirs:
    """Remove the absolute `folder`, which need not exist; the folders that are left. Raises as `add_dir`."""
    folder = os.path.normpath(folder)

    def without(dirs: Dirs) -> Dirs:
        if folder not in dirs:
            raise UserError(f"{folder}: it is none of the folders in `dirs`; skillbag runtime dirs list shows them")
        return tuple(each for each in dirs if each != folder)

    return _changed(without)


def _changed(change: Callable[[Dirs], Dirs]) -> Dirs:
    from skillbag.kernel.transaction.writer import locked

    path = settings_path()
    with locked(os.path.dirname(path), wait=60.0):
        before = listed_dirs()
        after = change(before)
        if after != before:
            settings_file.write(settings_file.read(path).put("runtime", "dirs", after))
    return after
