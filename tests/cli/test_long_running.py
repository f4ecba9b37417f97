"""Commands that go on for hours collect reference cycles, which a short command leaves to the end of its process."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from tests.support import Run, Tree, skill

SERVERS = {
    "skillbag.cache.watch.watch_checks": ("check", "--watch"),
    "skillbag.agent.hosts.protocol.serve": ("runtime", "host"),
    "skillbag.language_server.server.serve": ("lsp",),
    "skillbag.registry.serving.serve": ("registry", "serve", ".", "--port", "0"),
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
