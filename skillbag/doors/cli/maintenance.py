"""`skillbag remove` and `uninstall`, `skillbag sync` and `skillbag cache`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from skillbag.doors.cli.answers import CliCommand, CliGroup
from skillbag.doors.cli.command_support import check_names, reporting, tell_waiting
from skillbag.doors.cli.options import (
    combined,
    dry_run_option,
    json_option,
    overwrite_option,
    wait_option,
    workspace_option,
)
from skillbag.doors.cli.workspaces import root_at, skills_root_at
from skillbag.supply.install.caching import describe_cache, prune_cache

_REMOVE = """\b
Examples:
  skillbag {command} lint-docs
  skillbag {command} lint-docs --dry-run
  skillbag {command} lint-docs --overwrite lint-docs    even if it was edited here
"""
_parameters = combined(
    click.argument("names", nargs=-1, required=True, metavar="NAME..."),
    click.option("--force", is_flag=True, help="Remove skills even if others require them."),
    overwrite_option,
    dry_run_option,
    wait_option,
    workspace_option,
    json_option,
)


def _remove(
    command: str, *, names: tuple[str, ...], overwrite: tuple[str, ...], folder: str, as_json: bool, **options: Any
) -> None:
    from skillbag.supply.install.remove import Removal
    from skillbag.supply.install.remove import remove as remove_skills

    with reporting(command, as_json=as_json) as report:
        check_names((*names, *overwrite), "skillbag list shows the names of what is installed")
        removal = Removal(names, overwrite=frozenset(overwrite), **options)
        report(replace(remove_skills(skills_root_at(folder), removal, tell_waiting(as_json)), command=command))


@click.command("remove", cls=CliCommand, epilog=_REMOVE.format(command="remove"))
@_parameters
def remove(**options: Any) -> None:
    """Remove skills from .skills/, the catalog, skillbag.lock and CONTEXT.md."""
    _remove("remove", **options)


@click.command("uninstall", cls=CliCommand, epilog=_REMOVE.format(command="uninstall"))
@_parameters
def uninstall(**options: Any) -> None:
    """Remove skills from .skills/, the catalog, skillbag.lock and CONTEXT.md: another name for remove."""
    _remove("uninstall", **options)


@click.command("sync", cls=CliCommand, epilog="\b\nExample:\n  skillbag sync --dry-run")
@dry_run_option
@wait_option
@workspace_option
@json_option
def sync(dry_run: bool, wait: float, folder: str, as_json: bool) -> None:
    """Write .skills/SKILLS.md from the present skills, if it differs."""
    from skillbag.supply.install.apply import sync as write_catalog

    with reporting("sync", as_json=as_json) as report:
        report(write_catalog(root_at(folder), dry_run=dry_run, wait=wait, waiting=tell_waiting(as_json)))


@click.group(
    "cache", cls=CliGroup, epilog="\b\nExamples:\n  skillbag cache dir\n  skillbag cache prune --older-than 30"
)
def cache() -> None:
    """Show or clear the cache of fetched sources and check results. It can always be deleted."""


@cache.command("dir", epilog="\b\nExample:\n  skillbag cache dir")
@json_option
def dir_(as_json: bool) -> None:
    """Print the cache folder; with --json also its size and that of the check results."""
    with reporting("cache dir", as_json=as_json) as report:
        report(describe_cache())


@cache.command("prune", epilog="\b\nExample:\n  skillbag cache prune --older-than 30")
@click.option(
    "--older-than", type=click.IntRange(0), default=0, metavar="DAYS", help="Only what was not used for this many days."
)
@json_option
def prune(older_than: int, as_json: bool) -> None:
    """Clear the cache, except what another process is using."""
    with reporting("cache prune", as_json=as_json) as report:
        report(prune_cache(older_than))
