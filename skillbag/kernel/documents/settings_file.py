"""Read and write the JSON file of the user's settings, which people edit as well."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.json_text import BadJsonError, RepeatedKeyError, json_value
from skillbag.kernel.documents.source import DocumentProblem, read_document
from skillbag.kernel.fs.atomic import write_atomic
from skillbag.kernel.fs.read import LIMIT

VERSION = 1


class BadSettingsError(UserError):
    """The user's settings can't be used; the message begins with the file and line, and says what to do."""


class SettingsContent(NamedTuple):
    """The content of the file at `path`: its `text`, and the object `data` parsed from it."""

    path: str
    text: str
    data: dict[str, Any]

    def bad(self, key: str, fault: str) -> BadSettingsError:
        """The error for the value of a key, at the first line with the key."""
        before, quoted, _ = self.text.partition(f'"{key}"')
        return _bad(self.path, before.count("\n") + 1 if quoted else 1, fault)

    def section(self, name: str) -> dict[str, Any]:
        """An object within the file; empty if missing. Raises BadSettingsError if it is not an object."""
        value = self.data.get(name, {})
        if not isinstance(value, dict):
            raise self.bad(name, f"`{name}` must be an object")
        return value

    def put(self, section: str, key: str, value: object) -> SettingsContent:
        """The content with a key of a section set or, for an empty value, removed; without an empty section."""
        values = {name: other for name, other in self.section(section).items() if name != key}
        if value:
            values[key] = value
        data = {"version": VERSION, **self.data, section: values}
        return self._replace(data={name: part for name, part in data.items() if name != section or values})


def read(path: str) -> SettingsContent:
    """Read the file at the absolute `path`, which may be a link; an empty object if there is none.

    Raises:
        BadSettingsError: it can't be read, or is not a JSON object of this version.
    """
    document = read_document(path, os.path.dirname(os.path.realpath(path)))
    if isinstance(document, DocumentProblem):
        if document.kind == "missing":
            return SettingsContent(path, "", {})
        raise _bad(path, document.line, document.detail)
    try:
        data = json_value(document.text, unique=True)
    except RepeatedKeyError as error:
        raise SettingsContent(path, document.text, {}).bad(error.key, str(error)) from error
    except BadJsonError as error:
        raise _bad(path, error.line, str(error)) from error
    if not isinstance(data, dict):
        raise _bad(path, 1, "it must be an object, with `version`, `personal` and `marketplace`")
    values = SettingsContent(path, document.text, data)
    version = values.data.get("version", VERSION)
    if type(version) is not int or version != VERSION:
        raise values.bad("version", f"its version is {str(version)[:20]}, this program only knows {VERSION}")
    return values


def write(content: SettingsContent) -> None:
    """Write the data to the file, atomically; a new file or folder is private to its owner.

    Raises:
        BadSettingsError: it would be larger than the limit for reading.
        OSError: it can't be written.
    """
    import json

    # A lone surrogate (a byte of a file name) becomes an escape of JSON.
    path = content.path
    encoded = (json.dumps(content.data, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")
    if len(encoded) > LIMIT:
        raise BadSettingsError(f"{path}: the settings would have {len(encoded)} bytes; at most {LIMIT} are read")
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    write_atomic(path, encoded, root=os.path.dirname(os.path.realpath(path)), mode=0o600)


def _bad(path: str, line: int, fault: str) -> BadSettingsError:
    return BadSettingsError(f"{path}:{line}: {fault}; fix it there, or move the file away")
