"""Commands that go on for hours collect reference cycles, which a short command leaves to the end of its process."""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator

import pytest

from skillbag.doors.cli import watching
from tests.support import Run, Tree, skill

SERVERS = {
    "skillbag.lint.cache.watch.watch_checks": ("check", "--watch"),
    "skillbag.agents.hosts.protocol.serve": ("runtime", "host"),
    "skillbag.doors.language_server.server.serve": ("agent", "lsp"),
    "skillbag.supply.registry.serving.serve": ("team", "registry", "serve", ".", "--port", "0"),
}
"""The function in which a command stays."""


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    yield
    gc.enable()


@pytest.mark.parametrize("server", SERVERS)
def test_a_command_that_goes_on_collects(server: str, tree: Tree, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    collected = []

    def serve(*_: object, **__: object) -> int:
        collected.append(gc.isenabled())
        raise KeyboardInterrupt

    monkeypatch.setattr(server, serve)
    run(*SERVERS[server], cwd=tree({"skills/a/SKILL.md": skill("a")}))
    assert collected == [True]


def test_a_signal_that_comes_while_the_reader_is_looked_for_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    try:
        ended = watching.EndSignal()
        monkeypatch.setattr(watching, "_is_unread", lambda: signal.raise_signal(signal.SIGTERM))
        assert ended.is_set()
    finally:
        signal.signal(signal.SIGINT, before[0])
        signal.signal(signal.SIGTERM, before[1])
