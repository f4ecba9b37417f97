"""A skill whose files are exchanged for others that nobody approved, while it is started."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from skillbag.kernel.base.errors import UserError
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.tracing import TraceEvent
from tests.runtime.worlds_active import active, request
from tests.supply.install.worlds import write

GOOD = 'register_tool("say", "Says.", lambda input: "good")\n'
EVIL = GOOD.replace("good", "evil")


def unapproving(root: Path, **fields: Any) -> Runtime:
    """A runtime in the workspace that approves nothing by name."""
    return Runtime(request(root, **{"approved": frozenset(), **fields}))


def approved(root: Path, code: str = GOOD, files: dict[str, str] | None = None, **fields: Any) -> Path:
    """A skill "a" with a permission, which was approved for ever as it is; gives its folder."""
    folder = active(root, "a", code, **{"permissions": '["file:read"]', **fields})
    write(folder, files or {})
    with unapproving(root) as runtime:
        runtime.approvals.grant(runtime.grantee("a"), ApprovalScope.ALWAYS)
    return folder


def exchange(path: Path, text: str) -> None:
    """Put another file in the place of one, at once, with the same mode."""
    # Not in the skill's folder, where it would count as well.
    new = path.parents[2] / "new"
    new.write_text(text)
    new.chmod(path.stat().st_mode)
    os.replace(new, path)


def at(event: str, act: Callable[[], object]) -> Callable[[TraceEvent], None]:
    """A trace that does something at each event of a kind."""

    def trace(reported: TraceEvent) -> None:
        if reported["event"] == event:
            act()

    return trace


@contextmanager
def exchanging(path: Path, seed: int) -> Iterator[None]:
    """Exchange the approved file and the other one all the time; the approved one is there in the end."""
    over, generated = threading.Event(), random.Random(seed)

    def work() -> None:
        while not over.wait(generated.random() / 2000):
            exchange(path, generated.choice((GOOD, EVIL)))

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        exchange(path, GOOD)


def said(root: Path, **fields: Any) -> str:
    """What the tool says; what went wrong, if the skill is not started."""
    with unapproving(root, **fields) as runtime:
        try:
            runtime.activate("a")
        except UserError as error:
            return str(error)
        return runtime.call_tool("say", {}).output.content
