"""Looking at installed skills: `list`, `tree`, `why`, `outdated`, `verify`; and `sync`."""

from __future__ import annotations

import os

import click

from skillbag.base.errors import UserError
from skillbag.cli.command_support import (
    check_names,
    finish,
    json_option,
    offline_option,
    progress,
    root_of,
    tell_waiting,
    wait_option,
    workspace_option,
)
from skillbag.install.outcome import Outcome


@click.command(
    "list", epilog="\b\nExamples:\n  skillbag list\n  skillbag list --source https://example.com/Org/skills.git"
)
@click.option("--source", metavar="ADDRESS", help="List what this source offers instead.")
@click.option("--version", metavar="VERSION", help="With --source: tag, branch or commit.")
@click.option("--plain", is_flag=True, help="With --source: accept a plain repository of Agent Skills.")
@offline_option
@workspace_option
@json_option
def list_(source: str | None, version: str | None, plain: bool, offline: bool, folder: str, as_json: bool) -> None:
    """List the installed skills and where they come from, or the skills that a source offers."""

    def work() -> Outcome:
        if version is not None and not (source and version.strip()):
            raise UserError("--version goes with --source ADDRESS, and names a tag, a branch or a commit")
        if plain and not source:
            raise UserError("--plain goes with --source ADDRESS")
        from skillbag.install import queries
        from skillbag.sources.fetch import Fetcher

        if source is None:
            return queries.list_skills(root_of(folder))
        base = queries.base_of(os.path.abspath(folder))
        with progress(as_json) as under_way:
            fetcher = Fetcher(offline=offline, progress=under_way.tell)
            return queries.list_offered(base, source, version, fetcher, plain=plain)

    finish("list", as_json, work)


@click.command("tree", epilog="\b\nExample:\n  skillbag tree")
@workspace_option
@json_option
def tree(folder: str, as_json: bool) -> None:
    """Show what CONTEXT.md, the command line and each skill require."""
    from skillbag.install import queries

    finish("tree", as_json, lambda: queries.tree(root_of(folder)))


@click.command("why", epilog="\b\nExample:\n  skillbag why lint-docs")
@click.argument("name")
@workspace_option
@json_option
def why(name: str, folder: str, as_json: bool) -> None:
    """Show every chain of dependencies that leads to a skill."""
    from skillbag.install import queries

    def work() -> Outcome:
        check_names([name], "skillbag list shows the names of what is installed")
        return queries.why(root_of(folder), name)

    finish("why", as_json, work)


@click.command("outdated", epilog="\b\nExample:\n  skillbag outdated --json")
@click.option("--strict", is_flag=True, help="Exit with 1 if something is outdated or pinned to an older version.")
@workspace_option
@json_option
def outdated(strict: bool, folder: str, as_json: bool) -> None:
    """List locked skills that have a newer version, and whether an update installs it or a pin prevents it."""

    def work() -> Outcome:
        from skillbag.install.outdating import outdated as find_outdated
        from skillbag.sources.fetch import Fetcher

        root = root_of(folder)
        with progress(as_json) as under_way:
            return find_outdated(root, Fetcher(progress=under_way.tell), strict=strict)

    finish("outdated", as_json, work)


@click.command(
    "verify", epilog="\b\nExamples:\n  skillbag verify && echo as locked\n  skillbag verify --source   in CI"
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
    from skillbag.install import queries

    def work() -> Outcome:
        if not sources:
            return queries.verify(root_of(folder))
        from skillbag.sources.fetch import Fetcher

        root = root_of(folder)
        with progress(as_json) as under_way:
            return queries.verify(root, Fetcher(offline=offline, progress=under_way.tell))

    finish("verify", as_json, work)


@click.command("sync", epilog="\b\nExample:\n  skillbag sync --dry-run")
@click.option("--dry-run", is_flag=True, help="Show whether it would change, without writing.")
@wait_option
@workspace_option
@json_option
def sync(dry_run: bool, wait: float, folder: str, as_json: bool) -> None:
    """Write .skills/SKILLS.md from the present skills, if it differs."""
    from skillbag.install.apply import sync as write_catalog

    def work() -> Outcome:
        return write_catalog(root_of(folder), dry_run=dry_run, wait=wait, waiting=tell_waiting(as_json))

    finish("sync", as_json, work)
