"""`skillbag init` and `skillbag new`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import Any

import click

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.messages import note_shown
from skillbag.doors.cli.options import dry_run_option, json_option
from skillbag.doors.cli.output_style import output_style
from skillbag.doors.cli.outputs import check_plan
from skillbag.doors.cli.workspaces import absolute, recovered
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.name_lists import split_list
from skillbag.kernel.documents.source import why_unread
from skillbag.kernel.fs.read import LIMIT, Unreadable, read
from skillbag.kernel.workspace.agents import INSTRUCTIONS
from skillbag.kernel.workspace.discovery import enclosing_root
from skillbag.kernel.workspace.target import CATALOG_PATH
from skillbag.report.answers.commands import SetupFileJson, SetupJson
from skillbag.report.sanitize import shown_page
from skillbag.supply.bootstrap.active_skill import NewType, ways_to_try
from skillbag.supply.bootstrap.address import RepositoryAddress, parse_address
from skillbag.supply.bootstrap.agents_skills import agents_of, move_skills, skills_of_agents
from skillbag.supply.bootstrap.check_files import CONFIG, WORKFLOW
from skillbag.supply.bootstrap.init import InitOptions, adds_only_checks, plan_init
from skillbag.supply.bootstrap.mcp_server import COMMAND, is_configured
from skillbag.supply.bootstrap.plan import SetupPlan, apply, planning, write
from skillbag.supply.bootstrap.skill import plan_new
from skillbag.supply.install.apply import sync
from skillbag.supply.links.commands import link

_TIMEOUT = 30
"""Seconds that a published entrypoint may take to arrive."""
_FEW = 5
_AFTER_INIT = (
    "skillbag add ADDRESS or skillbag new NAME, then skillbag check; an agent's session begins with skillbag enter"
)
_AFTER_CHECKS = "skillbag check; commit what is new here once it passes"


@click.command("init", cls=CliCommand)
@click.argument("path", default=".", type=click.Path(file_okay=False))
@click.option("--source", is_flag=True, help="Create a source: a repository to install skills from.")
@click.option(
    "--agents", default="", metavar="NAMES", help=f"Also write files for these agents: {', '.join(INSTRUCTIONS)}."
)
@click.option("--hooks", is_flag=True, help="With --agents claude: sessions enter here, and ask active skills.")
@click.option("--entrypoint", metavar="FILE|URL", help="Use a copy of this text as SKILLBAG.md.")
@click.option("--pre-commit", is_flag=True, help="Add the hook to .pre-commit-config.yaml.")
@click.option("--github", is_flag=True, help="With --repo: add a GitHub workflow.")
@click.option("--move", is_flag=True, help="Move the skills of agents to .skills/, and link them back.")
@click.option("--repo", metavar="ADDRESS", help="The repository from which hook and workflow install skillbag.")
@click.option("--rev", metavar="REV", help="With --repo: the tag or full commit hash.  [default: this version's tag]")
@dry_run_option
@json_option
def init(
    path: str, agents: str, entrypoint: str | None, move: bool, dry_run: bool, as_json: bool, **chosen: Any
) -> None:
    """Make PATH (this folder by default) a workspace that conforms: write what is missing and nothing else.

    Existing files are never overwritten. A second run changes nothing. Where skills are that need no workspace,
    --pre-commit and --github write their file only.

    \b
    Examples:
      skillbag init
      skillbag init --pre-commit               the hook; in a folder of plain skills nothing else
      skillbag init --agents claude,copilot --pre-commit
      skillbag init --github --repo owner/name --rev v1.2
      skillbag init --source ../my-skills
      skillbag init --move                     skills of agents move to .skills/, with links back
    """
    with answering("init", as_json=as_json) as say:
        text = _entrypoint(entrypoint) if entrypoint else None
        options = InitOptions(agents=split_list([agents]), entrypoint_text=text, **chosen)
        plan = plan_init(recovered(absolute(path)), options)
        if options.repo and {change.path for change in plan.changes} & {CONFIG, WORKFLOW}:
            _look_up(parse_address(options.repo, options.rev))
        if plan.changes and not dry_run:
            check_plan(plan)
            apply(plan)
        left_alone = adds_only_checks(plan.root, options)
        hints = [*_next_steps(plan, left_alone=left_alone)] if not dry_run else []
        if not (left_alone or options.source):
            hints += _agents_skills(plan.root, move=move, dry_run=dry_run, can_ask=not as_json)
        if options.hooks and not is_configured(plan.root):
            hints.append(f"The tools of active skills reach Claude Code through an MCP server: {COMMAND}")
        say(_answer(plan, dry_run, hints, _AFTER_CHECKS if left_alone else _AFTER_INIT))


def _next_steps(plan: SetupPlan, *, left_alone: bool) -> Iterator[str]:
    written = {change.path for change in plan.changes}
    if left_alone and written:
        yield "The skills here need no workspace, so nothing else was written; skillbag init makes one."
    if CONFIG in written:
        yield "Switch the hook on in each clone: pre-commit install (if it is missing: pipx install pre-commit)"


def _agents_skills(root: str, *, move: bool, dry_run: bool, can_ask: bool) -> Iterator[str]:
    """What is said of skills in the folders of agents, and done with them where the user agrees."""
    found = skills_of_agents(root) if os.path.isdir(root) else {}
    if not found:
        return
    seen = ", ".join(f"{len(names)} in {folder}/" for folder, names in found.items())
    yield f"Skills of agents are here: {seen}."
    if not (move or dry_run) and can_ask and sys.stdin.isatty() and sys.stderr.isatty():
        move = click.confirm(f"Skills are here: {seen}. Move them to .skills/, and link them back?", err=True)
    if not move:
        yield "They stay where agents find them; `skillbag init --move` moves them to .skills/ and links them back."
        return
    moved, left = move_skills(root, dry_run=dry_run)
    yield f"{'To be moved' if dry_run else 'Moved'} to .skills/: {', '.join(moved) or 'none'}."
    if left:
        yield f"Left, since another skill has the name, or it is no valid one: {', '.join(left)}."
    if moved and not dry_run:
        sync(root)
        link(root, agents_of(found))


@click.command("new", cls=CliCommand)
@click.argument("name")
@click.option("--description", metavar="TEXT", help="What the skill does and when to use it, in one line.")
@click.option(
    "--type",
    "type_",
    type=click.Choice([each.value for each in NewType]),
    help="Make it an active skill, with a manifest, code and a test.",
)
@click.option(
    "--workspace",
    "--path",
    "path",
    default=".",
    type=click.Path(file_okay=False, exists=True),
    help="The workspace or source, or a folder in it.",
)
@dry_run_option
@json_option
def new(name: str, description: str | None, type_: str | None, path: str, dry_run: bool, as_json: bool) -> None:
    """Add the skill NAME and its catalog line to the workspace around this folder.

    Without --description a placeholder is written, and skillbag check warns until you replace it.

    \b
    Examples:
      skillbag new convert-to-pdf
      skillbag new release-notes --description "Write release notes. Use when a version is about to be tagged."
      skillbag new find-lines --type tool --description "Find lines. Use to search a file."

    skillbag skill create is another name of this command.
    """
    with answering("new", as_json=as_json) as say:
        folder = recovered(absolute(path))
        kind = NewType(type_) if type_ else None
        root = enclosing_root(folder) or folder
        # Planned while nobody else writes: each of several at once adds its line to the catalog.
        with nullcontext() if dry_run else planning(root, note_shown):
            plan = plan_new(root, name, description, kind)
            if not dry_run:
                check_plan(plan)
                write(plan)
        hints = [] if dry_run else [*_trials(name, kind), *([] if description else _placeholders(plan, kind))]
        say(_answer(plan, dry_run, hints, f"edit {plan.actions[0].path}, then skillbag check"))


def _trials(name: str, kind: NewType | None) -> list[str]:
    return ["Then try it:", *(f"  {command}" for command in ways_to_try(name, kind))] if kind else []


def _placeholders(plan: SetupPlan, kind: NewType | None) -> Iterator[str]:
    yield f"Replace the placeholder description in {plan.actions[0].path}; skillbag check warns until you do."
    if kind:
        yield "Its SKILL.yaml needs the same one."
    if plan.actions[-1].path == CATALOG_PATH:
        yield "Then skillbag check --fix copies it to the catalog."


def _look_up(address: RepositoryAddress) -> None:
    """Check that the tag that is about to be written exists."""
    if address.is_pinned:
        return
    from skillbag.supply.sources.git_errors import OFFLINE_HINT
    from skillbag.supply.sources.git_remote import published_tags

    try:
        tags = published_tags(address.url)
    except OSError as error:
        raise OSError(
            f"--repo {str(error).removesuffix(OFFLINE_HINT)}. Nothing was written, since the repository may not have "
            f"the tag {address.rev}. Run it again where the repository can be reached, or give --rev with a full "
            "commit hash, which is not looked up"
        ) from error
    if address.rev not in tags:
        known = f"it has {', '.join(tags[:_FEW])}" if tags else "it has none"
        raise UserError(
            f"--repo {address.url}: there is no tag {address.rev}; {known}. Nothing was written; give --rev with an "
            "existing tag, or with a whole commit"
        )


def _answer(plan: SetupPlan, dry_run: bool, hints: Sequence[str], then: str) -> CommandOutput:
    """The plan, what was done, and what to do next."""
    if not plan.changes:
        done = "Everything is in place; nothing was written."
    else:
        done = "Nothing was written: this was a dry run." if dry_run else f"Next: {then}"
    files = tuple(SetupFileJson(action.act, action.path, action.why) for action in plan.actions)
    values = SetupJson(dry_run, plan.root, files, tuple(hints))
    lines = [shown_page(str(plan)).rstrip("\n"), *([] if output_style().quiet else [done, *hints])]
    return CommandOutput(values, "".join(f"{line}\n" for line in lines))


def _entrypoint(location: str) -> bytes:
    if location.partition("://")[0] in ("http", "https"):
        return _fetched(location)
    path = os.path.abspath(location)
    data = read(path, os.path.dirname(path))
    if isinstance(data, Unreadable):
        raise UserError(f"--entrypoint {location}: it can't be read: {why_unread(data)}")
    return data


def _fetched(address: str) -> bytes:
    from skillbag.supply.sources.http_client import fetch_text
    from skillbag.supply.sources.http_failures import DownloadError

    try:
        data = fetch_text(address, LIMIT + 1, _TIMEOUT)
    except DownloadError as error:
        # The chained errors may hold secrets.
        raise OSError(f"--entrypoint: {error.reason}; nothing was written") from None
    if len(data) > LIMIT:
        raise UserError(f"--entrypoint: the text is larger than {LIMIT >> 20} MiB")
    return data
