"""Our plugin, called as a host calls it; and plugins that a test writes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from skillbag.kernel.documents.catalog import render
from tests.agents.plugins.plain_host import ENVIRONMENT, INPUT, PlainHost, Printed
from tests.supply.install.worlds import skill_text

ALLOWED = "Read, Grep, Bash(git:*)"
BLOCKED = "Tool 'Write' is not allowed while skill 'aa' is active. Allowed tools: Read, Grep, Bash(git:*)"

Hosting = Callable[..., PlainHost]
Plugged = Callable[..., Printed]
Put = Callable[..., Path]


class InnerHost(PlainHost):
    """A host whose plugin runs within this process."""

    def __init__(self, plugged: Plugged, form: str = ENVIRONMENT, **more: str) -> None:
        self.plugged, self.form, self.more = plugged, form, more
        self.names = frozenset()

    def run(
        self, named: Mapping[str, str], text: str = "", arguments: tuple[str, ...] = (), seconds: float = 30
    ) -> Printed:
        return self.plugged(text.encode(), arguments, **self.more, **named)


def restricted(name: str, allowed: str = ALLOWED) -> str:
    return skill_text(name).replace("\ndescription:", f"\nallowed-tools: {allowed}\ndescription:")


def catalog(*names: str) -> str:
    return render((name, f"Does {name}. Use when {name}.") for name in names)


def called(plugged: Plugged, tool: str, arguments: object = None, **named: Any) -> Printed:
    """A call within this process."""
    return plugged(json.dumps(arguments or {}).encode(), CHIBI_TOOL_NAME=tool, **named)


def tools(plugged: Plugged, **named: Any) -> list[str]:
    """The names of the tools within this process."""
    return [entry["name"] for entry in plugged(words=("--schema",), **named).value]


def pre_tool(plugged: Plugged, data: object, form: str = ENVIRONMENT) -> Any:
    text = json.dumps(data)
    if form == INPUT:
        return plugged(text.encode(), CHIBI_HOOK="pre_tool").value
    return plugged(CHIBI_HOOK="pre_tool", CHIBI_HOOK_DATA=text).value


def answered(value: object) -> str:
    """Shell that prints a JSON value."""
    return f"cat <<'END'\n{json.dumps(value)}\nEND"
