"""`skillbag remove`."""

from __future__ import annotations

import click

from skillbag.cli.command_support import (
    check_names,
    finish,
    json_option,
    root_of,
    tell_waiting,
    wait_option,
    workspace_option,
)
from skillbag.install.outcome import Outcome

_EXAMPLES = """\b
Examples:
  skillbag remove lint-docs
  skillbag remove lint-docs --dry-run
  skillbag remove lint-docs --overwrite lint-docs    even if it was edited here
"""


@click.command("remove", epilog=_EXAMPLES)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--force", is_flag=True, help="Remove skills even if others require them.")
@click.option("--overwrite", multiple=True, metavar="NAME", help="Discard local edits of this skill; a copy is kept.")
@click.option("--dry-run", is_flag=True, help="Show what would be removed, without writing.")
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

    def work() -> Outcome:
        check_names((*names, *overwrite), "skillbag list shows the names of what is installed")
        removal = Removal(names, force, frozenset(overwrite), dry_run, wait)
        return remove(root_of(folder), removal, tell_waiting(as_json))

    finish("remove", as_json, work)
