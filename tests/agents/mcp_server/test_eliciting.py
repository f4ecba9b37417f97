"""Questions to the user of a client, where the SDK is not what it was."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any, cast

import anyio
import anyio.to_thread
import pytest

from skillbag.agents.mcp_server.eliciting import asking, elicited

CAN_ASK = {"check_client_capability": lambda _: True}


@pytest.mark.parametrize(
    "session",
    [SimpleNamespace(**CAN_ASK), SimpleNamespace(**CAN_ASK, _request_outbound=SimpleNamespace(send_raw_request=len))],
)
def test_without_the_sdk_s_channel_nobody_is_asked(session: Any, caplog: pytest.LogCaptureFixture) -> None:
    async def ask() -> str | None:
        with asking(cast(Any, SimpleNamespace(session=session))):
            return await anyio.to_thread.run_sync(elicited, "Deactivate guard?", ["allow", "deny"])

    with caplog.at_level(logging.WARNING):
        assert anyio.run(ask) is None
    assert "no person can be asked" in caplog.text
