"""A trace of what the runtime does, as JSON lines: states, calls, host functions and hooks, with times (skill runtime,
section 13)."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

from skillbag.fs.atomic import CREATE
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.secrets.detection import mask

TraceEvent: TypeAlias = Mapping[str, Any]
Trace: TypeAlias = Callable[[TraceEvent], None]
"""Takes one event, a mapping of JSON values with the key `event`."""


def no_trace(_: TraceEvent) -> None:
    """A trace that keeps nothing."""


@contextmanager
def traced(trace: Trace, event: TraceEvent) -> Iterator[dict[str, Any]]:
    """A block that puts an `answer` into what it gets. The trace gets the event with that, or with the failure, and the
    seconds that it took."""
    start, done = time.monotonic(), dict[str, Any](answer=None, failed=False)
    try:
        yield done
    except RuntimeFaultError as error:
        done.update(answer={"error": str(error), "code": error.code}, failed=True)
        raise
    finally:
        trace({**event, **done, "seconds": round(time.monotonic() - start, 6)})


class FileTrace:
    """Writes each event as a line of JSON with `at` (seconds since the start) to a new file. Secrets are masked."""

    def __init__(self, path: str) -> None:
        """Create the file, private to its owner.

        Raises:
            OSError: it can't be created, or is there already.
        """
        self._file = os.fdopen(os.open(path, CREATE, 0o600), "w", encoding="utf-8", errors="backslashreplace")
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
