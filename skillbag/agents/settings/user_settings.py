"""The user's own settings, for all workspaces: the personal root, and the sources of the marketplace.

They are in one JSON file (`schemas/settings.schema.json`), which people edit as well: unknown keys are kept.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.user_dirs import config_folder
from skillbag.kernel.documents import settings_file
from skillbag.kernel.documents.settings_file import SettingsContent

PERSONAL_VARIABLE = "SKILLBAG_PERSONAL_DIR"
"""Overrides the settings; empty for no personal root."""

DEFAULT_ROOT = os.path.join("~", ".agents", "skills")

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class MarketSource(NamedTuple):
    """A source of the marketplace. `name` is unique and matches the pattern of skills' names; `address` is one that
    `skillbag install` takes (a path is absolute); `version` is a tag, branch or commit."""

    name: str
    address: str
    version: str | None = None


class UserSettings(NamedTuple):
    """`personal_root` is absolute, None if not set."""

    personal_root: str | None = None
    sources: tuple[MarketSource, ...] = ()


def settings_path() -> str:
    """The absolute path of the file; it need not exist.

    Raises:
        UserError: the variable that names its folder is not an absolute path.
    """
    return os.path.join(config_folder(), "settings.json")


def read_user_settings() -> UserSettings:
    """Read the file; the defaults if there is none.

    Raises:
        UserError: it can't be read or is malformed.
    """
    return _settings(settings_file.read(settings_path()))


def change_user_settings(change: Callable[[UserSettings], UserSettings]) -> UserSettings:
    """Replace the settings by what `change` returns, atomically and under a lock; return them. Unknown keys are kept.

    Raises:
        UserError: the present file is malformed, or a value is not allowed, such as an address with credentials.
        OSError: the file can't be written, or the lock is held too long.
    """
    from skillbag.kernel.transaction.writer import locked

    path = settings_path()
    with locked(os.path.dirname(path), wait=60.0):
        content = settings_file.read(path)
        before = _settings(content)
        settings = change(before)
        _check(settings)
        if settings != before:
            settings_file.write(_merged(content, before, settings))
    return settings


def personal_root(given: str | None = None) -> str | None:
    """The absolute personal root: `given`, else the variable, else the settings, else `~/.agents/skills`.

    An empty one, given or in the variable, means none.

    Raises:
        UserError: it is not absolute (after `~` is expanded), or the settings can't be read.
    """
    if given is not None:
        return _absolute(given, "the personal root") if given else None
    if (value := os.environ.get(PERSONAL_VARIABLE)) is not None:
        return _absolute(value, PERSONAL_VARIABLE) if value else None
    return read_user_settings().personal_root or _absolute(DEFAULT_ROOT, "the home folder")


def _absolute(text: str, origin: str) -> str:
    path = os.path.expanduser(text)
    if not os.path.isabs(path) or _is_malformed(path):
        raise UserError(f"{origin}: {text!r} is no absolute path of a folder; give one, such as /home/me/skills")
    return os.path.normpath(path)


def _settings(values: SettingsContent) -> UserSettings:
    root, items = values.section("personal").get("root"), values.section("marketplace").get("sources", [])
    if root is not None and not _is_text(root):
        raise values.bad("root", "the `root` of `personal` must be a text without control characters")
    if root is not None and not os.path.isabs(os.path.expanduser(root)):
        raise values.bad("root", "the `root` of `personal` must be an absolute path")
    if not isinstance(items, list):
        raise values.bad("sources", "the `sources` of `marketplace` must be a list")
    sources: dict[str, MarketSource] = {}
    for number, item in enumerate(items, 1):
        source = _source(values, item, number)
        if source.name in sources:
            raise values.bad(source.name, f"there are two sources of the name `{source.name}`")
        sources[source.name] = source
    return UserSettings(root and os.path.normpath(os.path.expanduser(root)), tuple(sources.values()))


def _source(values: SettingsContent, item: Any, number: int) -> MarketSource:
    texts = [item.get(key) for key in MarketSource._fields] if isinstance(item, dict) else [None]
    if None in texts[:2] or not all(text is None or _is_text(text) for text in texts):
        rule = "must have `name` and `address`, and may have `version`: texts without control characters"
        raise values.bad("sources", f"source {number} of `marketplace` {rule}")
    source = MarketSource(*texts)
    try:
        _check_source(source)
    except UserError as error:
        raise values.bad(source.name, str(error)) from error
    return source


def _check(settings: UserSettings) -> None:
    """Raise UserError for settings that could not be read again."""
    if settings.personal_root is not None:
        _absolute(settings.personal_root, "the personal root")
    names: set[str] = set()
    for source in settings.sources:
        if source.name in names:
            raise UserError(f"there is a source `{source.name}` already; give another name, or remove that one first")
        _check_source(source)
        names.add(source.name)


def _check_source(source: MarketSource) -> None:
    """Raise UserError for a source that can't be used or has credentials, which the message does not repeat."""
    from skillbag.kernel.standard.names import is_name
    from skillbag.supply.sources.address import parse_source

    if not is_name(source.name):
        raise UserError(f"{source.name!r} is no name of a source: a-z, 0-9 and single hyphens, at most 64 of them")
    address = parse_source(source.address, os.sep)
    if address.kind.has_releases:
        raise UserError(f"source {source.name}: a registry is no source; it is searched if `registry_url` names it")
    if address.credentials or address.query:
        hint = "leave them out, and keep them in a credential helper of git, or in ~/.netrc"
        raise UserError(f"source {source.name}: its address {address.declared} holds credentials; {hint}")
    if not address.remote and "://" not in source.address and not os.path.isabs(os.path.expanduser(source.address)):
        raise UserError(f"source {source.name}: {source.address!r} is a relative path; give an absolute one")
    if source.version is not None and not _is_text(source.version):
        raise UserError(f"source {source.name}: its version {source.version!r} is none; name a tag, branch or commit")


def _merged(content: SettingsContent, before: UserSettings, after: UserSettings) -> SettingsContent:
    """The file's content with the changed values; sources keep the unknown keys that they have in it."""
    if after.personal_root != before.personal_root:
        content = content.put("personal", "root", after.personal_root)
    if after.sources != before.sources:
        known = {item["name"]: item for item in content.section("marketplace").get("sources", ())}
        items = [{**known.get(source.name, {}), **source._asdict()} for source in after.sources]
        texts = [{key: value for key, value in item.items() if value is not None} for item in items]
        content = content.put("marketplace", "sources", texts)
    return content


def _is_malformed(text: str) -> bool:
    """Whether a text has control characters or can't be a file name, which may have bytes that are not UTF-8."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return True
    return _CONTROL.search(text) is not None


def _is_text(value: object) -> bool:
    """Whether a value is a text, not empty and not malformed."""
    return isinstance(value, str) and bool(value) and not _is_malformed(value)
