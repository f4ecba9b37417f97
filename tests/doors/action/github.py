"""A server that plays GitHub's API for one pull request, and records what it is asked."""

from __future__ import annotations

import contextlib
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.supply.sources.repositories import git

TOKEN = "the-token-of-the-job"
BOT = {"type": "Bot", "login": "github-actions[bot]"}


@dataclass
class Answer:
    """An answer in place of the usual one; `done` says whether the request has its effect all the same."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b"{}"
    done: bool = False


@dataclass
class Pull:
    """The pull request as the server knows it: its files and comments, and the requests so far.

    `planned` answers come first for a method and a path's end, in order.
    """

    files: list[dict[str, Any]]
    address: str = ""
    comments: list[dict[str, Any]] = field(default_factory=list)
    reviews: list[dict[str, Any]] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    planned: dict[tuple[str, str], list[Answer]] = field(default_factory=dict)

    def answer(self, method: str, path: str, query: str, values: Any) -> Answer:
        self.requests.append(f"{method} {path}")
        end = path.rpartition("/")[2]
        planned = self.planned.get((method, end), [])
        answer = planned.pop(0) if planned else None
        if answer and not answer.done:
            return answer
        usual = self._usual(method, end, query, values)
        return answer or usual

    def _usual(self, method: str, end: str, query: str, values: Any) -> Answer:
        if (method, end) == ("POST", "reviews"):
            self.reviews.append(values)
            self.comments += [{**comment, "user": BOT} for comment in values["comments"]]
            return Answer(200)
        if (method, end) == ("POST", "comments"):
            self.comments.append({**values, "user": BOT})
            return Answer(201)
        rows = {"files": self.files, "comments": self.comments}.get(end)
        if method != "GET" or rows is None:
            return Answer(403)
        page = int(re.findall(r"\bpage=(\d+)", query)[0])
        return Answer(200, body=json.dumps(rows[(page - 1) * 100 : page * 100]).encode())


@contextlib.contextmanager
def serving(pull: Pull) -> Iterator[Pull]:
    """Serve the pull request on the loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            values = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"null")
            pull.tokens.add(self.headers["Authorization"])
            answer = pull.answer(self.command, path, query, values)
            self.send_response(answer.status)
            for name, value in {**answer.headers, "Content-Length": str(len(answer.body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)

        do_POST = do_GET  # noqa: N815 -- the name that the server calls

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    pull.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield pull
    finally:
        server.shutdown()
        server.server_close()


def files_between(root: Path, base: str, head: str) -> list[dict[str, Any]]:
    """The files of a pull request as the API lists them."""
    names = git(root, "diff", "--name-only", "-z", "--no-renames", base, head).split("\0")[:-1]
    return [_file(root, name, base, head) for name in names]


def _file(root: Path, name: str, base: str, head: str) -> dict[str, Any]:
    patch = git(root, "diff", "--no-renames", base, head, "--", f":(literal){name}")
    listed = git(root, "ls-tree", head, "--", name) or git(root, "ls-tree", base, "--", name)
    blob = listed.split()[2]
    return {"filename": name, "sha": blob, "status": "modified", "patch": patch[patch.find("@@ -") :].rstrip("\n")}


def event_of(root: Path, base: str, head: str) -> dict[str, Any]:
    """The event of the pull request."""
    base, head = (git(root, "rev-parse", name).strip() for name in (base, head))
    return {"pull_request": {"number": 5, "base": {"sha": base}, "head": {"sha": head, "repo": {"fork": False}}}}
