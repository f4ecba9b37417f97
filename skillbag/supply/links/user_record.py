"""The record of the links in the folders that agents have for their user: `user-links.json` in the state folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.user_dirs import state_folder
from skillbag.kernel.documents import settings_file


class UserLinks(NamedTuple):
    """`root` is the absolute personal folder that the links lead to. `agents` are their names. `made` has the targets
    of each link (absolute paths), two while it is being changed. `folders` were created for them, outermost first."""

    root: str = ""
    agents: tuple[str, ...] = ()
    made: Mapping[str, tuple[str, ...]] = {}
    folders: tuple[str, ...] = ()


def record_path() -> str:
    """The absolute path of the record; it need not exist."""
    return os.path.join(state_folder(), "user-links.json")


def read_record() -> UserLinks:
    """The record, empty if there is none.

    Raises:
        UserError: it can't be read or is malformed.
    """
    values = settings_file.read(record_path())
    root, agents = values.data.get("root", ""), values.data.get("agents", [])
    made, folders = values.section("made"), values.data.get("folders", [])
    if not isinstance(root, str) or not _are_texts(agents):
        raise values.bad("agents", "`root` must be a text, and `agents` a list of texts")
    if not _are_paths(folders) or not _are_paths(list(made)) or not all(map(_are_paths, made.values())):
        raise values.bad("made", "`made` and `folders` must hold absolute paths")
    return UserLinks(root, tuple(agents), {path: tuple(made[path]) for path in made}, tuple(folders))


def write_record(links: UserLinks) -> None:
    """Write the record atomically; remove it when nothing is linked.

    Raises:
        OSError: it can't be written.
    """
    path = record_path()
    if links.agents or links.made:
        settings_file.write(path, {"version": settings_file.VERSION, **links._asdict()})
    elif os.path.lexists(path):
        os.unlink(path)


def known_record() -> UserLinks | None:
    """The record if there is one that can be used."""
    try:
        return read_record()
    except (UserError, OSError):
        return None


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _are_paths(value: Any) -> bool:
    return _are_texts(value) and all(map(os.path.isabs, value))
