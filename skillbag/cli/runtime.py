"""`skillbag runtime`."""

from __future__ import annotations

import click

from skillbag.cli.answers import Group
from skillbag.cli.runtime_calls import activate, call, deactivate, hooks, run
from skillbag.cli.runtime_permissions import audit, permissions
from skillbag.cli.runtime_queries import info, list_, status, trace, why

_EXAMPLES = """\b
Examples:
  skillbag runtime list
  skillbag runtime why kubernetes --message "deploy to kubernetes"
  skillbag runtime activate kubernetes --session s1
  skillbag runtime call kubectl_get '{"kind": "pods"}' --session s1
  skillbag runtime run rfc-writer '{"title": "Retries"}'
  skillbag runtime permissions kubernetes --revoke
  skillbag runtime audit --skill kubernetes

\b
Active skills are folders with a SKILL.yaml: in .skills/ of the workspace, among your personal skills, and where the
settings say. With SKILLBAG_RUNTIME=off none is active. Each command is a turn: limits are counted anew.
Exit codes: 0 done, 1 the skill or its tool failed, 2 bad usage, 3 the user must be asked something first,
4 the environment failed.
"""


@click.group("runtime", cls=Group, epilog=_EXAMPLES)
def command() -> None:
    """Activate skills, call their tools, run their workflows, and decide what they may do."""


for _each in (list_, info, why, trace, activate, deactivate, call, run, hooks, permissions, audit, status):
    command.add_command(_each)
