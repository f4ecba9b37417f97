"""A small MCP server with one tool, `look`: over standard input and output as a program, else over HTTP."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def answer(request: Mapping[str, Any], text: str) -> dict[str, Any]:
    """The response to a request; the tool gives the text."""
    version = request.get("params", {}).get("protocolVersion", "2025-06-18")
    server = {"serverInfo": {"name": "small", "version": "1"}, "capabilities": {"tools": {}}}
    results: dict[str, Any] = {
        "initialize": {"protocolVersion": version, **server},
        "tools/list": {"tools": [{"name": "look", "inputSchema": {"type": "object"}}]},
        "tools/call": {"content": [{"type": "text", "text": text}]},
    }
    response = {"jsonrpc": "2.0", "id": request["id"]}
    if request["method"] not in results:
        return {**response, "error": {"code": -32601, "message": "no such method"}}
    return {**response, "result": results[request["method"]]}


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps(answer(request, self.path)).encode() if "id" in request else b""
        self.send_response(200 if body else 202)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self.send_error(405)

    def do_DELETE(self) -> None:
        self.send_error(405)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def over_http() -> Iterator[str]:
    """The address of a server whose tool gives the path that it was asked at."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


if __name__ == "__main__":
    for line in sys.stdin:
        requested = json.loads(line)
        if "id" in requested:
            # The tool gives the arguments and a variable of the program.
            print(json.dumps(answer(requested, f"{sys.argv[1:]} {os.environ.get('LAMP', '-')}")), flush=True)  # noqa: T201
