"""`skillbag cache`."""

from __future__ import annotations

import click

from skillbag.cli.command_support import reporting
from skillbag.cli.options import json_option


@click.group("cache", epilog="\b\nExamples:\n  skillbag cache dir\n  skillbag cache prune --older-than 30")
def command() -> None:
    """Show or clear the cache of fetched sources and check results. It can always be deleted."""


@command.command("dir", epilog="\b\nExample:\n  skillbag cache dir")
@json_option
def dir_(as_json: bool) -> None:
    """Print the cache folder; with --json also its size and that of the check results."""
    from skillbag.install.caching import describe_cache

    with reporting("cache dir", as_json=as_json) as report:
        report(describe_cache())


@command.command("prune", epilog="\b\nExample:\n  skillbag cache prune --older-than 30")
@click.option(
    "--older-than", type=click.IntRange(0), default=0, metavar="DAYS", help="Only what was not used for this many days."
)
@json_option
def prune(older_than: int, as_json: bool) -> None:
    """Clear the cache, except what another process is using."""
    from skillbag.install.caching import prune_cache

    with reporting("cache prune", as_json=as_json) as report:
        report(prune_cache(older_than))
