"""Workspaces with active skills, and runtimes in them, for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from skillbag.agents.settings.user_settings import settings_path
from skillbag.runtime.activation.request import RuntimeRequest
from skillbag.runtime.sessions.runtime import Runtime
from tests.supply.install.worlds import write

ECHO = """\
def echo(input):
    return input["text"]

register_tool("echo", "Gives the text back.", echo)
"""

LOGS_PHASES = """\
def log(phase):
    def handler(event):
        so_far = read_file("log.txt") if "log.txt" in list_dir(project_root()) else ""
        write_file("log.txt", so_far + phase + "\\n")
    return handler

PHASES = [
    "OnActivate", "OnDeactivate", "OnConversationStart", "OnBeforePromptBuild", "OnBeforeToolCall",
    "OnAfterToolResult", "OnAfterResponse",
]
[register_hook(phase, log(phase)) for phase in PHASES]
"""
"""A skill that writes the phases that fire into `log.txt`; it needs `file:read` and `file:write`."""


RIGHTS = ("hook:observe", "hook:change")


def manifest(name: str, **fields: Any) -> str:
    """A `SKILL.yaml` of a Starlark tool; `fields` are added, as text."""
    lines = [f"name: {name}", "version: 1.0.0", f"description: Does {name}."]
    given = {"types": "[tool]", "implementation": "{backend: starlark, entrypoint: main.star}", **fields}
    return "\n".join(lines + [f"{key}: {value}" for key, value in given.items() if value is not None]) + "\n"


def active(root: Path, name: str, code: str = ECHO, *, own_calls: Any = False, **fields: Any) -> Path:
    """Write an active skill into the workspace, and return its folder. One with hooks on calls declares the rights that
    these need for the calls of others, unless it has `own_calls` alone."""
    folder = root / ".skills" / name
    if not own_calls and ("OnBeforeToolCall" in code or "OnAfterToolResult" in code):
        declared = [fields["permissions"].strip("[]")] if "permissions" in fields else []
        fields["permissions"] = f"[{', '.join((*filter(None, declared), *RIGHTS))}]"
    write(folder, {"SKILL.yaml": manifest(name, **fields), "main.star": code})
    return folder


def approve(*names: str) -> None:
    """The user's settings approve these skills."""
    settings = {"version": 1, "runtime": {"approved_skills": names}}
    write(Path(settings_path()).parent, {"settings.json": json.dumps(settings)})


def request(root: Path, **fields: Any) -> RuntimeRequest:
    """A request in the workspace at `root`, with its state beside it; without `approved`, all skills are approved."""
    (root / ".skills").mkdir(parents=True, exist_ok=True)
    names = frozenset(path.name for path in (root / ".skills").iterdir())
    given = {"approved": names, **fields}
    return RuntimeRequest(str(root.resolve()), None, str(root.parent / "state"), **given)


def opened(root: Path, **fields: Any) -> Runtime:
    """A runtime in the workspace at `root`; see `request`."""
    return Runtime(request(root, **fields))
