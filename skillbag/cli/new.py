"""`skillbag new`."""

from __future__ import annotations

import os

import click

from skillbag.bootstrap.skill import plan_new
from skillbag.cli.init import carry_out
from skillbag.cli.recovery import recovered
from skillbag.workspace.discovery import enclosing_root


@click.command("new")
@click.argument("name")
@click.option("--description", metavar="TEXT", help="What the skill does and when to use it, in one line.")
@click.option("--path", default=".", type=click.Path(file_okay=False, exists=True), help="A folder in the workspace.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, without writing.")
def command(name: str, description: str | None, path: str, dry_run: bool) -> None:
    """Add the skill NAME and its catalog line to the workspace around this folder.

    Without --description a placeholder is written, and skillbag check warns until you replace it.

    \b
    Examples:
      skillbag new convert-to-pdf
      skillbag new release-notes --description "Write release notes. Use when a version is about to be tagged."
    """
    folder = recovered(os.path.abspath(path))
    plan = plan_new(enclosing_root(folder) or folder, name, description)
    carry_out(plan, dry_run)
    if description is None and not dry_run:
        click.echo(f"Replace the placeholder description in {plan.actions[0].path}; skillbag check warns until you do.")
        if len(plan.actions) > 1:
            click.echo("Then skillbag check --fix copies it to the catalog.")
