"""Looking at installed skills: `list`, `verify`, `diff`."""

from __future__ import annotations

import os

import click

from skillbag.doors.cli.answers import CliCommand
from skillbag.doors.cli.command_support import check_names, reporting
from skillbag.doors.cli.options import json_option, offline_option, workspace_option
from skillbag.doors.cli.progress import progress
from skillbag.doors.cli.workspaces import skills_root_at
from skillbag.kernel.base.errors import UserError

_NAMES = "skillbag list shows the names of what is installed"


_LIST = """\b
Examples:
  skillbag list
  skillbag list Org/skills@v1     what a source offers
  skillbag list --outdated        what has a newer version
"""


@click.command("list", cls=CliCommand, epilog=_LIST)
@click.argument("address", required=False)
@click.option("--source", metavar="ADDRESS", help="The same as ADDRESS.")
@click.option("--plain", is_flag=True, hidden=True, expose_value=False)
@click.option("--version", metavar="VERSION", help="Of the source: tag, branch or commit.")
@click.option("--outdated", is_flag=True, help="List what has a newer version, and whether a pin prevents the update.")
@click.option("--strict", is_flag=True, help="With --outdated, exit with 1 if there is something.")
@offline_option
@workspace_option
@json_option
def list_(
    address: str | None,
    source: str | None,
    version: str | None,
    outdated: bool,
    strict: bool,
    offline: bool,
    folder: str,
    as_json: bool,
) -> None:
    """List the installed skills and where they come from, or the skills that the source at ADDRESS offers."""
    with reporting("list", as_json=as_json) as report:
        if address and source:
            raise UserError("two sources, ADDRESS and --source: give one of them")
        source = address or source
        if version is not None and not (source and version.strip()):
            raise UserError("--version goes with an ADDRESS or --source ADDRESS, and names a tag, a branch or a commit")
        if (outdated and source) or (strict and not outdated):
            raise UserError("--outdated goes without an ADDRESS, and --strict goes with --outdated")
        from skillbag.supply.install import queries
        from skillbag.supply.install.outdating import outdated as find_outdated
        from skillbag.supply.sources.fetch import Fetcher

        if source is None and not outdated:
            report(queries.list_skills(skills_root_at(folder, make=True)))
            return
        with progress(as_json) as under_way:
            fetcher = Fetcher(offline=offline, progress=under_way.tell)
            outcome = (
                find_outdated(skills_root_at(folder), fetcher, strict=strict)
                if source is None
                else queries.list_offered(os.path.abspath(folder), source, version, fetcher)
            )
        report(outcome)


@click.command(
    "verify",
    cls=CliCommand,
    epilog="\b\nExamples:\n  skillbag verify && echo as locked\n  skillbag verify --source   in CI",
)
@click.option("--source", "sources", is_flag=True, help="Also fetch the locked versions and compare them.")
@offline_option
@workspace_option
@json_option
def verify(sources: bool, offline: bool, folder: str, as_json: bool) -> None:
    """Compare the installed skills with skillbag.lock; exit with 1 if they differ.

    This works offline, and does not detect a skill that was changed together with the lock. With --source, each locked
    commit or archive is also fetched and compared; exit with 4 if one cannot be fetched.
    """
    from skillbag.supply.install import queries
    from skillbag.supply.sources.fetch import Fetcher

    with reporting("verify", as_json=as_json) as report:
        root = skills_root_at(folder)
        if not sources:
            report(queries.verify(root))
            return
        with progress(as_json) as under_way:
            outcome = queries.verify(root, Fetcher(offline=offline, progress=under_way.tell))
        report(outcome)


@click.command(
    "diff", cls=CliCommand, epilog="\b\nExamples:\n  skillbag diff lint-docs\n  skillbag diff lint-docs --upstream"
)
@click.argument("name")
@click.option("--upstream", is_flag=True, help="Compare the installed skill with the source's current version.")
@offline_option
@workspace_option
@json_option
def diff(name: str, upstream: bool, offline: bool, folder: str, as_json: bool) -> None:
    """Show the local edits of a skill as a patch."""
    from skillbag.supply.install.difference import diff_skill
    from skillbag.supply.sources.fetch import Fetcher

    with reporting("diff", as_json=as_json) as report:
        check_names([name], _NAMES)
        root = skills_root_at(folder)
        with progress(as_json) as under_way:
            outcome = diff_skill(root, name, upstream, Fetcher(offline=offline, progress=under_way.tell))
        report(outcome)
