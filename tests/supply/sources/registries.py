"""Registries on loopback for tests: a good one that serves packed skills, whose answers can be replaced by bad ones."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler
from typing import NamedTuple

from tests.supply.install.worlds import skill_text
from tests.supply.sources.servers import Handle, Request, Server, answer, serve


def skill_files(name: str, version: str, body: str = "Read the file.", **more: str) -> dict[str, str]:
    """The files of an active skill that also works in a workspace: `SKILL.md` and `SKILL.yaml`."""
    manifest = f"name: {name}\nversion: {version}\ndescription: {_description(name, body)}\ntypes: [prompt]\n"
    return {"SKILL.md": skill_text(name, body=body), "SKILL.yaml": manifest, **more}


def _description(name: str, body: str) -> str:
    return skill_text(name, body=body).split("description: ", 1)[1].splitlines()[0]


def packed(files: Mapping[str, str | bytes], top: str = "") -> bytes:
    """A tar.gz of files, as Python's tarfile writes it, the same bytes each time."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, text in files.items():
            raw = text.encode() if isinstance(text, str) else text
            info = tarfile.TarInfo(f"{top}{name}")
            info.size = len(raw)
            archive.addfile(info, io.BytesIO(raw))
    return gzip.compress(out.getvalue(), mtime=0)


class LoopbackRegistry(NamedTuple):
    """A running registry. `skills` maps name and version to the archive; `server.table` replaces answers by path."""

    server: Server
    skills: dict[str, dict[str, bytes]]
    token: list[str]

    @property
    def url(self) -> str:
        return self.server.url

    def add(self, name: str, *versions: str, body: str = "Read the file.") -> None:
        """Publish a skill at these versions."""
        for version in versions:
            self.skills.setdefault(name, {})[version] = packed(skill_files(name, version, f"{body} {version}"))

    def replace(self, path: str, handle: Handle) -> None:
        """Answer requests for `/api/v1/PATH` otherwise."""
        self.server.table[f"/api/v1/{path}"] = handle


@contextlib.contextmanager
def serve_registry() -> Iterator[LoopbackRegistry]:
    """A registry without any skill."""
    skills: dict[str, dict[str, bytes]] = {}
    token: list[str] = []

    def handle(request: Request, handler: BaseHTTPRequestHandler) -> None:
        if token and request.headers.get("authorization") != f"Bearer {token[0]}":
            return _json(request, handler, {"error": "no valid token"}, 401)
        return _answer(request, handler, skills)

    with serve({"/api/v1/": handle}) as server:
        yield LoopbackRegistry(server, skills, token)


def _answer(request: Request, handler: BaseHTTPRequestHandler, skills: Mapping[str, Mapping[str, bytes]]) -> None:
    parts = request.path.removeprefix("/api/v1/").split("/")
    if parts == ["search"]:
        word = request.query.removeprefix("q=")
        found = [(name, max(versions)) for name, versions in sorted(skills.items()) if word in name]
        value = [{"name": name, "version": version, "description": f"{name} of a test"} for name, version in found]
        return _json(request, handler, value)
    if parts[0] != "skills" or parts[1] not in skills:
        return _json(request, handler, {"error": "not found"}, 404)
    versions = skills[parts[1]]
    if parts[2:] == ["versions"]:
        return _json(request, handler, list(versions))
    archive = versions.get(max(versions) if parts[2] == "latest" else parts[2])
    if archive is None:
        return _json(request, handler, {"error": "no such version"}, 404)
    if parts[3] == "download":
        return _send(request, handler, archive, "application/gzip")
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        file = opened.extractfile("SKILL.yaml")
        assert file is not None
        return _send(request, handler, file.read(), "application/yaml")


def _json(request: Request, handler: BaseHTTPRequestHandler, value: object, status: int = 200) -> None:
    _send(request, handler, json.dumps(value).encode(), "application/json", status)


def _send(request: Request, handler: BaseHTTPRequestHandler, body: bytes, kind: str, status: int = 200) -> None:
    etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    if status == 200 and request.headers.get("if-none-match") == etag:
        return answer(handler, b"", 304, {"ETag": etag})
    return answer(handler, body, status, {"Content-Type": kind, "ETag": etag})
