"""The commands, as click knows them: each is imported when it is called."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

import click

from skillbag import STANDARD_VERSION, __version__
from skillbag.doors.cli.groups import Commands, LazyGroup, Sections
from skillbag.doors.cli.usage_errors import report

_EPILOG = """\b
Each --help has examples. Exits: 1 errors, 2 usage, 3 a question, 4 access.
"""

SECTIONS: Sections = {
    "Check": {
        "check": ("check:command", "Check workspaces, sources and skills against the standard."),
        "explain": ("explain:command", "Explain a rule, a clause or a family, or list them."),
        "capabilities": ("capabilities:command", "Show what skills can do: hosts, programs, packages, secrets."),
    },
    "Set up": {
        "init": ("init:init", "Create a workspace or a source: write the missing files."),
        "new": ("init:new", "Create a skill and its catalog line."),
        "rename": ("rename:command", "Rename a skill, and what names it in skills and context files."),
        "doctor": ("doctor:command", "Show what skillbag works with here, and what is wrong."),
    },
    "Install": {
        "install": ("install:install", "Install the declared and the named skills."),
        "search": ("marketplace:search", "Search the skills of the marketplace's sources."),
        "add": ("install:add", "Install skills and declare them in CONTEXT.md."),
        "adopt": ("adopt:adopt", "Put skills that other programs installed into one skillbag.lock."),
        "update": ("install:update", "Look for newer versions and install them."),
        "remove": ("maintenance:remove", "Remove skills that nothing requires."),
        "list": ("queries:list_", "List the installed skills, or what a source offers."),
        "tree": ("tree:tree", "Show the dependency tree, or draw it."),
        "diff": ("queries:diff", "Show the local edits of a skill, or what an update would bring."),
        "verify": ("queries:verify", "Compare the installed skills with the lock, offline."),
    },
    "Session": {
        "enter": ("enter:command", "Start a session: print what to read and run first."),
        "turn": ("turn:command", "Before each response: print what changed and what to run."),
        "run": ("execution:run", "Print a skill's instructions with its effective parameters."),
    },
    "Groups": {
        "session": ("app:session", "What a session works with; skillbag enter begins one."),
        "agent": ("app:agent", "Connect an agent: links, hooks, tools, servers, personal skills."),
        "runtime": ("runtime:command", "Activate skills with code, and use them."),
        "team": ("app:team", "Audit many repositories, and share rules, sources and versions."),
        "self": ("app:self_", "Care for the cache, the catalog and the completion in shells."),
    },
}
"""By heading: each command, where it is, and its line in the list."""

_SESSION: Commands = {
    "resolve": ("execution:resolve", "Resolve the inputs of a skill."),
    "order": ("execution:order", "Print which skills run before a response, in order."),
    "winner": ("execution:winner", "Decide between skills that contradict each other."),
    "refresh": ("refresh:command", "Show what changed since the session read it."),
    "remember": ("remember:remember", "Store a value in USER_CONTEXT.md."),
    "forget": ("remember:forget", "Remove a value from USER_CONTEXT.md."),
}
_AGENT: Commands = {
    "link": ("link:link", "Link the skills into the folders of other agents."),
    "unlink": ("link:unlink", "Remove the links."),
    "hook": ("hook:command", "Enforce allowed-tools in Claude Code."),
    "tool": ("tool:command", "Call a tool as an agent does."),
    "mcp": ("mcp:command", "Serve tools, skills and prompts over MCP."),
    "lsp": ("lsp:command", "Serve editors over the Language Server Protocol."),
    "plugin": ("plugin:command", "Run or install the executable plugin."),
    "personal": ("personal:command", "Add, remove and list your personal skills."),
}
_TEAM: Commands = {
    "audit": ("audit:command", "Check many repositories and summarize the findings."),
    "marketplace": ("marketplace:command", "Configure and index the marketplace's sources."),
    "registry": ("registry:command", "Publish skills to a folder, and serve it as a registry."),
    "rules": ("rules:command", "Write and test rules of your own, and use packs of rules."),
    "conformance": ("conformance:command", "Test an implementation of the standard."),
}
_SELF: Commands = {
    "cache": ("maintenance:cache", "Show or clear the cache."),
    "completion": ("completion:command", "Print a script that completes command lines in your shell."),
    "sync": ("maintenance:sync", "Write the catalog from the present skills."),
}


def _group(name: str, commands: Commands) -> LazyGroup:
    group = LazyGroup(name, help=SECTIONS["Groups"][name][1], sections={"Commands": commands}, no_args_is_help=True)
    group.is_shelf = True
    return group


session = _group("session", _SESSION)
agent = _group("agent", _AGENT)
team = _group("team", _TEAM)
self_ = _group("self", _SELF)


_MOVED = {
    "outdated": "list --outdated",
    "why": "tree --why",
    "rule": "explain",
    "uninstall": "remove",
    **{word: f"{group.name} {word}" for group in (session, agent, team, self_) for word in group.sections["Commands"]},
}
"""Earlier words of commands, which hooks and scripts may still have."""
for _word in ("audit", "plugin", "sync"):
    # In other programs these mean something else: `habits.toml` says what is here.
    del _MOVED[_word]


@click.group(
    cls=LazyGroup,
    name="skillbag",
    sections=SECTIONS,
    moved=_MOVED,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_EPILOG,
)
@click.version_option(__version__, "-V", "--version", message=f"skillbag {__version__} (SkillBag {STANDARD_VERSION})")
def app() -> None:
    """Check AI-agent skills against SkillBag and Agent Skills, install and run them."""


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
