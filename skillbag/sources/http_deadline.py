"""A limit on the whole time of a download: a server that drips a byte now and then keeps within every single limit."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Mapping


class Deadline:
    """As a context: after so many seconds the connections that it watches are shut down, and `over` is true."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.over = False
        self._sockets: list[socket.socket] = []
        self._lock = threading.Lock()
        self._timer = threading.Timer(seconds, self.end)
        self._timer.daemon = True

    def __enter__(self) -> Deadline:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            for connection in self._sockets:
                connection.close()

    def watch(self, event: str, info: Mapping[str, object]) -> None:
        """The `trace` extension of a request: takes note of each connection that is made for it."""
        if event == "connection.connect_tcp.complete":
            connection = info["return_value"].get_extra_info("socket")  # type: ignore[attr-defined]
            with self._lock:
                # TLS takes the socket over, so it is known by a second handle of our own.
                self._sockets.append(connection.dup())
            if self.over:
                self.end()

    def end(self) -> None:
        """Shut the connections down now, from any thread."""
        self.over = True
        with self._lock:
            for connection in self._sockets:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
