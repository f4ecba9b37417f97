"""What active skills and guards ask the user of an MCP client, in both of the protocol's ways."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.client.context import ClientRequestContext
from mcp_types import ElicitRequestParams, ElicitResult, InputRequiredResult

from tests.agents.mcp_server.mcp_worlds import Pipe, environment, with_client
from tests.agents.mcp_server.test_runtime_mcp import skills as skills
from tests.agents.mcp_server.test_runtime_mcp import text


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_client_that_can_ask_is_asked(skills: Path, tmp_path: Path, transport: str, mode: str) -> None:
    questions: list[str] = []

    async def answer(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        questions.append(params.message)
        choices = params.requested_schema["properties"]["answer"]["enum"]  # type: ignore[union-attr]
        return ElicitResult(action="accept", content={"answer": choices[1] if "session" in choices else choices[0]})

    async def use(client: Client) -> None:
        assert not (await client.call_tool("skill_activate", {"skill": "reader"})).is_error
        assert (await client.call_tool("echo", {"text": "x"})).structured_content == {"result": "x"}
        assert (await client.call_tool("drop", {"why": "old"})).structured_content == {"result": "dropped"}
        with pytest.raises(MCPError, match="input"):
            await client.call_tool("shout", {})

    with_client(tmp_path, transport, mode, use, elicitation_callback=answer)
    assert questions[0].startswith('Skill "reader" wants to activate.\nRequired permissions:\n  file:read')
    assert questions[1:] == ['The tool "drop" of the skill "loud" asks before each call. Input: {"why": "old"}']


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("answer", ["allow", "deny", None])
def test_a_guard_is_deactivated_by_the_user_s_answer_alone(
    skills: Path, tmp_path: Path, answer: str | None, mode: str
) -> None:
    questions: list[str] = []

    async def answered(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        questions.append(params.message)
        return ElicitResult(action="accept", content={"answer": answer}) if answer else ElicitResult(action="decline")

    async def use(client: Client) -> None:
        await client.call_tool("skill_activate", {"skill": "guard"})
        done = await client.call_tool("skill_deactivate", {"skill": "guard"})
        refused = await client.call_tool("shout", {"text": "secret"})
        assert (done.is_error, refused.is_error) == (answer != "allow", answer != "allow")

    with_client(tmp_path, "stdio", mode, use, elicitation_callback=answered)
    assert [each.partition(". Input")[0] for each in questions] == [
        "An agent asks for deactivating guard, which guards calls"
    ]


def test_an_answer_counts_once_and_for_the_call_that_was_asked(skills: Path, tmp_path: Path) -> None:
    async def never(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        return ElicitResult(action="decline")

    async def call(client: Client, name: str, state: str | None, **arguments: str) -> Any:
        answer = ElicitResult(action="accept", content={"answer": "allow"})
        responses: Any = {state: answer, "x": answer} if state else None
        return await client.session.call_tool(
            name, arguments, input_responses=responses, request_state=state, allow_input_required=True
        )

    async def use(client: Client) -> None:
        await client.call_tool("skill_activate", {"skill": "guard"})
        # Nobody was asked that.
        requested = await call(client, "skill_deactivate", "x", skill="guard")
        assert isinstance(requested, InputRequiredResult)
        other = await call(client, "drop", requested.request_state)
        assert isinstance(other, InputRequiredResult)
        again = await call(client, "skill_deactivate", requested.request_state, skill="guard")
        assert isinstance(again, InputRequiredResult)
        assert not (await call(client, "skill_deactivate", again.request_state, skill="guard")).is_error
        await client.call_tool("skill_activate", {"skill": "guard"})
        assert isinstance(
            await call(client, "skill_deactivate", again.request_state, skill="guard"), InputRequiredResult
        )

    with_client(tmp_path, "stdio", "auto", use, elicitation_callback=never)


def test_a_client_that_can_t_ask_deactivates_no_guard(skills: Path, server: Pipe) -> None:
    server.tool("skill_activate", {"skill": "guard"})
    refused = server.tool("skill_deactivate", {"skill": "guard"})
    assert (refused["isError"], "for a person to decide" in text(refused)) == (True, True)
    assert "no secrets" in text(server.tool("shout", {"text": "secret"}))


@pytest.mark.slow  # the server waits for an answer after its input has ended
def test_nobody_answers_a_question_in_advance(skills: Path, tmp_path: Path) -> None:
    """All lines of a client that an agent has written before it knows a question."""
    client = {
        "protocolVersion": "2025-06-18",
        "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "a", "version": "1"},
    }
    call = {"name": "skill_activate", "arguments": {"skill": "reader"}}
    answer = {"action": "accept", "content": {"answer": "always"}}
    lines: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": call},
        *({"id": number, "result": answer} for number in range(9)),
    ]
    command = [sys.executable, "-m", "skillbag", "agent", "mcp"]
    given = "".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in lines)
    done = subprocess.run(
        command, cwd=skills, env=environment(tmp_path), input=given, capture_output=True, text=True, timeout=120
    )
    requested = [json.loads(line) for line in done.stdout.splitlines() if "elicitation/create" in line]
    # An answer that came later would need an id that nobody knew.
    assert [len(str(each["id"])) > 16 for each in requested] == [True]
    assert "Active now" not in done.stdout
