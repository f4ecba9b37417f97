"""`skillbag marketplace`."""

from __future__ import annotations

import click

from skillbag.cli import EXIT_ENVIRONMENT
from skillbag.cli.agent_options import absolute_folder
from skillbag.cli.lifecycle import Answer, Group, answer, json_option

_EXAMPLES = """\b
Examples:
  skillbag marketplace                  the sources, and the state of the index
  skillbag marketplace add https://example.com/team/skills.git
  skillbag marketplace update
  skillbag search "fill pdf forms"
  skillbag marketplace install team/pdf-forms

\b
Exit codes: 0 done, 1 it can't be installed, 2 bad usage or a malformed file, 3 a question
must be answered first, 4 a source could not be fetched, or the index can't be written.
"""


@click.group("marketplace", cls=Group, invoke_without_command=True, epilog=_EXAMPLES)
@json_option
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """Configure the sources of the marketplace, and keep an index of their skills to search in.

    A source is a git repository, a zip, a folder, or a marketplace.json: of SkillBag skills or of plain Agent Skills.
    Without a command, show the sources and the state of the index.
    """
    if context.invoked_subcommand is not None:
        return
    from skillbag.cli.market_text import state_text, state_values
    from skillbag.marketplace.state import marketplace_state

    def work() -> Answer:
        state = marketplace_state()
        return Answer(state_values(state), state_text(state))

    answer("marketplace", work, as_json=as_json)


_ADD = """\b
Examples:
  skillbag marketplace add https://example.com/team/skills.git --version v2
  skillbag marketplace add git@example.com:team/skills.git --name team
  skillbag marketplace add ../our-skills
  skillbag marketplace add https://example.com/marketplace.json --name partners
  skillbag marketplace add acme          for https://github.com/acme/skills
  skillbag marketplace add acme/tools    for https://github.com/acme/tools

A path that has the form of the last two is written with ./ in front. Credentials
do not belong into an address: git's credential helper and ~/.netrc keep them.
"""


@command.command("add", epilog=_ADD)
@click.argument("address")
@click.option("--name", metavar="NAME", help="Name of the source.  [default: from the address]")
@click.option("--version", metavar="VERSION", help="The tag, branch or commit.")
@json_option
def add(address: str, name: str | None, version: str | None, as_json: bool) -> None:
    """Add a source. Nothing is fetched yet: skillbag marketplace update does that."""
    from skillbag.cli.market_text import source_values
    from skillbag.marketplace.sources import add_source
    from skillbag.report.sanitize import shown

    def work() -> Answer:
        source, known = add_source(address, name, version, absolute_folder("."))
        done = "is a source already" if known else "is a source now"
        then = f"skillbag marketplace update {source.name} fetches and indexes it"
        return Answer(source_values(source), f"{source.name} {done}: {shown(source.address)}; {then}.\n")

    answer("marketplace add", work, as_json=as_json)


@command.command("remove", epilog="\b\nExample:\n  skillbag marketplace remove team")
@click.argument("name")
@json_option
def remove(name: str, as_json: bool) -> None:
    """Remove a source, and its skills from the index; what was installed from it stays."""
    from skillbag.cli.market_text import source_values
    from skillbag.marketplace.sources import remove_source

    def work() -> Answer:
        source = remove_source(name)
        return Answer(source_values(source), f"{source.name} is no source any more.\n")

    answer("marketplace remove", work, as_json=as_json)


@command.command("update", epilog="\b\nExamples:\n  skillbag marketplace update\n  skillbag marketplace update team")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--offline", is_flag=True, help="Index only cached sources.")
@json_option
def update(names: tuple[str, ...], offline: bool, as_json: bool) -> None:
    """Fetch all sources, or the named ones, and index their skills.

    Invalid entries of a source are reported and skipped. If a source cannot be fetched, its last index stays, and the
    exit code is 4.
    """
    from skillbag.cli.command_support import progress
    from skillbag.cli.market_text import updated_text, updated_values
    from skillbag.marketplace.update import update_sources

    def work() -> Answer:
        with progress(as_json) as under_way:
            updates = update_sources(names, offline=offline, progress=under_way.tell)
        code = EXIT_ENVIRONMENT if any(one.failures for one in updates) else 0
        return Answer(updated_values(updates), updated_text(updates), code)

    answer("marketplace update", work, as_json=as_json)


@command.command("list", epilog="\b\nExample:\n  skillbag marketplace list --source team")
@click.option("--source", metavar="NAME", help="Only skills of this source.")
@json_option
def list_(source: str | None, as_json: bool) -> None:
    """List the skills of the index, by source and name."""
    from skillbag.cli.market_text import listed_text, listed_values
    from skillbag.marketplace.marketplace import list_offered

    def work() -> Answer:
        skills = list_offered(source=source)
        return Answer(listed_values(skills), listed_text(skills))

    answer("marketplace list", work, as_json=as_json)


_INSTALL = """\b
Examples:
  skillbag marketplace install team/pdf-forms     of the source team
  skillbag marketplace install acme/pdf-forms     of https://github.com/acme/skills
  skillbag marketplace install pdf-forms          if only one source offers it
  skillbag marketplace install https://example.com/skills.git#pdf-forms
"""


@command.command("install", epilog=_INSTALL)
@click.argument("ref")
@click.option(
    "--workspace",
    "folder",
    type=click.Path(file_okay=False),
    default=".",
    help="The workspace, or a folder in it.  [default: the current folder]",
)
@json_option
def install(ref: str, folder: str, as_json: bool) -> None:
    """Install a skill into the workspace, as named by search and list."""
    from skillbag.cli.recovery import report_recovery
    from skillbag.marketplace.install import RefusedError
    from skillbag.marketplace.marketplace import install_skill
    from skillbag.report.sanitize import exact, shown_page
    from skillbag.settings.scope import scope_at

    def work() -> Answer:
        key, code = "text", 0
        try:
            said = install_skill(scope_at(folder, required=True, notice=report_recovery), ref)
        except RefusedError as error:
            key, said, code = "error", str(error), error.exit
        return Answer({key: exact(said)}, f"{shown_page(said)}\n", code)

    answer("marketplace install", work, as_json=as_json)
