"""The client of a registry: its four requests, three of them cached (skill runtime, section 9).

The user's cache has one file for each registry, kind of request, skill and version. Its first line is a JSON object
with the time and the `ETag`, the rest is the body of the answer.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

from skillbag.kernel.base.json_text import BadJsonError, json_value
from skillbag.kernel.fs.atomic import write_atomic
from skillbag.kernel.fs.changes import create
from skillbag.kernel.manifest.versions import is_version
from skillbag.supply.sources import limits
from skillbag.supply.sources.cache import REGISTRY, Cache, key_of, touch
from skillbag.supply.sources.configured_hosts import is_registry_name
from skillbag.supply.sources.fetched import FetchError, Progress
from skillbag.supply.sources.registry_versions import LATEST

_MINUTE, _DAY = 60.0, 24 * 60 * 60.0
_SEARCH = _VERSIONS = 5 * _MINUTE
_MANIFEST_LATEST, _MANIFEST_EXACT = 60 * _MINUTE, 30 * _DAY
_MAX_VERSIONS, _MAX_FOUND = 10_000, 1_000
_MAX_QUERY = 1_000
_SHOWN = 80
_MAX_MEANT = 3

T = TypeVar("T")


class UnknownError(FetchError):
    """The registry does not have what it is asked for."""


class OfferedSkill(NamedTuple):
    """A result of a search. The texts are the registry's: to be made safe before they are shown."""

    name: str
    version: str
    description: str


class RegistryClient(NamedTuple):
    """A registry at its normalized `address`. With `offline` only the `cache` is read; `remark` gets what was
    skipped, and which answers are out of date."""

    address: str
    cache: Cache
    offline: bool
    remark: Progress

    def search(self, query: str) -> tuple[OfferedSkill, ...]:
        """The skills that match the query, all for an empty one. Raises as `versions`."""
        query = query[:_MAX_QUERY]
        path = f"search?q={quote(query, safe='')}"
        return self._answer(Key(self.address, "search", query), path, _SEARCH, _found)

    def versions(self, name: str) -> tuple[str, ...]:
        """All versions of a skill.

        Raises:
            UnknownError: the registry does not know the skill.
            FetchError: the registry can't be asked, or its answer is malformed.
            UserError: the token can't be sent.
        """
        path = f"skills/{_quoted(name)}/versions"
        found = self._answer(Key(self.address, "versions", name), path, _VERSIONS, _texts)
        if skipped := [text for text in found if not is_version(text)]:
            shown = ", ".join(repr(text[:_SHOWN]) for text in skipped[:3])
            self.remark(f"{name}: the registry lists {len(skipped)} versions that are none, such as {shown}; skipped")
        return tuple(text for text in found if is_version(text))

    def manifest(self, name: str, version: str = LATEST) -> str:
        """The manifest of a skill at an exact version, or of the registry's latest one. Raises as `versions`."""
        path = f"skills/{_quoted(name)}/{_quoted(version)}/manifest"
        age = _MANIFEST_LATEST if version == LATEST else _MANIFEST_EXACT
        return self._answer(Key(self.address, "manifest", name, version), path, age, _text)

    def download(self, name: str, version: str, to: str) -> None:
        """Store the archive of a skill in the new file `to`. Raises as `versions`, or OSError: it can't be written."""
        from skillbag.supply.sources.http_failures import DownloadError
        from skillbag.supply.sources.registry_http import RegistryRequest, send

        path = f"skills/{_quoted(name)}/{_quoted(version)}/download"
        request = RegistryRequest(self.address, path, limits.MAX_REGISTRY_ARCHIVE, limits.DOWNLOAD_SECONDS)
        try:
            with create(to) as file:
                send(request, file.write)
        except DownloadError as error:
            raise FetchError(f"{self.address}: {name} {version}", error.reason) from None

    def meant(self, name: str) -> str:
        """The end of a message about an unknown skill: the names that may be meant; empty if none is like it."""
        try:
            names = sorted({each.name for each in self.search("")})
        except FetchError:
            return ""
        close = get_close_matches(name[:_SHOWN], names, _MAX_MEANT)
        return f"; did you mean {', '.join(close)}?" if close else ""

    def _answer(self, key: Key, path: str, age: float, parse: Callable[[bytes], T]) -> T:
        """The answer from the cache while it is not older than `age` seconds, else from the registry."""
        known = read_answer(self.cache, key)
        if known is not None and 0 <= time.time() - known.at <= age:
            return parse(known.body)
        if self.offline:
            if known is None:
                raise FetchError(self._shown(key), "it is not in the cache; run once without --offline")
            return self._outdated(key, known, parse)
        return self._ask(key, path, known, parse)

    def _ask(self, key: Key, path: str, known: CachedResponse | None, parse: Callable[[bytes], T]) -> T:
        from skillbag.supply.sources.http_failures import DownloadError, UnreachableError
        from skillbag.supply.sources.registry_http import NotInRegistryError, RegistryRequest, send

        body = bytearray()
        etag = known.etag if known else ""
        request = RegistryRequest(self.address, path, limits.MAX_REGISTRY_ANSWER, limits.REGISTRY_SECONDS, etag)
        try:
            response = send(request, body.extend)
            data = bytes(body) if response.changed or known is None else known.body
            value = parse(data)
        except UnreachableError as error:
            if known is None:
                raise FetchError(self._shown(key), error.reason) from None
            return self._outdated(key, known, parse, f"{error.reason}; ")
        except NotInRegistryError as error:
            raise UnknownError(self._shown(key), error.reason) from None
        except (DownloadError, ValueError) as error:
            raise FetchError(self._shown(key), str(error)) from None
        write_answer(self.cache, key, CachedResponse(data, response.etag, time.time()))
        return value

    def _outdated(self, key: Key, known: CachedResponse, parse: Callable[[bytes], T], why: str = "") -> T:
        when = time.strftime("%Y-%m-%d %H:%M", time.gmtime(known.at))
        self.remark(f"{self._shown(key)}: {why}the answer of {when} UTC is used, which may be out of date")
        return parse(known.body)

    def _shown(self, key: Key) -> str:
        what = " ".join(filter(None, (key.kind, key.name[:_SHOWN] if key.name.isprintable() else "", key.version)))
        return f"{self.address}: {what}"


def _quoted(part: str) -> str:
    return quote(part, safe="")


def _json(body: bytes) -> Any:
    try:
        return json_value(body.decode("utf-8"))
    except (BadJsonError, UnicodeDecodeError):
        raise ValueError("the answer of the registry is not JSON") from None


def _list(body: bytes, most: int) -> list[Any]:
    value = _json(body)
    if not isinstance(value, list):
        raise ValueError("the answer of the registry is no list")
    if len(value) > most:
        raise ValueError(f"the registry lists {len(value):,} of them; at most {most:,} are taken")
    return value


def _texts(body: bytes) -> tuple[str, ...]:
    value = _list(body, _MAX_VERSIONS)
    if not all(isinstance(item, str) for item in value):
        raise ValueError("the answer of the registry is no list of versions")
    return tuple(value)


def _found(body: bytes) -> tuple[OfferedSkill, ...]:
    """The results of a search with valid names and versions; others are of no use."""
    skills = []
    for item in _list(body, _MAX_FOUND):
        texts = [item.get(field) for field in OfferedSkill._fields] if isinstance(item, dict) else [None]
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("the registry lists a skill without name, version or description")
        skill = OfferedSkill(*texts)
        if is_registry_name(skill.name) and is_version(skill.version):
            skills.append(skill)
    return tuple(skills)


def _text(body: bytes) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("the manifest of the registry is not UTF-8") from None


class Key(NamedTuple):
    """What was asked for. `kind` is `search`, `versions` or `manifest`; `name` is the query of a search."""

    registry: str
    kind: str
    name: str
    version: str = ""


class CachedResponse(NamedTuple):
    """An answer, and when it was given or last confirmed (seconds since 1970)."""

    body: bytes
    etag: str
    at: float


def read_answer(cache: Cache, key: Key) -> CachedResponse | None:
    """The cached answer; None if there is none, or it is damaged."""
    path = _answer_file(cache, key)
    try:
        with open(path, "rb") as file:
            head, _, body = file.read().partition(b"\n")
        value = json.loads(head)
        if value["key"] != list(key) or value["bytes"] != len(body):
            return None
        entry = CachedResponse(body, str(value["etag"]), float(value["at"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    touch(path)
    return entry


def write_answer(cache: Cache, key: Key, entry: CachedResponse) -> None:
    """Store an answer."""
    head = json.dumps({"key": key, "etag": entry.etag, "at": entry.at, "bytes": len(entry.body)}).encode("ascii")
    write_atomic(_answer_file(cache, key), head + b"\n" + entry.body, root=cache.folder, durable=False)


def _answer_file(cache: Cache, key: Key) -> str:
    return os.path.join(cache.folder, REGISTRY, key_of(*key))
