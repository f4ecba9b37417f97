"""HTTP and HTTPS servers on loopback for tests: a table of handlers, with ready ones for good and bad servers."""

from __future__ import annotations

import base64
import contextlib
import os
import socketserver
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple


class Request(NamedTuple):
    """A request that came in. Header names are in lower case; a chunked body is put together, none is unpacked."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


Handle = Callable[[Request, BaseHTTPRequestHandler], None]
"""Answers a request; it may write what it likes to the connection (`wfile`)."""


class Certificate(NamedTuple):
    """Files of a certificate for `localhost` and 127.0.0.1 that is its own authority, and of its key (PEM)."""

    certificate: Path
    key: Path


class Server(NamedTuple):
    """A running server. `url` has no slash at its end; `requests` grows; `table` may be changed while it runs."""

    url: str
    table: dict[str, Handle]
    requests: list[Request]

    def seen(self, part: str = "") -> list[str]:
        """The requests so far, as `METHOD /path?query`, that contain `part`."""
        lines = [f"{r.method} {r.path}" + (f"?{r.query}" if r.query else "") for r in self.requests]
        return [line for line in lines if part in line]


@contextlib.contextmanager
def serve(table: Mapping[str, Handle], certificate: Certificate | None = None) -> Iterator[Server]:
    """Serve on a free port of 127.0.0.1, over HTTPS where there is a certificate.

    A key of the table is a path, or the beginning of paths if it ends with `/`; the longest wins; without one: 404.
    """
    server = Server("", dict(table), [])
    listening = _Listening(("127.0.0.1", 0), _handler(server))
    scheme, host = "http", "127.0.0.1"
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate.certificate, certificate.key)
        # The handshake is left to the connection's thread: a client that hangs in it must not stop the others.
        listening.socket = context.wrap_socket(listening.socket, server_side=True, do_handshake_on_connect=False)
        scheme, host = "https", "localhost"
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server._replace(url=f"{scheme}://{host}:{listening.server_address[1]}")
    finally:
        listening.shutdown()
        listening.server_close()


class _Listening(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that hang up, or don't trust the certificate, are part of the tests."""


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def _handle(self) -> None:
            path, _, query = self.path.partition("?")
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Request(self.command, path, query, headers, _body(self))
            server.requests.append(request)
            keys = [key for key in server.table if key == path or (key.endswith("/") and path.startswith(key))]
            server.table[max(keys, key=len)](request, self) if keys else answer(self, b"not found\n", 404)

        do_GET = do_HEAD = do_POST = _handle  # noqa: N815

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
            pass

    return Handler


def _body(handler: BaseHTTPRequestHandler) -> bytes:
    if handler.headers.get("Transfer-Encoding", "").lower() != "chunked":
        return handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
    body = b""
    while size := int(handler.rfile.readline().split(b";")[0], 16):
        body += handler.rfile.read(size)
        handler.rfile.readline()
    handler.rfile.readline()
    return body


def answer(
    handler: BaseHTTPRequestHandler, body: bytes, status: int = 200, headers: Mapping[str, str] | None = None
) -> None:
    """One whole answer; a `Content-Length` among the headers stands in for the true one, lies included."""
    handler.send_response(status)
    for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
        handler.send_header(name, value)
    handler.end_headers()
    with contextlib.suppress(OSError):
        handler.wfile.write(b"" if handler.command == "HEAD" else body)


def content(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Handle:
    """Always this answer."""
    return lambda _, handler: answer(handler, body, status, headers)


def redirect(to: str, status: int = 302) -> Handle:
    """Always a redirect to this address."""
    return content(b"", status, {"Location": to})


def truncated(body: bytes, promised: int) -> Handle:
    """An answer that promises more bytes than it holds, and hangs up."""

    def handle(_: Request, handler: BaseHTTPRequestHandler) -> None:
        answer(handler, body, headers={"Content-Length": str(promised), "Connection": "close"})
        handler.close_connection = True

    return handle


def stalling(body: bytes, seconds: float = 60.0, promised: int = 1 << 20) -> Handle:
    """An answer that begins with `body` and then keeps the client waiting, until it hangs up or the time is over."""

    def handle(_: Request, handler: BaseHTTPRequestHandler) -> None:
        answer(handler, body, headers={"Content-Length": str(promised)})
        handler.close_connection = True
        handler.connection.settimeout(seconds)
        with contextlib.suppress(OSError):
            handler.rfile.read(1)

    return handle


def delayed(handle: Handle, seconds: float) -> Handle:
    """The answer of `handle`, so many seconds later."""

    def wait(request: Request, handler: BaseHTTPRequestHandler) -> None:
        time.sleep(seconds)
        handle(request, handler)

    return wait


def authenticated(handle: Handle, user: str, password: str) -> Handle:
    """The answer of `handle` for those who bring this name and password (Basic), else 401."""
    expected = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()

    def check(request: Request, handler: BaseHTTPRequestHandler) -> None:
        if request.headers.get("authorization") == expected:
            handle(request, handler)
        else:
            answer(handler, b"who are you?\n", 401, {"WWW-Authenticate": 'Basic realm="test"'})

    return check


def git_backend(root: Path, prefix: str = "/") -> Handle:
    """The git repositories below `root`, as `git http-backend` serves them, at the paths after `prefix`."""

    def handle(request: Request, handler: BaseHTTPRequestHandler) -> None:
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "REQUEST_METHOD": request.method,
            "PATH_INFO": "/" + request.path.removeprefix(prefix),
            "QUERY_STRING": request.query,
            "CONTENT_TYPE": request.headers.get("content-type", ""),
            "CONTENT_LENGTH": str(len(request.body)),
            "HTTP_CONTENT_ENCODING": request.headers.get("content-encoding", ""),
            "GIT_PROTOCOL": request.headers.get("git-protocol", ""),
            "REMOTE_ADDR": "127.0.0.1",
        }
        done = subprocess.run(
            ["git", "http-backend"],
            input=request.body,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        pairs = (line.partition(": ") for line in head.decode().split("\r\n") if line)
        headers = {name: value for name, _, value in pairs}
        answer(handler, body, int(headers.pop("Status", "200").split()[0]), headers)

    return handle


@contextlib.contextmanager
def git_daemon(root: Path) -> Iterator[str]:
    """The git repositories below `root`, served by `git daemon` on a free port; the address that stands before them."""
    command = ["git", "daemon", "--inetd", "--export-all", f"--base-path={root}"]

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            connection = self.request.fileno()
            subprocess.run(command, stdin=connection, stdout=connection, stderr=subprocess.DEVNULL, check=False)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield f"git://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def make_certificate(folder: Path) -> Certificate:
    """A fresh certificate and its key, written into `folder`."""
    made = Certificate(folder / "certificate.pem", folder / "key.pem")
    names = "subjectAltName=DNS:localhost,IP:127.0.0.1"
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    files = ["-keyout", str(made.key), "-out", str(made.certificate)]
    command = ["openssl", "req", "-x509", *kind, "-subj", "/CN=localhost", "-addext", names, *files]
    subprocess.run(command, check=True, capture_output=True)
    return made
