"""Skills to publish, registries that serve them in a process of their own, and plain requests to these."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from skillbag.supply.registry.publishing import publish
from skillbag.supply.registry.store import RegistryStore

MANIFEST = """\
name: {name}
version: {version}
description: {description}
types: [tool]
implementation: {{backend: starlark, entrypoint: skill.star}}
"""
CODE = 'register_tool("say", "Says it.", lambda input: "said")\n'


def make_skill(folder: Path, version: str = "1.0.0", description: str = "Says it.", code: str = CODE) -> Path:
    """Write a skill of the folder's name, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    text = MANIFEST.format(name=folder.name, version=version, description=json.dumps(description, ensure_ascii=False))
    (folder / "SKILL.yaml").write_text(text, "utf-8")
    (folder / "skill.star").write_text(code, "utf-8")
    return folder


def published(root: Path, *versions: str, name: str = "say-it") -> RegistryStore:
    """The store of the registry in `root`, in which these versions of one skill were published."""
    store = RegistryStore(str(root))
    for version in versions or ("1.0.0",):
        publish(str(make_skill(root.parent / "made" / name, version)), store)
    return store


class Got(NamedTuple):
    """An answer over HTTP."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class Server(NamedTuple):
    """A registry that runs: its address, its process, and the file of its log."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def port(self) -> int:
        """The port on which it listens."""
        return int(self.url.rpartition(":")[2])

    def get(self, path: str, method: str = "GET", **headers: str) -> Got:
        """The answer to a request for `/api/v1/` and the path, whatever its status; `_` in a header's name is `-`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        with contextlib.closing(connection):
            connection.request(method, f"/api/v1/{path}", headers=named)
            answer = connection.getresponse()
            return Got(answer.status, dict(answer.getheaders()), answer.read())


@contextlib.contextmanager
def serving(root: Path, *options: str, descriptors: int = 0, **variables: str) -> Iterator[Server]:
    """Serve the registry in `root` on a free port until the block ends, with so many descriptors if it says."""
    root.mkdir(parents=True, exist_ok=True)
    log = root.parent / "registry.log"
    command = [
        sys.executable,
        "-m",
        "skillbag",
        "team",
        "registry",
        "serve",
        str(root),
        "--port",
        "0",
        "--json",
        *options,
    ]
    if descriptors:
        command = ["sh", "-c", f'ulimit -n {descriptors}; exec "$@"', "sh", *command]
    with log.open("wb") as errors:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, env={**os.environ, **variables}, cwd=root.parent
        )
    with process:
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            assert line, log.read_text()
            yield Server(json.loads(line)["url"], process, log)
        finally:
            process.terminate()
