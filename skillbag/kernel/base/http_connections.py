"""Connections of the HTTP server (uvicorn): what it leaves open, which is how long and how many of them may wait.

Import this when a server starts: uvicorn is an extra.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol


def patient_protocol(most: int, request_seconds: float, answer_seconds: float | None = None) -> type[H11Protocol]:
    """A connection that is closed if it sends no request in time, or does not take the answer in time.
    At most `most` of them may wait for their client; a further one replaces the one that has waited longest."""
    waiting: dict[PatientProtocol, None] = {}

    class PatientProtocol(H11Protocol):
        _deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            # What a client does not take counts at once.
            transport.set_write_buffer_limits(0)
            self._end_in(request_seconds)
            self._wait()

        def data_received(self, data: bytes) -> None:
            before = self.cycle
            super().data_received(data)
            if self.cycle is not before:
                waiting.pop(self, None)
                self._end_in(answer_seconds)

        def pause_writing(self) -> None:
            super().pause_writing()
            self._wait()

        def resume_writing(self) -> None:
            super().resume_writing()
            waiting.pop(self, None)

        def connection_lost(self, exc: Exception | None) -> None:
            waiting.pop(self, None)
            self._end_in(None)
            super().connection_lost(exc)

        def _wait(self) -> None:
            waiting.pop(self, None)
            waiting[self] = None
            if len(waiting) > most:
                oldest = next(iter(waiting))
                waiting.pop(oldest)
                oldest.transport.abort()

        def _end_in(self, seconds: float | None) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
            self._deadline = None if seconds is None else self.loop.call_later(seconds, self.transport.abort)

    return PatientProtocol
