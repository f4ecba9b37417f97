"""Skills as the broker knows them, and what decides about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from skillbag.kernel.manifest.names import Permission
from skillbag.runtime.broker.approvals import Approvals, ByName
from skillbag.runtime.broker.audit import Audit
from skillbag.runtime.broker.broker import Broker
from skillbag.runtime.broker.limits import DEFAULTS, OperationCounter, PerTurn
from skillbag.runtime.broker.store import RuntimeStore
from skillbag.runtime.skill import Grantee, SkillSource

SHELL, READ = Permission.SHELL_EXEC, Permission.FILE_READ


def grantee(
    name: str = "kubernetes",
    declared: Iterable[Permission] = (SHELL, READ),
    *,
    content: str = "sha256:1",
    source: SkillSource = SkillSource.USER,
) -> Grantee:
    """A skill of this name, content and source."""
    return Grantee(name, f"{source}:/home/me", content, source, frozenset(declared))


_OPENED: list[RuntimeStore] = []


def store(folder: Path, remark: Callable[[str], object] = print, wait: float = 5.0) -> RuntimeStore:
    """The database in this folder, until `close_stores`."""
    opened = RuntimeStore(str(folder), remark, wait=wait)
    _OPENED.append(opened)
    return opened


def close_stores() -> None:
    """Close what `store` opened: a process may have a limited number of files open, and some calls fewer."""
    while _OPENED:
        _OPENED.pop().close()


def approvals(folder: Path, by_name: ByName = ByName()) -> Approvals:  # noqa: B008 - frozen
    """What is approved in this folder, as a program that starts now knows it."""
    return Approvals(store(folder), by_name)


def broker(
    folder: Path,
    *,
    per_turn: PerTurn = DEFAULTS,
    by_name: ByName = ByName(),  # noqa: B008 - frozen
    session: str | None = "s1",
) -> Broker:
    """The broker of a program that starts now."""
    opened = store(folder)
    return Broker(Approvals(opened, by_name), OperationCounter(per_turn), Audit(opened, session), session)
