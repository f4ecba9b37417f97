"""`skillbag remove`."""

from __future__ import annotations

import click

from skillbag.cli.outcomes import finish, json_option, root_of, workspace_option
from skillbag.install.outcome import Outcome

_EXAMPLES = """\b
Examples:
  skillbag remove lint-docs
  skillbag remove lint-docs --overwrite lint-docs    even if it was edited; a copy stays in .skillbag/backup/
"""


@click.command("remove", epilog=_EXAMPLES)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--force", is_flag=True, help="Even if other skills need them.")
@click.option("--overwrite", multiple=True, metavar="NAME", help="Let local edits of this skill go; a copy stays.")
@click.option("--dry-run", is_flag=True, help="Show what would go; write nothing.")
@click.option("--wait", type=click.FloatRange(0), default=60.0, help="Seconds to wait for another writer.")
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
    """Take skills out of .skills/, the catalog, skillbag.lock and CONTEXT.md, all in one."""
    from skillbag.install.removing import Removal, remove

    def work() -> Outcome:
        removal = Removal(names, force, frozenset(overwrite), dry_run, wait)
        return remove(root_of(folder), removal)

    finish("remove", as_json, work)
