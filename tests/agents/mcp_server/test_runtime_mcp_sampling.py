"""Skills ask the model of an MCP client (sampling), unless the user's settings have a command for it."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.context import ClientRequestContext
from mcp_types import CreateMessageRequestParams, CreateMessageResult, ErrorData, ImageContent, TextContent

from skillbag.agents.mcp_server import asking
from tests.agents.mcp_server.mcp_worlds import with_client
from tests.runtime.worlds_active import active
from tests.supply.install.worlds import write

CODE = """\
register_tool("ask_model", "Asks.", lambda input: llm_complete(input["text"]))
register_tool("ask_json", "Asks.", lambda input: str(llm_json("Two?", {"type": "integer"}) + 1))
"""
Sampling = Callable[[ClientRequestContext, CreateMessageRequestParams], Awaitable[CreateMessageResult | ErrorData]]


@pytest.fixture
def asker(workspace: Path, tmp_path: Path) -> Path:
    """The workspace with a skill that asks a model; the user's settings approve it."""
    active(workspace, "asker", CODE, triggers="{modes: [mcp]}", permissions="[llm:call]")
    settle(tmp_path)
    return workspace


def settle(folder: Path, **more: Any) -> None:
    runtime = {"approved_skills": ["asker"], "max_llm_calls_per_turn": 3, **more}
    write(folder / "config", {"settings.json": json.dumps({"version": 1, "runtime": runtime})})


def saying(content: Any) -> Sampling:
    async def sample(context: ClientRequestContext, params: CreateMessageRequestParams) -> CreateMessageResult:
        return CreateMessageResult(role="assistant", model="test", content=content)

    return sample


def called(folder: Path, name: str = "ask_model", transport: str = "stdio", **more: Any) -> tuple[bool, str]:
    """Whether a call of a tool failed, and its text."""
    results = []

    async def use(client: Client) -> None:
        result = await client.call_tool(name, {"text": "Hello?"} if name == "ask_model" else {})
        results.append((bool(result.is_error), result.content[0].text))  # type: ignore[union-attr]

    with_client(folder, transport, "legacy", use, **more)
    return results[0]


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_client_s_model_completes_prompts_within_the_limit(asker: Path, tmp_path: Path, transport: str) -> None:
    prompts: list[str] = []
    said: list[tuple[bool, str]] = []

    async def sample(context: ClientRequestContext, params: CreateMessageRequestParams) -> CreateMessageResult:
        requested = params.messages[0].content
        assert isinstance(requested, TextContent)
        prompts.append(requested.text)
        answer = TextContent(text="2" if "JSON Schema" in requested.text else requested.text.upper())
        return CreateMessageResult(role="assistant", model="test", content=answer)

    async def use(client: Client) -> None:
        for name in ("ask_model", "ask_json", "ask_model", "ask_model"):
            result = await client.call_tool(name, {"text": "Hello?"})
            said.append((bool(result.is_error), result.content[0].text))  # type: ignore[union-attr]

    with_client(tmp_path, transport, "legacy", use, sampling_callback=sample)
    assert said[:3] == [(False, "HELLO?"), (False, "3"), (False, "HELLO?")]
    assert said[3][0]
    assert 'rate limit exceeded for "llm:call": 4/3 per turn' in said[3][1]
    assert len(prompts) == 3


@pytest.mark.nightly
def test_a_client_that_refuses_is_one_sentence(asker: Path, tmp_path: Path) -> None:
    async def refuse(context: ClientRequestContext, params: CreateMessageRequestParams) -> ErrorData:
        return ErrorData(code=-1, message="User rejected\x1b[2J")

    failed, said = called(tmp_path, sampling_callback=refuse)
    assert failed
    assert said.startswith("llm_complete: the MCP client did not complete the prompt: User rejected\\x1b")


@pytest.mark.nightly
def test_an_image_is_no_completion(asker: Path, tmp_path: Path) -> None:
    image = ImageContent(data="AA==", mime_type="image/png")
    failed, said = called(tmp_path, sampling_callback=saying(image))
    assert failed
    assert "completed the prompt with image, which is no text" in said


@pytest.mark.nightly
def test_a_client_without_sampling_is_told(asker: Path, tmp_path: Path) -> None:
    failed, said = called(tmp_path)
    assert failed
    assert "no LLM completer configured: set `llm.command`, or use an MCP client with sampling" in said


def test_a_client_that_never_answers_is_given_up(asker: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def wait(context: ClientRequestContext, params: CreateMessageRequestParams) -> CreateMessageResult:
        await anyio.sleep_forever()
        raise AssertionError

    monkeypatch.setattr(asking, "COMPLETION_SECONDS", 0.2)
    failed, said = called(tmp_path, transport="http", sampling_callback=wait)
    assert failed
    assert "the MCP client did not complete the prompt within 0.2 s" in said


def test_the_command_of_the_settings_comes_before_the_client(asker: Path, tmp_path: Path) -> None:
    settle(tmp_path, llm={"command": [sys.executable, "-c", "print('of the command')"]})
    assert called(tmp_path, sampling_callback=saying(TextContent(text="of the client"))) == (False, "of the command")


def test_without_the_permission_the_client_is_not_asked(asker: Path, tmp_path: Path) -> None:
    active(asker, "asker", CODE, triggers="{modes: [mcp]}")
    failed, said = called(tmp_path, sampling_callback=saying(TextContent(text="x")))
    assert failed
    assert 'permission "llm:call" not declared in skill "asker" manifest' in said
