"""`skillbag team marketplace` and `skillbag search`."""

from __future__ import annotations

import click

from skillbag.agents.marketplace import marketplace
from skillbag.agents.settings.scope import scope_at
from skillbag.doors.cli import market_text
from skillbag.doors.cli.answers import CliCommand, CliGroup, CommandOutput, answering
from skillbag.doors.cli.messages import note_shown
from skillbag.doors.cli.options import json_option, offline_option, workspace_option, yes_option
from skillbag.doors.cli.progress import progress
from skillbag.doors.cli.workspaces import absolute_folder, workspace_at
from skillbag.report.answers.commands import InstalledJson
from skillbag.report.answers.types import MistakeJson
from skillbag.report.sanitize import shown, shown_page

_EXAMPLES = """\b
Examples:
  skillbag team marketplace                  the sources, and the state of the index
  skillbag team marketplace add https://example.com/team/skills.git
  skillbag team marketplace update
  skillbag search "fill pdf forms"
  skillbag team marketplace install team/pdf-forms

\b
Exit codes: 0 done, 1 it can't be installed, 2 bad usage or a malformed file, 3 a question
must be answered first, 4 a source could not be fetched, or the index can't be written.
"""


@click.group("marketplace", cls=CliGroup, invoke_without_command=True, epilog=_EXAMPLES)
@json_option
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """Configure the sources of the marketplace, and keep an index of their skills to search in.

    A source is a git repository, a zip, a folder, or a marketplace.json: of SkillBag skills or of plain Agent Skills.
    Without a command, show the sources and the state of the index.
    """
    if context.invoked_subcommand is not None:
        return
    from skillbag.agents.marketplace.state import marketplace_state

    with answering("marketplace", as_json=as_json) as say:
        say(market_text.state_answer(marketplace_state()))


_ADD = """\b
Examples:
  skillbag team marketplace add https://example.com/team/skills.git --version v2
  skillbag team marketplace add git@example.com:team/skills.git --name team
  skillbag team marketplace add ../our-skills
  skillbag team marketplace add https://example.com/marketplace.json --name partners
  skillbag team marketplace add acme          for https://github.com/acme/skills
  skillbag team marketplace add acme/tools    for https://github.com/acme/tools
  skillbag team marketplace add acme/tools@v2
  skillbag team marketplace add https://github.com/acme/tools/tree/v2

Write a path that has the form of acme/tools with ./ in front. Credentials
do not belong in an address: git's credential helper and ~/.netrc keep them.
"""


@command.command("add", epilog=_ADD)
@click.argument("address")
@click.option("--name", metavar="NAME", help="Name of the source.  [default: from the address]")
@click.option("--version", metavar="VERSION", help="The tag, branch or commit.")
@json_option
def add(address: str, name: str | None, version: str | None, as_json: bool) -> None:
    """Add a source. Nothing is fetched yet: skillbag team marketplace update does that."""
    from skillbag.agents.marketplace.sources import add_source

    with answering("marketplace add", as_json=as_json) as say:
        source, known = add_source(address, name, version, absolute_folder("."))
        done = "is a source already" if known else "is a source now"
        then = f"skillbag team marketplace update {source.name} fetches and indexes it"
        say(market_text.source_answer(source, f"{done}: {shown(source.address)}; {then}"))


@command.command("remove", epilog="\b\nExample:\n  skillbag team marketplace remove team")
@click.argument("name")
@json_option
def remove(name: str, as_json: bool) -> None:
    """Remove a source, and its skills from the index; what was installed from it stays."""
    from skillbag.agents.marketplace.sources import remove_source

    with answering("marketplace remove", as_json=as_json) as say:
        say(market_text.source_answer(remove_source(name), "is removed from the sources"))


@command.command(
    "update", epilog="\b\nExamples:\n  skillbag team marketplace update\n  skillbag team marketplace update team"
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@offline_option
@json_option
def update(names: tuple[str, ...], offline: bool, as_json: bool) -> None:
    """Fetch all sources, or the named ones, and index their skills.

    Invalid entries of a source are reported and skipped. If a source cannot be fetched, its last index stays, and the
    exit code is 4.
    """
    from skillbag.agents.marketplace.update import update_sources

    with answering("marketplace update", as_json=as_json) as say:
        with progress(as_json) as under_way:
            updates = update_sources(names, offline=offline, progress=under_way.tell)
        say(market_text.update_answer(updates))


@command.command("list", epilog="\b\nExample:\n  skillbag team marketplace list --source team")
@click.option("--source", metavar="NAME", help="Only skills of this source.")
@json_option
def list_(source: str | None, as_json: bool) -> None:
    """List the skills of the index, by source and name."""
    with answering("marketplace list", as_json=as_json) as say:
        say(market_text.list_answer(marketplace.list_offered(source=source)))


_INSTALL = """\b
Examples:
  skillbag team marketplace install team/pdf-forms     of the source team
  skillbag team marketplace install acme/pdf-forms     of https://github.com/acme/skills
  skillbag team marketplace install pdf-forms          if only one source offers it
  skillbag team marketplace install https://example.com/skills.git#pdf-forms
"""


@command.command("install", epilog=_INSTALL)
@click.argument("ref")
@yes_option
@workspace_option
@json_option
def install(ref: str, yes: bool, folder: str, as_json: bool) -> None:
    """Install a skill into the workspace, as named by search and list."""
    from skillbag.agents.marketplace.install import InstallRefusedError, install_skill
    from skillbag.doors.cli.install_questions import simple_prompter

    with answering("marketplace install", as_json=as_json) as say:
        try:
            scope = scope_at(folder, required=True, notice=note_shown)
            message = install_skill(scope, ref, simple_prompter(as_json, yes))
            answer = CommandOutput(InstalledJson(message), f"{shown_page(message)}\n")
        except InstallRefusedError as error:
            answer = CommandOutput(MistakeJson(str(error)), f"{shown_page(str(error))}\n", error.exit)
        say(answer)


_SHOW = """\b
Examples:
  skillbag team marketplace show registry:tidy-folder
  skillbag team marketplace show registry:tidy-folder@^1 --json
"""


@command.command("show", epilog=_SHOW)
@click.argument("ref")
@offline_option
@json_option
def show(ref: str, offline: bool, as_json: bool) -> None:
    """Show the versions and the manifest of a skill of a registry, before it is installed."""
    from skillbag.agents.marketplace.registry_search import published

    with answering("marketplace show", as_json=as_json) as say:
        say(market_text.published_answer(published(ref, offline=offline)))


_SEARCH = """\b
Examples:
  skillbag search "fill pdf forms"
  skillbag search translate --source team --limit 5
  skillbag search "release notes" --json
  skillbag search --here invoice                 installed skills, for skillbag run

skillbag team marketplace update brings the index up to date. Only a configured registry
is asked over the network.
skillbag team marketplace install REF takes one of the skills that are shown.

\b
Exit codes: 0 done, whether anything was found or not, 2 bad usage or nothing to
search in, 4 the index can't be read.
"""


@click.command("search", cls=CliCommand, epilog=_SEARCH)
@click.argument("words", nargs=-1, required=True, metavar="WORDS...")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="Maximum number of results.")
@click.option("--source", metavar="NAME", help="Search only the skills of this source.")
@click.option("--here", is_flag=True, help="Search the skills of the workspace's catalog, to run them.")
@workspace_option
@offline_option
@json_option
def search(
    words: tuple[str, ...], limit: int, source: str | None, here: bool, folder: str, offline: bool, as_json: bool
) -> None:
    """Search names, descriptions and instructions of the skills of the marketplace's sources.

    Any of the words matches, in any form (convert, converting), and the last one may be the beginning of a word. An
    exact name comes first, then the best match (BM25). Where a registry is configured, its results follow.
    """
    with answering("search", as_json=as_json) as say:
        query = " ".join(words)
        if here:
            if source:
                raise click.UsageError("--here goes without --source.")
            from skillbag.agents.marketplace.here import search_here

            say(market_text.here_answer(query, search_here(workspace_at(folder), query, limit)))
            return
        found = marketplace.search_everywhere(query, limit, source, offline=offline)
        say(market_text.search_answer(query, found))
