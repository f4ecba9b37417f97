"""`skillbag runtime`."""

from __future__ import annotations

import click

from skillbag.doors.cli.groups import LazyGroup, Sections

_SECTIONS: Sections = {
    "Find": {
        "list": ("runtime_queries:list_", "List the skills that are found."),
        "info": ("runtime_queries:info", "Show all about a skill."),
        "why": ("runtime_queries:why", "Show the score of a skill."),
        "trace": ("runtime_queries:trace", "Show what a message would activate."),
        "dirs": ("runtime_dirs:dirs", "Add, remove and list folders in which active skills are searched."),
    },
    "Use": {
        "activate": ("runtime_calls:activate", "Activate a skill."),
        "deactivate": ("runtime_calls:deactivate", "Deactivate a skill in a session."),
        "call": ("runtime_calls:call", "Call the tool of a skill."),
        "run": ("runtime_calls:run", "Run a workflow of a skill."),
        "scan": ("runtime_scan:scan", "Search the workspace by the rules of skills."),
        "wiki": ("runtime_wiki:wiki", "Write the documentation that skills generate."),
        "transform": ("runtime_transform:transform", "Print an answer as skills change it."),
        "hooks": ("runtime_calls:hooks", "List the hooks of active skills."),
    },
    "Write": {
        "test": ("runtime_testing:test", "Run the test cases of skills."),
        "dev": ("runtime_dev:dev", "Check, load and test the skill in a folder, again at each change."),
        "replay": ("runtime_testing:replay", "Run what a trace holds again, up to the first difference."),
    },
    "Permit": {
        "permissions": ("runtime_permissions:permissions", "Show or decide what a skill may do."),
        "audit": ("runtime_permissions:audit", "Show the log of permissions."),
        "status": ("runtime_queries:status", "Show the state of the runtime."),
    },
    "For agents": {
        "hook": ("runtime_hook:hook", "Answer an event of an agent."),
        "host": ("runtime_host:host", "Serve active skills to an agent, by lines of JSON."),
    },
}

_EXAMPLES = """\b
Example:
  skillbag runtime call kubectl_get '{"resource": "pods"}' --session s1
"""


@click.group("runtime", cls=LazyGroup, sections=_SECTIONS, epilog=_EXAMPLES)
def command() -> None:
    """Activate skills with code (a SKILL.yaml), call their tools, permit."""
