"""The user's own settings, beyond any workspace: the personal root, and the sources of the marketplace.

They are one JSON file that people edit as well: what it says beyond that stays in it. `schemas/settings.schema.json`
describes it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

from skillbag.base.errors import UserError
from skillbag.base.user_dirs import config_folder
from skillbag.settings import settings_file
from skillbag.settings.settings_file import Values

PERSONAL_VARIABLE = "SKILLBAG_PERSONAL_DIR"
"""The environment variable that stands above the settings; empty for no personal root at all."""

_FILE = "settings.json"
_DEFAULT = os.path.join("~", ".agents", "skills")


class MarketSource(NamedTuple):
    """A source of the marketplace. `name` is unique and a skill's name by its pattern; `address` as `skillbag install`
    takes it (absolute where it is a path); `version` a tag, branch or commit, if any."""

    name: str
    address: str
    version: str | None = None


class UserSettings(NamedTuple):
    """`personal_root` is absolute, None where the file does not say."""

    personal_root: str | None = None
    sources: tuple[MarketSource, ...] = ()


def settings_path() -> str:
    """The absolute path of the file; it need not exist.

    Raises:
        UserError: the variable that names its folder holds no absolute path.
    """
    return os.path.join(config_folder(), _FILE)


def read_user_settings() -> UserSettings:
    """What the file says; nothing where there is none.

    Raises:
        UserError: it can't be read or is malformed: file, line, what to do.
    """
    return _settings(settings_file.read(settings_path()))


def write_user_settings(settings: UserSettings) -> None:
    """Write the file, atomically, keeping what else stands in it.

    Raises:
        UserError: what is there is malformed, or a value can't stand there, such as an address with credentials.
        OSError: it can't be written.
    """
    change_user_settings(lambda _: settings)


def change_user_settings(change: Callable[[UserSettings], UserSettings]) -> UserSettings:
    """Write what `change` makes of the settings, with no other process writing them in between; what was written.

    Raises:
        UserError: as `write_user_settings`.
        OSError: it can't be written, or another process does not end.
    """
    from skillbag.transaction.writer import locked

    path = settings_path()
    with locked(os.path.dirname(path), wait=60.0):
        values = settings_file.read(path)
        before = _settings(values)
        settings = change(before)
        _check(settings)
        if settings != before:
            settings_file.write(path, _merged(values.data, before, settings))
    return settings


def personal_root(given: str | None = None) -> str | None:
    """The absolute personal root: `given`, else the variable, else the settings, else `~/.agents/skills`.

    An empty one, given or in the variable, stands for none at all.

    Raises:
        UserError: what is given is not absolute (after `~` is expanded), or the settings can't be read.
    """
    if given is not None:
        return _absolute(given, "the personal root") if given else None
    if (named := os.environ.get(PERSONAL_VARIABLE)) is not None:
        return _absolute(named, PERSONAL_VARIABLE) if named else None
    return read_user_settings().personal_root or _absolute(_DEFAULT, "the home folder")


def _absolute(text: str, what: str) -> str:
    path = os.path.expanduser(text)
    if not os.path.isabs(path) or settings_file.is_unfit(path):
        raise UserError(f"{what}: {text!r} is no absolute path of a folder; give one, such as /home/me/skills")
    return os.path.normpath(path)


def _settings(values: Values) -> UserSettings:
    """The settings that the file's values stand for.

    Raises:
        UserError: one of them is malformed.
    """
    root = values.text_of("personal", "root")
    if root is not None and not os.path.isabs(os.path.expanduser(root)):
        raise values.bad("root", "the `root` of `personal` must be an absolute path")
    sources: dict[str, MarketSource] = {}
    for number, item in enumerate(values.list_of("marketplace", "sources"), 1):
        source = _source(values, item, number)
        if source.name in sources:
            raise values.bad(source.name, f"there are two sources of the name `{source.name}`")
        sources[source.name] = source
    return UserSettings(root and os.path.normpath(os.path.expanduser(root)), tuple(sources.values()))


def _source(values: Values, item: Any, number: int) -> MarketSource:
    texts = [item.get(key) for key in MarketSource._fields] if isinstance(item, dict) else [None]
    if None in texts[:2] or not all(text is None or settings_file.is_text(text) for text in texts):
        told = "must have `name` and `address`, and may have `version`: texts without control characters"
        raise values.bad("sources", f"source {number} of `marketplace` {told}")
    source = MarketSource(*texts)
    try:
        _check_source(source)
    except UserError as error:
        raise values.bad(source.name, str(error)) from error
    return source


def _check(settings: UserSettings) -> None:
    """Refuse to write what could not be read again.

    Raises:
        UserError: which, and why.
    """
    if settings.personal_root is not None:
        _absolute(settings.personal_root, "the personal root")
    names: set[str] = set()
    for source in settings.sources:
        if source.name in names:
            raise UserError(f"there is a source `{source.name}` already; give another name, or remove that one first")
        _check_source(source)
        names.add(source.name)


def _check_source(source: MarketSource) -> None:
    """Refuse a source that can't be used, or whose address holds a secret.

    Raises:
        UserError: why, without the address where it might hold one.
    """
    from skillbag.sources.address import parse_source
    from skillbag.standard.names import is_name

    if not is_name(source.name):
        raise UserError(f"{source.name!r} is no name of a source: a-z, 0-9 and single hyphens, at most 64 of them")
    address = parse_source(source.address, os.sep)
    if address.credentials or address.query:
        told = "leave them out, and keep them in a credential helper of git, or in ~/.netrc"
        raise UserError(f"source {source.name}: its address {address.declared} holds credentials; {told}")
    if not address.remote and "://" not in source.address and not os.path.isabs(os.path.expanduser(source.address)):
        raise UserError(f"source {source.name}: {source.address!r} is a relative path; give an absolute one")
    if source.version is not None and not settings_file.is_text(source.version):
        raise UserError(f"source {source.name}: its version {source.version!r} is none; name a tag, branch or commit")


def _merged(data: dict[str, Any], before: UserSettings, after: UserSettings) -> dict[str, Any]:
    """The file's data with what has changed put in, and all else as it was."""
    data = {"version": settings_file.VERSION, **data}
    if after.personal_root != before.personal_root:
        _put(data, "personal", "root", after.personal_root)
    if after.sources != before.sources:
        known = {item["name"]: item for item in data.get("marketplace", {}).get("sources", ())}
        _put(data, "marketplace", "sources", [_as_item(source, known.get(source.name, {})) for source in after.sources])
    return data


def _put(data: dict[str, Any], section: str, key: str, value: object) -> None:
    """Set one key of a section, or take it out, and the section with it where nothing is left."""
    values = {name: other for name, other in data.get(section, {}).items() if name != key}
    data[section] = {**values, key: value} if value else values
    if not data[section]:
        del data[section]


def _as_item(source: MarketSource, known: dict[str, Any]) -> dict[str, Any]:
    values = {key: value for key, value in source._asdict().items() if value is not None}
    return {**values, **{key: value for key, value in known.items() if key not in MarketSource._fields}}
