"""Skills whose code runs in real child processes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from skillbag.kernel.manifest.names import BackendKind, Permission, SkillType
from skillbag.kernel.manifest.values import Implementation, Manifest, ProcessLimits
from skillbag.kernel.processes.confinement import Allowed
from skillbag.runtime.backends.backend import Backend, Launch
from skillbag.runtime.backends.launching import allowed_of
from skillbag.runtime.errors import NotPermittedError

Host = Callable[[str, Mapping[str, Any]], Any]

CHILD = """#!%s -IS
import json, os, signal, sys, time

def read():
    line = sys.stdin.readline()
    return json.loads(line) if line else sys.exit()

def write(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\\n")
    sys.stdout.flush()

def answer(request, result):
    write({"id": request["id"], "result": result})

def host(name, **params):
    write({"id": "h1", "method": "host/" + name, "params": params})
    return read()

def starts(**registered):
    answer(read(), {"tools": [{"name": "t"}], **registered})

def output(content):
    return {"content": content, "is_error": False}
"""
"""The beginning of children of the tests, in Python; they start with `starts()` and answer what they `read()`."""

ECHO = """
starts()
while True:
    request = read()
    answer(request, output(request["params"].get("input")))
    if request["method"] == "shutdown":
        break
"""


def no_host(name: str, arguments: Mapping[str, Any]) -> Any:
    raise NotPermittedError(f'{name}: permission "x" not declared')


def launch_of(folder: Path, implementation: Implementation, **changed: Any) -> Launch:
    """A launch of the skill in a folder; `changed` replaces what it has by default."""
    remarks: list[str] = []
    manifest = Manifest("child", "1.0.0", "A skill.", (SkillType.TOOL,), implementation=implementation)
    return Launch(manifest, str(folder), None, frozenset[Permission](), no_host, remarks.append)._replace(**changed)


def process_launch(
    folder: Path, text: str, limits: ProcessLimits | None = None, timeout: float | None = None, **changed: Any
) -> Launch:
    """A launch of a skill whose process is `CHILD` and this text."""
    file = folder / "bin" / "child"
    file.parent.mkdir(exist_ok=True)
    file.write_text(CHILD % sys.executable + text)
    file.chmod(0o755)
    made = Implementation(BackendKind.PROCESS, "bin/child", limits=limits or ProcessLimits(), timeout=timeout)
    return launch_of(folder, made, **changed)


def writing(launch: Launch, search_path: str, *programs: str) -> Allowed:
    """In the place of `allowed_of`: the child may leave marks in the workspace, as no skill's process may."""
    return allowed_of(launch, search_path, *programs)._replace(write=(str(launch.workspace),))


@contextmanager
def loaded(backend: Backend) -> Iterator[Backend]:
    """The backend, loaded; its child is gone afterwards, however it ends."""
    backend.load()
    try:
        yield backend
    finally:
        try:
            backend.unload()
        except Exception as error:
            sys.stderr.write(f"unload: {error}\n")
