"""The four requests of a registry, answered from a store (skill runtime, section 9)."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import parse_qs, unquote_to_bytes

from skillbag.kernel.manifest.versions import is_version
from skillbag.supply.registry.store import RegistryStore
from skillbag.supply.sources.configured_hosts import MAX_NAME, is_registry_name
from skillbag.supply.sources.registry_versions import LATEST

JSON = "application/json"
YAML = "application/yaml"
GZIP = "application/gzip"

_MAX_FIELDS = 16


class HttpResponse(NamedTuple):
    """An answer: its status, the type and digest (an entity tag) of its content, and that as bytes or an open file."""

    status: int
    type: str
    tag: str
    body: bytes | BinaryIO


class RequestRefusedError(Exception):
    """A request that has no answer; the message is for the client."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def answer(store: RegistryStore, target: str) -> HttpResponse:
    """The answer to a request for `target`: a path and a query, percent-encoded.

    Raises:
        RequestRefusedError: it is none of the four, or there is no such skill or version.
        DamagedError: what was published has changed.
    """
    path, _, query = target.partition("?")
    parts = [_decoded(part) for part in path.split("/")]
    match parts:
        case ["", "api", "v1", "search"]:
            return _json(_search(store, query))
        case ["", "api", "v1", "skills", name, "versions"]:
            return _json(_versions(store, name))
        case ["", "api", "v1", "skills", name, version, "manifest"]:
            found = _found(store, name, version)
            return HttpResponse(200, YAML, store.record(name, found).manifest, store.manifest(name, found))
        case ["", "api", "v1", "skills", name, version, "download"]:
            found = _found(store, name, version)
            return HttpResponse(200, GZIP, store.record(name, found).archive, store.archive(name, found))
    raise RequestRefusedError(404, "there is no such request")


def _search(store: RegistryStore, query: str) -> list[dict[str, str]]:
    try:
        wanted = parse_qs(query, errors="strict", max_num_fields=_MAX_FIELDS).get("q", [""])[0].casefold()
    except ValueError as error:
        raise RequestRefusedError(400, "the query is malformed") from error
    found = []
    for name in store.names():
        version = store.find(name, LATEST)
        if version is None:
            continue
        description = store.record(name, version).description
        if wanted in name.casefold() or wanted in description.casefold():
            found.append({"name": name, "version": version, "description": description})
    return found


def _versions(store: RegistryStore, name: str) -> list[str]:
    if found := store.versions(_checked(name)):
        return found
    raise RequestRefusedError(404, f"there is no skill {name}")


def _found(store: RegistryStore, name: str, version: str) -> str:
    """The version that a request names, which may be `latest`."""
    _checked(name)
    if version != LATEST and not is_version(version):
        raise RequestRefusedError(400, "a version is that of SemVer 2.0.0, or latest")
    found = store.find(name, version)
    if found is None:
        raise RequestRefusedError(404, f"there is no version {version} of a skill {name}")
    return found


def _checked(name: str) -> str:
    if not is_registry_name(name):
        raise RequestRefusedError(
            400, f"a name has up to {MAX_NAME} of A-Z, a-z, 0-9, - and _, and begins with no mark"
        )
    return name


def _decoded(part: str) -> str:
    """A part of a path, percent-decoded once."""
    try:
        return unquote_to_bytes(part).decode("utf-8")
    except UnicodeDecodeError as error:
        raise RequestRefusedError(400, "the path is not UTF-8") from error


def _json(value: Any) -> HttpResponse:
    data = json.dumps(value, ensure_ascii=False).encode("utf-8")
    return HttpResponse(200, JSON, sha256(data).hexdigest(), data)
