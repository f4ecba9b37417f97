"""Fetches from git repositories, also failing and hostile ones."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from skillbag.supply.sources.address import parse_source
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetched import Fetched, FetchError
from tests.supply.sources.repositories import Repository
from tests.supply.sources.servers import Handle, Request


def fetch(
    repository: Repository | str,
    version: str | None = None,
    commit: str | None = None,
    *,
    offline: bool = False,
    cwd: str = "/",
) -> Fetched:
    address = repository if isinstance(repository, str) else repository.url
    return Fetcher(offline=offline).fetch(parse_source(address, cwd), version, commit)


def content(fetched: Fetched) -> str:
    """The last word of the skill alpha."""
    return (Path(fetched.root) / ".skills/alpha/SKILL.md").read_text().split()[-1]


def commit_of(repository: Repository, revision: str) -> str:
    return repository.git("rev-parse", f"{revision}^{{commit}}")


def failure(address: str, version: str | None = None) -> str:
    with pytest.raises(FetchError) as error:
        fetch(address, version)
    assert str(error.value).startswith(f"{address}: ")
    assert str(error.value).isprintable()
    return error.value.reason


def running(part: str) -> list[int]:
    """The processes with `part` in their command or surroundings."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if part.encode() in (folder / "environ").read_bytes() and b"git" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return [pid for pid in found if pid != os.getpid()]


def is_left() -> bool:
    """Whether no git of ours goes on, once those that were killed have had a moment to end."""
    until = time.monotonic() + 5
    while running(os.environ["SKILLBAG_CACHE_DIR"]):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def slowly(handle: Handle, pause: float, piece: int = 4096) -> Handle:
    """The answer to a request for objects, in small pieces."""

    def send(request: Request, handler: BaseHTTPRequestHandler) -> None:
        write = handler.wfile.write

        def dribble(data: bytes) -> int:
            for start in range(0, len(data), piece):
                write(data[start : start + piece])
                handler.wfile.flush()
                time.sleep(pause if len(data) > piece else 0)
            return len(data)

        handler.wfile.write = dribble  # type: ignore[method-assign,assignment]
        handle(request, handler)

    return send


FETCH = (
    "import sys; from skillbag.supply.sources.fetch import Fetcher\n"
    "from skillbag.supply.sources.address import parse_source\n"
    "got = Fetcher(progress=lambda line: print(line, file=sys.stderr, flush=True))"
    ".fetch(parse_source(sys.argv[1], '/'), *sys.argv[2:])\n"
    "print(got.resolved, got.root)\n"
)


def start(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", FETCH, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
