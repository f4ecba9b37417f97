"""A proxy on loopback for tests: it passes plain requests and tunnels on, always to one server."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import NamedTuple
from urllib.parse import urlsplit


class Proxy(NamedTuple):
    """A running proxy: `host:port`, and the heads of the requests that came."""

    address: str
    heads: list[str]


@contextlib.contextmanager
def proxy(upstream: str, refuse: bytes = b"") -> Iterator[Proxy]:
    """Pass on whatever is asked for to the server at the address `upstream`; or answer `refuse` to everything."""
    to = urlsplit(upstream)
    heads: list[str] = []

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            lines = [self.rfile.readline()]
            while lines[-1] not in (b"\r\n", b""):
                lines.append(self.rfile.readline())
            heads.append(b"".join(lines).decode())
            method, url, version = lines[0].split()
            if refuse:
                self.wfile.write(refuse)
                return
            with socket.create_connection((to.hostname, to.port)) as server:
                if method == b"CONNECT":
                    self.wfile.write(b"HTTP/1.1 200 Connected\r\n\r\n")
                else:
                    path = urlsplit(url).path
                    server.sendall(b" ".join([method, path, version]) + b"\r\n" + b"".join(lines[1:]))
                back = threading.Thread(target=_pump, args=(server, self.connection), daemon=True)
                back.start()
                _pump(self.connection, server)
                back.join()

    class Listening(ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False

    with Listening(("127.0.0.1", 0), Handler) as listening:
        threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield Proxy(f"127.0.0.1:{listening.server_address[1]}", heads)
        listening.shutdown()


def _pump(source: socket.socket, to: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            to.sendall(data)
        to.shutdown(socket.SHUT_WR)
