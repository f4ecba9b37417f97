"""A workspace with skills, and a server over pipes in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.mcp_server.mcp_worlds import Pipe, make_world, pipe


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return make_world(tmp_path)


@pytest.fixture
def server(workspace: Path, tmp_path: Path) -> Iterator[Pipe]:
    """After the handshake; it must print no traceback."""
    with pipe(tmp_path) as running:
        running.shake_hands()
        yield running
    assert b"Traceback" not in running.errors
