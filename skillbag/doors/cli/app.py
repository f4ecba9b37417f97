"""The commands, as click knows them: each is imported when it is called."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

import click

from skillbag import STANDARD_VERSION, __version__
from skillbag.doors.cli.groups import LazyGroup, Sections
from skillbag.doors.cli.usage_errors import report

_EPILOG = """\b
Examples:
  skillbag check                     the workspace around this folder
  skillbag check --fix               apply the safe fixes
  skillbag init                      make this folder a workspace
  skillbag explain catalog-unsorted  explain a rule
  skillbag add lint-docs --source https://example.com/Org/skills.git
  skillbag install --frozen          install what skillbag.lock records
  skillbag enter                     start a session: what to read and run first

Exit codes: 0 no errors (with --strict no warnings either), 1 errors found, 2 bad usage or nothing to check,
3 a question must be answered first, 4 the environment failed.

skillbag help COMMAND shows more about a command.
"""

SECTIONS: Sections = {
    "Check": {
        "check": ("check:command", "Check workspaces, sources and skills against the standard."),
        "explain": ("rule:explain", "Explain a rule, a clause or a family of rules, or list all rules."),
        "rule": ("rule:command", "Another name for explain."),
        "capabilities": ("capabilities:command", "Show what skills can do: hosts, programs, packages, secrets."),
    },
    "Set up": {
        "init": ("init:init", "Create a workspace or a source: write the missing files."),
        "new": ("init:new", "Create a skill and its catalog line."),
        "rename": ("rename:command", "Rename a skill, and all that names it."),
        "sync": ("maintenance:sync", "Write the catalog from the present skills."),
        "cache": ("maintenance:cache", "Show or clear the cache."),
        "doctor": ("doctor:command", "Show what skillbag works with here, and what is wrong."),
        "completion": ("completion:command", "Print a script that completes command lines in your shell."),
        "help": ("help:help_", "Show the help of a command."),
    },
    "Install": {
        "install": ("install:install", "Install the declared and the named skills."),
        "add": ("install:add", "Install skills and declare them in CONTEXT.md."),
        "adopt": ("adopt:adopt", "Put skills that other programs installed into one skillbag.lock."),
        "update": ("install:update", "Look for newer versions and install them (install --upgrade)."),
        "remove": ("maintenance:remove", "Remove skills that nothing requires."),
        "uninstall": ("maintenance:uninstall", "Another name for remove."),
        "list": ("queries:list_", "List the installed skills, or what a source offers."),
        "tree": ("tree:tree", "Show the dependency tree, or draw it."),
        "why": ("queries:why", "Show what requires a skill."),
        "outdated": ("queries:outdated", "List the skills that have a newer version."),
        "verify": ("queries:verify", "Compare the installed skills with the lock, offline."),
        "diff": ("queries:diff", "Show the local edits of a skill, or what an update would bring."),
        "search": ("marketplace:search", "Search the skills of the marketplace's sources."),
        "marketplace": ("marketplace:command", "Configure and index the marketplace's sources."),
    },
    "Session": {
        "enter": ("enter:command", "Start a session: print what to read and run first."),
        "resolve": ("execution:resolve", "Resolve the inputs of a skill."),
        "run": ("execution:run", "Print a skill's instructions with its effective parameters."),
        "order": ("execution:order", "Print which skills run before a response, in order."),
        "winner": ("execution:winner", "Decide between skills that contradict each other."),
        "refresh": ("refresh:command", "Show what changed since the session read it."),
        "remember": ("remember:remember", "Store a value in USER_CONTEXT.md."),
        "forget": ("remember:forget", "Remove a value from USER_CONTEXT.md."),
    },
    "Agents": {
        "link": ("link:link", "Link the skills into the folders of other agents."),
        "unlink": ("link:unlink", "Remove the links."),
        "personal": ("personal:command", "Add, remove and list your personal skills."),
        "runtime": ("runtime:command", "Activate skills with code, and use them."),
        "skill": ("skill_aliases:command", "Other names for the commands about skills."),
        "hook": ("hook:command", "Enforce allowed-tools in Claude Code."),
        "tool": ("tool:command", "Call a tool as an agent does."),
        "mcp": ("mcp:command", "Serve tools, skills and prompts over MCP."),
        "lsp": ("lsp:command", "Serve editors over the Language Server Protocol."),
        "plugin": ("plugin:command", "Run or install the executable plugin."),
    },
    "Organisation": {
        "audit": ("audit:command", "Check many repositories and summarize the findings."),
        "rules": ("rules:command", "Write and test rules of your own, and use packs of rules."),
        "registry": ("registry:command", "Publish skills to a folder, and serve it as a registry."),
    },
    "Standard": {
        "conformance": ("conformance:command", "Test an implementation of the standard."),
    },
}
"""By heading: each command, where it is, and its line in the list."""


@click.group(
    cls=LazyGroup,
    name="skillbag",
    sections=SECTIONS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_EPILOG,
)
@click.version_option(__version__, "-V", "--version", message=f"skillbag {__version__} (SkillBag {STANDARD_VERSION})")
def app() -> None:
    """Check AI-agent skills against the SkillBag standard and the Agent Skills format, install them, and run an agent's
    session.
    """


@contextlib.contextmanager
def click_errors_reported() -> Iterator[None]:
    """Print the errors of click without secrets, and exit with their codes.

    Raises:
        KeyboardInterrupt: the user ended a question.
    """
    try:
        yield
    except click.ClickException as error:
        report(error)
        sys.exit(error.exit_code)
    except click.Abort as error:
        raise KeyboardInterrupt from error
