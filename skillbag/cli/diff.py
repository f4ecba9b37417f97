"""`skillbag diff`."""

from __future__ import annotations

import click

from skillbag.cli.command_support import (
    check_names,
    finish,
    json_option,
    offline_option,
    progress,
    root_of,
    workspace_option,
)
from skillbag.install.outcome import Outcome


@click.command("diff", epilog="\b\nExamples:\n  skillbag diff lint-docs\n  skillbag diff lint-docs --upstream")
@click.argument("name")
@click.option("--upstream", is_flag=True, help="Compare the installed skill with the source's current version.")
@offline_option
@workspace_option
@json_option
def command(name: str, upstream: bool, offline: bool, folder: str, as_json: bool) -> None:
    """Show the local edits of a skill as a patch."""

    def work() -> Outcome:
        from skillbag.install.difference import diff_skill
        from skillbag.sources.fetch import Fetcher

        check_names([name], "skillbag list shows the names of what is installed")
        root = root_of(folder)
        with progress(as_json) as under_way:
            return diff_skill(root, name, upstream, Fetcher(offline=offline, progress=under_way.tell))

    finish("diff", as_json, work)
