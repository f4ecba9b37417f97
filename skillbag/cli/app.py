"""The commands, as click knows them: each is imported when it is called, so that it pays only for itself."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

import click

from skillbag import STANDARD_VERSION, __version__
from skillbag.cli.streams import print_error, safe

_COMMANDS: Mapping[str, tuple[str, str]] = {
    "check": ("check:command", "Check workspaces, sources and skills against the standard."),
    "audit": ("audit:command", "Check many repositories, and tell what is common to them."),
    "init": ("init:command", "Make a workspace (or a source) that conforms: write what is missing."),
    "new": ("new:command", "Add a skill and its catalog line."),
    "rule": ("rule:command", "Explain a rule, or list them all."),
    "install": ("install:install", "Install what CONTEXT.md declares, and the skills that are named."),
    "add": ("install:add", "Install skills and declare them in CONTEXT.md."),
    "update": ("install:update", "Look for newer versions and install them (install --upgrade)."),
    "remove": ("remove:command", "Take skills out, unless something needs them."),
    "list": ("queries:list_", "List the installed skills, or what a source offers."),
    "tree": ("queries:tree", "Draw who asked for what."),
    "why": ("queries:why", "Show why a skill is here."),
    "outdated": ("queries:outdated", "Show the skills of which there is a newer version."),
    "verify": ("queries:verify", "Compare the skills on the disk with the lock, offline."),
    "diff": ("diff:command", "Show the local edits of a skill, or what an update would bring."),
    "sync": ("queries:sync", "Write the catalog anew from the skills that are there."),
    "enter": ("enter:command", "Enter the workspace: what a session reads and runs first."),
    "resolve": ("resolve:command", "Resolve the inputs of a skill, each with its place."),
    "run": ("run:command", "Print what is to be done for `run convert_to_pdf`."),
    "order": ("order:command", "Print which skills run before a response, in order."),
    "winner": ("winner:command", "Decide between skills that contradict each other."),
    "refresh": ("refresh:command", "Show what has changed since the session read it."),
    "remember": ("remember:remember", "Keep a value in USER_CONTEXT.md."),
    "forget": ("remember:forget", "Take a value out of USER_CONTEXT.md."),
    "search": ("search:command", "Search the skills that the marketplace's sources offer."),
    "marketplace": ("marketplace:command", "Configure the sources of the marketplace; update their index."),
    "personal": ("personal:command", "Add, remove and list your personal skills."),
    "link": ("link:link", "Show the skills in the places where agents look."),
    "unlink": ("link:unlink", "Take away what link made."),
    "tool": ("tool:command", "Call a tool as an agent does."),
    "mcp": ("mcp:command", "Serve tools, skills and prompts over MCP."),
    "plugin": ("plugin:command", "Speak the executable plugin protocol, or install the plugin."),
    "conformance": ("conformance:command", "Hold an implementation to the standard, clause by clause."),
    "cache": ("cache:command", "Show where sources and results of checks are kept, or clear them."),
}


class _Lazy(click.Group):
    """Commands are imported when they are called, so that each pays only for itself."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, _, attribute = _COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(f"skillbag.cli.{module}"), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_) for name, (_, help_) in _COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            close = difflib.get_close_matches(args[0], list(_COMMANDS), 1)
            if close:
                raise click.UsageError(f"{error.message} Did you mean {close[0]!r}?") from error
            raise


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", message=f"skillbag {__version__} (SkillBag {STANDARD_VERSION})")
def app() -> None:
    """Check AI-agent skill workspaces against the SkillBag standard, set them up, install skills into them, and carry
    out an agent's session in them.

    \b
    Examples:
      skillbag check                  the workspace around this folder
      skillbag check --fix            mend what can be mended safely
      skillbag init                   make this folder a workspace
      skillbag rule catalog-sorted    what a rule wants, and why
      skillbag add lint-docs --source https://example.com/Org/skills.git
      skillbag install --frozen       just what skillbag.lock says
      skillbag enter                  what an agent reads and runs first, and how it goes on

    Exit codes: 0 clean (warnings allowed; --strict makes them fail), 1 errors found, 2 bad usage or nothing to check,
    3 a question must be answered first, 4 the environment failed.
    """


def run_app() -> int:
    """Run the command line by click; the exit code.

    Raises:
        KeyboardInterrupt: the user ended it.
    """
    try:
        return app.main(prog_name="skillbag", standalone_mode=False) or 0
    except click.ClickException as error:
        import io

        page = io.StringIO()
        error.show(page)
        print_error(safe(page.getvalue()))
        return error.exit_code
    except click.Abort as error:
        raise KeyboardInterrupt from error
