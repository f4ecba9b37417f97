"""Answers a client's `initialize` while the SDK is being imported, which takes longer than everything before it.

Only what any client sends is answered here, with what the SDK would answer. The SDK is then given the same message and
whatever else was read; its own answer to it is dropped. Everything unusual is left to it.
"""

from __future__ import annotations

import json
import os
import select
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, NamedTuple, TypeVar

from skillbag import __version__
from skillbag.kernel.base.call_input import object_of

NAME, TITLE = "skillbag", "SkillBag"

INSTRUCTIONS = """\
Skills of this workspace and of its user, and the lifecycle of the workspace.
Call `enter` before anything else: it says what the workspace is, what to read and which skills to run first.
Then, for a task that a skill's description fits, call its tool `skill_NAME`, and do as it says; read its files with
`read_skill_file`, run its scripts with `run_skill_script`. Call `refresh` before you rely on what you read long ago.
Find further skills with `skill_marketplace`. A skill's files are also resources, `skill://NAME/PATH`.
Where `skill_activate` is offered, it names skills that bring tools of their own."""

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The versions of the protocol that are agreed on by a handshake."""

_CAPABILITIES = {
    "prompts": {"listChanged": True},
    "resources": {"listChanged": True, "subscribe": False},
    "tools": {"listChanged": True},
}
_CLIENT = frozenset({"roots", "sampling", "elicitation"})
"""The capabilities of a client that are known here; each is an object of switches and objects."""

_LONGEST = 1 << 14
_CHUNK = 1 << 16
_LARGEST_ID = 1 << 53
T = TypeVar("T")


class Greeted(NamedTuple):
    """The `line` that answers the request `id`."""

    id: int | str
    line: bytes


class Greeting(NamedTuple):
    """The descriptors of the protocol, what was read from `source` before the SDK was there, and the answer to its
    first line if the client has it."""

    source: int
    sink: int
    read: bytes = b""
    greeted: Greeted | None = None


class _Import(threading.Thread, Generic[T]):
    """Imports in a thread. At its end, nobody holds the writing end of the pipe `over` any more."""

    def __init__(self, load: Callable[[], T]) -> None:
        super().__init__(daemon=True)
        self._load = load
        self.over, self._open = os.pipe()
        self._found: T | BaseException | None = None

    def run(self) -> None:
        """Import."""
        try:
            self._found = self._load()
        except BaseException as error:
            self._found = error
        finally:
            os.close(self._open)

    def result(self) -> T:
        """What was imported, or what its import raised."""
        self.join()
        os.close(self.over)
        if isinstance(self._found, BaseException):
            raise self._found
        return self._found  # type: ignore[return-value]


def greet(load: Callable[[], T]) -> tuple[T, Greeting]:
    """Call `load`, and answer a client on standard input meanwhile. On Windows the client waits.

    Both descriptors then belong to the protocol: other reads of standard input find its end, other output goes to
    standard error.

    Raises:
        OSError: one of them can't be used.
        Exception: what `load` raised.
    """
    source, sink = _replace_descriptor(0, os.open(os.devnull, os.O_RDONLY)), _replace_descriptor(1, os.dup(2))
    if sys.platform == "win32":
        # There `select` takes sockets only.
        return load(), Greeting(source, sink)
    importing = _Import(load)
    importing.start()
    read = _first_line(source, importing.over)
    greeted = answer_to(read.partition(b"\n")[0]) if b"\n" in read else None
    if greeted is not None:
        # If the client is gone, the server finds out as well.
        with suppress(OSError):
            write_all(sink, greeted.line)
    return importing.result(), Greeting(source, sink, read, greeted)


def _replace_descriptor(descriptor: int, stand_in: int) -> int:
    """Move what is at `descriptor` to a new one, which is returned, and put `stand_in` in its place."""
    own = os.dup(descriptor)
    os.set_blocking(own, True)
    os.dup2(stand_in, descriptor)
    os.close(stand_in)
    return own


def _first_line(source: int, over: int) -> bytes:
    """What comes from `source` until a line is complete, the import is over, or it is too much."""
    read = b""
    while b"\n" not in read and len(read) < _LONGEST:
        ready, _, _ = select.select([source, over], [], [])
        chunk = os.read(source, _CHUNK) if source in ready else b""
        read += chunk
        if not chunk:
            break
    return read


def answer_to(line: bytes) -> Greeted | None:
    """The answer to a plain `initialize`, a line; None for everything else."""
    # Without escapes and numbers with a point, all readers of JSON agree on what a text says.
    if len(line) > _LONGEST or b"\\" in line:
        return None
    try:
        message = json.loads(line.decode(), parse_float=_refuse, parse_constant=_refuse, object_pairs_hook=object_of)
    except (ValueError, RecursionError):
        return None
    if not (_is_request(message) and _is_hello(message["params"])):
        return None
    result = {
        "capabilities": _CAPABILITIES,
        "instructions": INSTRUCTIONS,
        "protocolVersion": message["params"]["protocolVersion"],
        "serverInfo": {"name": NAME, "title": TITLE, "version": __version__},
    }
    answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
    return Greeted(message["id"], json.dumps(answer, separators=(",", ":"), ensure_ascii=False).encode() + b"\n")


def _refuse(number: str) -> Any:
    raise ValueError(number)


def _is_request(message: Any) -> bool:
    if not isinstance(message, dict) or message.keys() != {"jsonrpc", "id", "method", "params"}:
        return False
    number = message["id"]
    is_id = isinstance(number, str) or (type(number) is int and abs(number) < _LARGEST_ID)
    return is_id and message["jsonrpc"] == "2.0" and message["method"] == "initialize"


def _is_hello(params: Any) -> bool:
    if not isinstance(params, dict) or params.keys() != {"protocolVersion", "capabilities", "clientInfo"}:
        return False
    client, can = params["clientInfo"], params["capabilities"]
    return (
        params["protocolVersion"] in VERSIONS
        and isinstance(client, dict)
        and {"name", "version"} <= client.keys() <= {"name", "version", "title", "description", "websiteUrl"}
        and all(isinstance(value, str) for value in client.values())
        and isinstance(can, dict)
        and can.keys() <= _CLIENT
        and all(map(_is_capability, can.values()))
    )


def _is_capability(value: Any) -> bool:
    return isinstance(value, dict) and all(
        each is True or each is False if key == "listChanged" else each == {} for key, each in value.items()
    )


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of it, however often the system takes a part only."""
    while data:
        data = data[os.write(descriptor, data) :]
