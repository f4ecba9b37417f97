"""The part of GitHub's REST API that a review needs: few requests, each with limits of time and size."""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx2

from skillbag.doors.action.event import PullRequest
from skillbag.kernel.base.json_records import ABSENT, Absent, to_json

SECONDS = 20.0
"""Limit of one request, and of one wait, in seconds."""

_LARGEST = 30 << 20
_PAGE = 100
_MAX_PAGES = 30
"""GitHub lists no more than 3,000 files of a pull request."""
_ATTEMPTS = 4
_BUSY = frozenset({429, 500, 502, 503, 504})
_HUNK = re.compile(r"@@ -\d{1,9}(?:,\d{1,9})? \+(\d{1,9})(?:,(\d{1,9}))? @@", re.ASCII)
_LOCAL = ("127.0.0.1", "::1", "localhost")


class ApiError(Exception):
    """A request that failed for good; `status` is 0 without an answer."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class UncertainError(ApiError):
    """A request without a clear answer: it may have had its effect. `wait` is how long to wait before another one."""

    def __init__(self, message: str, status: int, wait: float) -> None:
        super().__init__(message, status)
        self.wait = wait


def wait(seconds: float) -> None:
    """Wait before another request."""
    time.sleep(seconds)


class ChangedFile(NamedTuple):
    """A file of a pull request: its path in the repository, the object of its content, and the spans of its hunks.

    A span is the first and the last line, 1-based.
    """

    path: str
    blob: str
    hunks: tuple[tuple[int, int], ...]

    def holds(self, first: int, last: int) -> bool:
        """Whether these lines are in one hunk."""
        return any(start <= first <= last <= end for start, end in self.hunks)


class PostedComment(NamedTuple):
    """A comment on the lines of a file up to `line`."""

    path: str
    line: int
    body: str
    side: str = "RIGHT"
    start_line: int | Absent = ABSENT
    start_side: str | Absent = ABSENT


class Api:
    """One pull request, as the token may see it; a context manager."""

    def __init__(self, address: str, token: str, pull: PullRequest) -> None:
        parts = urlsplit(address)
        if parts.scheme != "https" and parts.hostname not in _LOCAL:
            raise ApiError(f"{parts.scheme or 'no scheme'}: the API is only asked over https, for the token's sake")
        self._pull = pull
        self._client = httpx2.Client(
            base_url=address.rstrip("/"),
            timeout=httpx2.Timeout(SECONDS),
            headers={
                "Authorization": f"Bearer {token}",
                "Accept": "application/vnd.github+json",
                "X-GitHub-Api-Version": "2022-11-28",
                "User-Agent": "skillbag-action",
            },
        )
        self._path = f"/repos/{pull.repository}/pulls/{pull.number}"

    def __enter__(self) -> Api:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def files(self) -> dict[str, ChangedFile]:
        """The files of the pull request that have a diff of lines, by path."""
        found = {}
        for each in self._pages(f"{self._path}/files"):
            with contextlib.suppress(LookupError, TypeError):
                found[each["filename"]] = ChangedFile(each["filename"], each["sha"], hunks_of(each["patch"]))
        return found

    def comments(self) -> Iterator[str]:
        """The texts of the comments that this token, or another bot, made on lines of the pull request."""
        own = self._login()
        for each in self._pages(f"{self._path}/comments"):
            with contextlib.suppress(LookupError, TypeError):
                user = each["user"]
                # Anybody may write our mark; only a program's word counts.
                if user["type"] == "Bot" or (own and user["login"] == own):
                    yield str(each["body"])

    def review(self, body: str, comments: list[PostedComment]) -> None:
        """Write a review with comments, all at once."""
        values = {"commit_id": self._pull.head, "event": "COMMENT", "body": body, "comments": to_json(comments)}
        self._response("POST", f"{self._path}/reviews", values)

    def comment(self, comment: PostedComment) -> None:
        """Write one comment."""
        self._response("POST", f"{self._path}/comments", {"commit_id": self._pull.head, **to_json(comment)})

    def _login(self) -> str:
        """The name of the token's user; the token of a job has none."""
        try:
            found = self._patiently("/user")
            return str(found["login"]) if isinstance(found, dict) else ""
        except (ApiError, LookupError):
            return ""

    def _pages(self, path: str) -> Iterator[Any]:
        for page in range(1, _MAX_PAGES + 1):
            rows = self._patiently(f"{path}?per_page={_PAGE}&page={page}")
            if not isinstance(rows, list):
                raise ApiError("the answer is no list")
            yield from rows
            if len(rows) < _PAGE:
                return

    def _patiently(self, path: str) -> Any:
        """The answer to a question, asked again while the server is busy."""
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return self._response("GET", path)
            except UncertainError as error:
                if attempt == _ATTEMPTS:
                    raise
                wait(max(error.wait, 2.0 ** (attempt - 1)))
        raise AssertionError

    def _response(self, method: str, path: str, values: object = None) -> Any:
        try:
            with self._client.stream(method, path, json=values) as answer:
                data = _limited(answer)
                status, headers = answer.status_code, answer.headers
        except httpx2.HTTPError as error:
            raise UncertainError(type(error).__name__, 0, 1.0) from None
        if status in _BUSY or (status == 403 and _is_limited(headers)):
            raise UncertainError(f"status {status}", status, _wait(headers))
        if status >= 300:
            raise ApiError(f"status {status}", status)
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise ApiError("the answer is no JSON", status) from error


def _limited(answer: httpx2.Response) -> bytes:
    data = bytearray()
    end = time.monotonic() + SECONDS
    for piece in answer.iter_bytes():
        data += piece
        if len(data) > _LARGEST or time.monotonic() > end:
            raise ApiError("the answer is too long, or takes too long")
    return bytes(data)


def _is_limited(headers: Mapping[str, str]) -> bool:
    return "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0"


def _wait(headers: Mapping[str, str]) -> float:
    """What the server asks to wait, within our limit; without a wish a second."""
    wish = headers.get("retry-after", "")
    return min(float(wish), SECONDS) if wish.isascii() and wish.isdecimal() else 1.0


def hunks_of(patch: str) -> tuple[tuple[int, int], ...]:
    """The spans of the hunks of a patch of one file; hunks that only delete have none."""
    found = []
    for line in patch.split("\n"):
        # A line of the file has ` `, `+` or `-` before it.
        if match := _HUNK.match(line):
            start, count = int(match[1]), int(match[2] or 1)
            if count:
                found.append((start, start + count - 1))
    return tuple(found)
