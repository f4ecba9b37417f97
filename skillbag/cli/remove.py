"""`skillbag remove`."""

from __future__ import annotations

import click

from skillbag.cli.command_support import check_names, reporting, tell_waiting
from skillbag.cli.options import dry_run_option, json_option, overwrite_option, wait_option, workspace_option
from skillbag.cli.workspaces import root_at

_EXAMPLES = """\b
Examples:
  skillbag remove lint-docs
  skillbag remove lint-docs --dry-run
  skillbag remove lint-docs --overwrite lint-docs    even if it was edited here
"""


@click.command("remove", epilog=_EXAMPLES)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--force", is_flag=True, help="Remove skills even if others require them.")
@overwrite_option
@dry_run_option
@wait_option
@workspace_option
@json_option
def command(
    names: tuple[str, ...],
    force: bool,
    overwrite: tuple[str, ...],
    dry_run: bool,
    wait: float,
    folder: str,
    as_json: bool,
) -> None:
    """Remove skills from .skills/, the catalog, skillbag.lock and CONTEXT.md."""
    from skillbag.install.remove import Removal, remove

    with reporting("remove", as_json=as_json) as report:
        check_names((*names, *overwrite), "skillbag list shows the names of what is installed")
        removal = Removal(names, force, frozenset(overwrite), dry_run, wait)
        report(remove(root_at(folder), removal, tell_waiting(as_json)))
