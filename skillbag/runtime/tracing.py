"""A trace of what the runtime does, as JSON lines: states, calls, host functions and hooks, with times (skill runtime,
section 13)."""

from __future__ import annotations

import io
import json
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from skillbag.kernel.fs.changes import create
from skillbag.kernel.secrets.detection import mask
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.skill import Json

TraceEvent: TypeAlias = Mapping[str, Any]
Trace: TypeAlias = Callable[[TraceEvent], None]
"""Takes one event, a mapping of JSON values with the key `event`."""


def no_trace(_: TraceEvent) -> None:
    """A trace that keeps nothing."""


def traced(trace: Trace, event: TraceEvent, work: Callable[[], Json]) -> Json:
    """What `work` returns. The trace gets the event with that, or with the failure, and the seconds that it took."""
    if trace is no_trace:
        return work()
    start, answer, failed = time.monotonic(), None, False
    try:
        answer = work()
    except RuntimeFaultError as error:
        answer, failed = {"error": str(error), "code": error.code}, True
        raise
    finally:
        trace({**event, "answer": answer, "failed": failed, "seconds": round(time.monotonic() - start, 6)})
    return answer


class FileTrace:
    """Writes each event as a line of JSON with `at` (seconds since the start) to a new file. Secrets are masked."""

    def __init__(self, path: str) -> None:
        """Create the file, private to its owner.

        Raises:
            OSError: it can't be created, or is there already.
        """
        self._file = io.TextIOWrapper(create(path, 0o600), encoding="utf-8", errors="backslashreplace")
        self._start = time.monotonic()
        self._lock = threading.Lock()

    def __call__(self, event: TraceEvent) -> None:
        """Write one event."""
        line = json.dumps({"at": round(time.monotonic() - self._start, 6), **event}, ensure_ascii=False, default=str)
        with self._lock:
            self._file.write(f"{mask(line)}\n")
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
