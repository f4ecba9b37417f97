"""Starlark is parsed in a child process within limits: its parser ends with the process on a hostile text."""

from __future__ import annotations

import json
import os
import threading
import time

from skillbag.kernel.base.extras import to_install
from skillbag.kernel.base.posix import is_posix, not_here
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.manifest.names import STARLARK_NAMES
from skillbag.kernel.processes.confinement import Allowed, ProcessBounds, confined_module, python_folders
from skillbag.kernel.processes.talking import Program, TalkingChild
from skillbag.lint.checks.predicate import AT_END

_CHILDREN = os.path.join(os.path.dirname(os.path.realpath(__file__)), "children")
_BOUNDS = ProcessBounds(memory_mb=256, reserve_mb=512, cpu_s=600, processes=8)
_SECONDS = 3.0
"""Seconds for one file."""

_LARGEST = 1 << 20
"""Bytes of the largest file; the runtime loads no larger one."""

_MAX_ENDS = 3
"""So many files may end the process; no further one is parsed."""

_MISSING = "its code is not checked, since Starlark is not installed: "


class StarlarkFault(NamedTuple):
    """A fault in a file: `syntax` with its message, or `name` with a name that nothing defines, and perhaps the one
    that is meant. Lines and columns begin with 1; line 0 is the end of the text."""

    kind: str
    line: int
    column: int
    text: str
    hint: str


class NotParsedError(Exception):
    """The text could not be parsed here, and why; that says nothing about the text."""


class _Process:
    """The child of one thread, started when it is first needed."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._child: TalkingChild | None = None
        self._ends = 0

    def faults(self, source: str) -> list[StarlarkFault]:
        """The faults of a text. Raises `NotParsedError`."""
        line = json.dumps(source).encode()
        if self._ends >= _MAX_ENDS:
            raise NotParsedError("its code is not checked: too many other files could not be parsed")
        try:
            child = self._child = self._child or TalkingChild(_program())
        except (OSError, ValueError) as error:
            raise NotParsedError("its code is not checked: no process can be started for it") from error
        child.send(line)
        until = time.monotonic() + _SECONDS
        while child.end is None and (left := until - time.monotonic()) > 0:
            for answer in child.receive(left):
                return [StarlarkFault(*fault) for fault in json.loads(answer)]
        self._ends += 1
        self.close()
        raise NotParsedError("its code is not checked: the parser fails on it, or takes too long")

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            self._child.close()
        self._child = None


class _Here(threading.local):
    """The process of this thread."""

    process: _Process | None = None


_here = _Here()


def starlark_faults(source: str) -> list[StarlarkFault]:
    """The faults of the text of a Starlark file, which is parsed and not run.

    Raises:
        NotParsedError: it can't be parsed here.
    """
    if len(source.encode("utf-8", "surrogatepass")) > _LARGEST:
        raise NotParsedError(f"it is larger than {_LARGEST >> 20} MiB, and the runtime does not load it")
    process = _here.process
    # A fork does not share the child of the process that it comes from.
    if process is None or process.owner != os.getpid():
        process = _here.process = _Process()
    return process.faults(source)


def _close() -> None:
    """End the child of this thread, if it has one."""
    process, _here.process = _here.process, None
    if process is not None and process.owner == os.getpid():
        process.close()


AT_END.append(_close)


def _program() -> Program:
    package = _package()
    if package is None:
        raise NotParsedError(
            _MISSING + to_install("runtime") if is_posix() else f"its code is not checked: {not_here('its parser')}"
        )
    folder = os.path.dirname(package)
    words = confined_module(
        _CHILDREN,
        "starlark_syntax",
        [folder, ",".join(sorted(STARLARK_NAMES))],
        Allowed((*python_folders(), _CHILDREN, folder)),
        _BOUNDS,
        strict=False,
    )
    return Program(words, {"RUST_BACKTRACE": "0"}, "/")


def _package() -> str | None:
    """The folder of the interpreter; None where it is not installed, or can't be run."""
    from importlib.util import find_spec

    found = find_spec("starlark") if is_posix() else None
    places = found.submodule_search_locations if found else None
    return os.path.realpath(places[0]) if places else None
