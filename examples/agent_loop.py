"""A loop around any model, with the active skills of a workspace: their tools are the model's, and their hooks fire."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from skillbag import Runtime, ToolOutput, open_runtime

Model = Callable[[str, list[dict[str, Any]], list[dict[str, Any]]], dict[str, Any]]
"""Takes the system prompt, the messages and the tools; gives {"text": …}, or {"tool": NAME, "input": {…}}."""

Own = Mapping[str, Callable[[Any], str]]
"""The tools of the loop itself, by name."""


def converse(runtime: Runtime, model: Model, message: str, own: Own, base: str = "You help a developer.") -> str:
    """The answer to one message of the user."""
    turn = runtime.begin(message)
    for skill, reason in turn.failed.items():
        print(f"{skill} is not active: {reason}", file=sys.stderr)
    for question in turn.questions:
        print(f"{question.skill} needs: {', '.join(question.permissions)}", file=sys.stderr)
    messages: list[dict[str, Any]] = [{"role": "user", "content": message}]
    while True:
        specs = [each.spec for each in runtime.tools()]
        tools: list[dict[str, Any]] = [{"name": name} for name in own]
        tools += [{"name": each.name, "description": each.description, "schema": each.input_schema} for each in specs]
        reply = model(runtime.build_prompt(base).text, messages, tools)
        if "tool" not in reply:
            return runtime.respond(reply["text"]).text
        output = call(runtime, own, reply["tool"], reply["input"])
        messages += [{"role": "assistant", **reply}, {"role": "tool", "content": output.content}]


def call(runtime: Runtime, own: Own, name: str, value: Any) -> ToolOutput:
    """Call a tool: one of the loop, with the hooks around it, or one of an active skill, which has them already."""
    if name not in own:
        return runtime.call_tool(name, value).output
    decision = runtime.before_tool(name, value)
    if decision.cancelled:
        return ToolOutput(decision.refusal, is_error=True)
    return runtime.after_tool(name, decision.value, ToolOutput(own[name](decision.value))).output


def parrot(prompt: str, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Stands for a model: put the call of yours here."""
    return {"text": f"{messages[-1]['content']} ({len(tools)} tools)"}


if __name__ == "__main__":
    with open_runtime(".", session="loop") as opened:
        for line in sys.stdin:
            print(converse(opened, parrot, line.strip(), {}))
