"""A trace that was written with `--trace`, read again. It is checked as any input (skill runtime, section 13)."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.manifest.names import Phase
from skillbag.runtime.backends.backend import CallKind

_LARGEST = 256 << 20
_LONGEST_LINE = 16 << 20


class TraceError(UserError):
    """The file is no trace that can be replayed; the message has the line."""


class Event(NamedTuple):
    """One event, and the number of its line."""

    line: int
    values: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """What happened, such as `call`."""
        return str(self.values["event"])


_SHAPES: Mapping[str, Mapping[str, type]] = {
    "loading": {"skill": str, "content": str},
    "loaded": {"skill": str, "version": str, "tools": list, "hooks": list, "workflows": list, "scanners": list},
    "call": {"run": int, "skill": str, "kind": str, "name": str, "failed": bool},
    "hook": {"run": int, "skill": str, "phase": str, "number": int, "data": dict, "failed": bool},
    "host": {"within": int, "skill": str, "function": str, "arguments": dict, "failed": bool},
    "skill:deactivated": {"skill": str},
    "skill:error": {"skill": str, "before": str, "reason": str},
}
"""The events that a replay needs, and their values; others are left out."""


def read_trace(path: str) -> tuple[Event, ...]:
    """The events of a trace, in order.

    Raises:
        TraceError: it is no trace. OSError: it can't be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (FileNotFoundError, NotADirectoryError):
        raise TraceError(f"{path}: there is no such file") from None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
        os.close(descriptor)
        raise TraceError(f"{path} is no regular file of at most {_LARGEST >> 20} MiB")
    with open(descriptor, "rb") as file:
        events = tuple(_events(path, iter(lambda: file.readline(_LONGEST_LINE), b"")))
    if not events:
        raise TraceError(f"{path} has no event that can be replayed; write a trace with --trace")
    return events


def _events(path: str, lines: Iterator[bytes]) -> Iterator[Event]:
    for number, line in enumerate(lines, 1):
        try:
            values = json.loads(line)
        except (ValueError, RecursionError):
            raise TraceError(f"{path}:{number}: it is not a line of JSON") from None
        if not isinstance(values, dict) or not isinstance(values.get("event"), str):
            raise TraceError(f"{path}:{number}: it is no event of a trace: `event` is missing")
        shape = _SHAPES.get(values["event"])
        if shape is None:
            continue
        for name, kind in shape.items():
            if type(values.get(name)) is not kind:
                raise TraceError(f"{path}:{number}: the event {values['event']} has no usable `{name}`")
        if values["event"] == "call" and values["kind"] not in tuple(CallKind):
            raise TraceError(f"{path}:{number}: `kind` is none of {', '.join(CallKind)}")
        if values["event"] == "hook" and values["phase"] not in tuple(Phase):
            raise TraceError(f"{path}:{number}: `phase` is none of {', '.join(Phase)}")
        yield Event(number, values)
