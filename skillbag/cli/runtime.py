"""`skillbag runtime`."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

import click

from skillbag.cli.answers import Group

_COMMANDS: Mapping[str, str] = {
    "list": "runtime_queries:list_",
    "info": "runtime_queries:info",
    "why": "runtime_queries:why",
    "trace": "runtime_queries:trace",
    "activate": "runtime_calls:activate",
    "deactivate": "runtime_calls:deactivate",
    "call": "runtime_calls:call",
    "run": "runtime_calls:run",
    "scan": "runtime_scan:scan",
    "wiki": "runtime_wiki:wiki",
    "transform": "runtime_transform:transform",
    "hooks": "runtime_calls:hooks",
    "test": "runtime_testing:test",
    "dev": "runtime_dev:dev",
    "replay": "runtime_replay:replay",
    "permissions": "runtime_permissions:permissions",
    "audit": "runtime_permissions:audit",
    "status": "runtime_queries:status",
    "dirs": "runtime_dirs:dirs",
    "hook": "runtime_hook:hook",
    "host": "runtime_host:host",
}

_EXAMPLES = """\b
Examples:
  skillbag runtime list
  skillbag runtime why kubernetes --message "deploy to kubernetes"
  skillbag runtime activate kubernetes --session s1
  skillbag runtime call kubectl_get '{"resource": "pods"}' --session s1
  skillbag runtime run rfc-writer '{"title": "Retries"}'
  skillbag runtime permissions kubernetes --revoke
  skillbag runtime audit --skill kubernetes

\b
Active skills are folders with a SKILL.yaml: in .skills/ of the workspace, among your personal skills, and where the
settings say. With SKILLBAG_RUNTIME=off none is active. Each command is a turn: limits are counted anew.
Exit codes: 0 done, 1 the skill or its tool failed, 2 bad usage, 3 the user must be asked something first,
4 the environment failed.
"""


class _Lazy(Group):
    """Its commands are imported when they are called: the hook of an agent runs before each call of a tool."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which they are used."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command."""
        if cmd_name not in _COMMANDS:
            return None
        module, _, attribute = _COMMANDS[cmd_name].partition(":")
        found: click.Command = getattr(importlib.import_module(f"skillbag.cli.{module}"), attribute)
        return found


@click.group("runtime", cls=_Lazy, epilog=_EXAMPLES)
def command() -> None:
    """Activate skills, call their tools, run their workflows, and decide what they may do."""
