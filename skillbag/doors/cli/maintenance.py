"""`skillbag remove`, `skillbag self sync` and `skillbag self cache`."""

from __future__ import annotations

from typing import Any

import click

from skillbag.doors.cli.answers import CliCommand, CliGroup
from skillbag.doors.cli.command_support import check_names, reporting, tell_waiting
from skillbag.doors.cli.options import (
    dry_run_option,
    json_option,
    overwrite_option,
    wait_seconds,
    workspace_option,
)
from skillbag.doors.cli.workspaces import root_at, skills_root_at
from skillbag.supply.install.caching import describe_cache, prune_cache

_REMOVE = """\b
Examples:
  skillbag remove lint-docs
  skillbag remove lint-docs --dry-run
  skillbag remove lint-docs --overwrite lint-docs    even if it was edited here
"""


@click.command("remove", cls=CliCommand, epilog=_REMOVE)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--force", is_flag=True, help="Remove skills even if others require them.")
@overwrite_option
@dry_run_option
@workspace_option
@json_option
def remove(names: tuple[str, ...], overwrite: tuple[str, ...], folder: str, as_json: bool, **options: Any) -> None:
    """Remove skills from .skills/, the catalog, skillbag.lock and CONTEXT.md."""
    from skillbag.supply.install.remove import Removal
    from skillbag.supply.install.remove import remove as remove_skills

    with reporting("remove", as_json=as_json) as report:
        check_names((*names, *overwrite), "skillbag list shows the names of what is installed")
        removal = Removal(names, overwrite=frozenset(overwrite), wait=wait_seconds(), **options)
        report(remove_skills(skills_root_at(folder), removal, tell_waiting(as_json)))


@click.command("sync", cls=CliCommand, epilog="\b\nExample:\n  skillbag self sync --dry-run")
@dry_run_option
@workspace_option
@json_option
def sync(dry_run: bool, folder: str, as_json: bool) -> None:
    """Write .skills/SKILLS.md from the present skills, if it differs."""
    from skillbag.supply.install.apply import sync as write_catalog

    with reporting("sync", as_json=as_json) as report:
        report(write_catalog(root_at(folder), dry_run=dry_run, wait=wait_seconds(), waiting=tell_waiting(as_json)))


@click.group(
    "cache",
    cls=CliGroup,
    epilog="\b\nExamples:\n  skillbag self cache dir\n  skillbag self cache prune --older-than 30",
)
def cache() -> None:
    """Show or clear the cache of fetched sources and check results. It can always be deleted."""


@cache.command("dir", epilog="\b\nExample:\n  skillbag self cache dir")
@json_option
def dir_(as_json: bool) -> None:
    """Print the cache folder; with --json also its size and that of the check results."""
    with reporting("cache dir", as_json=as_json) as report:
        report(describe_cache())


@cache.command("prune", epilog="\b\nExample:\n  skillbag self cache prune --older-than 30")
@click.option(
    "--older-than", type=click.IntRange(0), default=0, metavar="DAYS", help="Only what was not used for this many days."
)
@json_option
def prune(older_than: int, as_json: bool) -> None:
    """Clear the cache, except what another process is using."""
    with reporting("cache prune", as_json=as_json) as report:
        report(prune_cache(older_than))
