"""`skillbag install`, `skillbag add` and `skillbag update`: one function with different options."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from skillbag.doors.cli.answers import CliCommand
from skillbag.doors.cli.command_support import check_names, reporting
from skillbag.doors.cli.install_questions import picker, prompter
from skillbag.doors.cli.options import (
    combined,
    deny_option,
    dry_run_option,
    json_option,
    offline_option,
    overwrite_option,
    wait_seconds,
    workspace_option,
)
from skillbag.doors.cli.progress import progress
from skillbag.doors.cli.workspaces import absolute, skills_root_at
from skillbag.kernel.base.errors import UserError
from skillbag.supply.install.outcome import StoppedError

if TYPE_CHECKING:
    from skillbag.kernel.standard.declarations import Declaration
    from skillbag.kernel.standard.declarations import Level as DeclaredAt
    from skillbag.session.settings.reserved import ListedSkill
    from skillbag.supply.install.request import InstallRequest

_EXITS = """\

\b
--accept steps (of sources), moved (versions), optional (dependencies), markers
(of conflicts), failures (skips those; not in add), newer (versions; in install
only), or a RULE about security, which skillbag.lock records.

\b
Exit codes: 0 done, 1 an invalid source or drift, 2 bad usage or nothing to
install, 3 a conflict or an open question, 4 a fetch or the disk failed.
"""
_INSTALL = """\
Install the skills that CONTEXT.md declares and those named, with their dependencies.

Every source is verified before anything is written. If something fails, the workspace is unchanged. Installed
skills stay, and local edits are only overwritten if --overwrite names the skill.
"""
_INSTALL_EXAMPLES = """\b
Examples:
  skillbag install                       what CONTEXT.md declares
  skillbag install --frozen              what skillbag.lock records, for CI
  skillbag install --all --source ../our-skills
  skillbag install --source https://github.com/Org/skills/tree/v1/.skills/tidy
  skillbag install registry:pdf@^1.2     from your registry
"""
_ADD = """\
Install skills and declare them in CONTEXT.md. All other text of the file stays as it is.

Without --version, the default branch of a git repository is declared. Without names, a terminal lists the skills of the
source to pick from.
"""
_ADD_EXAMPLES = """\b
Examples:
  skillbag add Org/skills@v1 lint-docs      from github.com
  skillbag add ../our-skills                a folder: pick from a list
  skillbag add got.zip pdf --as pdf-forms   under another name
"""
_UPDATE = "Look for newer versions of the installed skills (or of those named) and install them."
_UPDATE_EXAMPLES = """\b
Examples:
  skillbag update                      everything that is locked
  skillbag update lint-docs --yes      one skill, without a question
  skillbag update --dry-run            what it would change
"""

_names = click.argument("names", nargs=-1, metavar="[ADDRESS] [NAME]...")
_source = click.option(
    "--source",
    metavar="ADDRESS",
    help="OWNER/REPO[@VERSION], an address, an archive or a folder.",
)
# What a source is gets found out: the option is still taken, and means nothing.
_plain = click.option("--plain", is_flag=True, hidden=True, expose_value=False)
_everything = click.option("--all", "everything", is_flag=True, help="Take all skills of the source.")
_version = click.option("--version", metavar="VERSION", help="The tag, branch or commit of the named skills.")
_ACCEPTED = {"steps": "accept_steps", "moved": "accept_moved", "markers": "markers", "optional": "optional"}
"""The field of the request that a word of `--accept` sets; other words are rules."""
_OF_COMMAND = {"install": {"failures": "keep_going", "newer": "upgrade"}, "update": {"failures": "keep_going"}}
"""Those that only one command has."""
_common = combined(
    _plain,
    offline_option,
    dry_run_option,
    click.option("--yes", "-y", is_flag=True, help="Accept the plan, but no extra steps and no overwriting."),
    click.option(
        "--accept", "accepted", multiple=True, metavar="WHAT", help="Accept what stands below, or a rule's errors."
    ),
    overwrite_option,
    click.option("--merge", multiple=True, metavar="NAME", help="Merge local edits with the new version."),
    deny_option,
    workspace_option,
    json_option,
)
_except = click.option("--except", "excluded", multiple=True, metavar="NAME", help="Leave this skill as it is.")


def _install(
    command: str,
    *,
    offline: bool,
    overwrite: tuple[str, ...],
    merge: tuple[str, ...],
    accepted: tuple[str, ...],
    folder: str,
    as_json: bool,
    excluded: tuple[str, ...] = (),
    **options: Any,
) -> None:
    from skillbag.supply.install.choice import with_address, with_location, with_names
    from skillbag.supply.install.install import install_into, preload_rules, stopped_outcome
    from skillbag.supply.install.request import InstallRequest, with_origins
    from skillbag.supply.sources.fetch import Fetcher

    words = _ACCEPTED | _OF_COMMAND.get(command, {})
    with reporting(command, as_json=as_json) as report:
        request = InstallRequest(
            command,
            overwrite=frozenset(overwrite),
            merge=frozenset(merge),
            accept_rules=frozenset(accepted) - words.keys(),
            excluded=frozenset(excluded),
            wait=wait_seconds(),
            **{words[word]: True for word in accepted if word in words} | options,
        )
        root = skills_root_at(folder, make=True)
        request = with_origins(request)
        request = request if request.upgrade else with_address(request, root, absolute("."))
        _check(request)
        fetcher_of = partial(Fetcher, offline=offline, accept_moved=request.accept_moved, own=True)
        with (
            progress(as_json) as under_way,
            closing(fetcher_of(progress=under_way.tell, on_wait=preload_rules)) as fetcher,
        ):
            notes: tuple[str, ...] = ()
            try:
                request, location = with_location(request, root, fetcher)
                request, notes = _with_parameters(request, root)
                request = with_names(request, location, root, fetcher, picker(as_json, under_way))
                notes = (location.note, *notes) if location and location.note else notes
                outcome = install_into(root, request, fetcher, prompter(as_json, under_way))
                if command == "update" and not (outcome.changed or outcome.problems):
                    from skillbag.supply.install.outdating import newer_notes

                    notes += (*newer_notes(root, request.names, fetcher),)
            except StoppedError as stopped:
                outcome = stopped_outcome(request, root, stopped)
        report(replace(outcome, notes=(*notes, *outcome.notes, *fetcher.remarks)))


install = click.command("install", cls=CliCommand, help=_INSTALL, epilog=_INSTALL_EXAMPLES + _EXITS)(
    combined(
        _names,
        _source,
        click.option("--version", metavar="VERSION", help="With names or --all: the tag, branch or commit."),
        _everything,
        click.option("--frozen", is_flag=True, help="Install what skillbag.lock records, or fail."),
        _except,
        _common,
    )(partial(_install, "install"))
)
add = click.command("add", cls=CliCommand, help=_ADD, epilog=_ADD_EXAMPLES + _EXITS)(
    combined(
        _names,
        _source,
        _version,
        _everything,
        _except,
        click.option("--as", "rename", metavar="NAME", help="Install the one named skill under this name."),
        _common,
    )(partial(_install, "add", declare=True))
)
update = click.command("update", cls=CliCommand, help=_UPDATE, epilog=_UPDATE_EXAMPLES + _EXITS)(
    combined(click.argument("names", nargs=-1, metavar="[NAME]..."), _version, _except, _common)(
        partial(_install, "update", upgrade=True)
    )
)


def _with_parameters(request: InstallRequest, root: str) -> tuple[InstallRequest, tuple[str, ...]]:
    """The request with what the context files set for the reserved skill, and a note on it.

    Names on the command line replace `skills`, and `--frozen` wins over `upgrade`.
    """
    from skillbag.session.settings.reserved import reserved_parameters
    from skillbag.supply.install.state import InstalledState

    upgrade, skills = reserved_parameters(InstalledState(root).workspace)
    if request.command != "install":
        return request, ()
    listed = _listed(request, skills)
    if upgrade is None or request.upgrade or request.frozen:
        return replace(request, listed=listed), ()
    note = f"{upgrade} says `upgrade: true`: newer versions are looked for."
    return replace(request, upgrade=True, listed=listed), (note,)


def _listed(request: InstallRequest, skills: tuple[ListedSkill, ...]) -> tuple[tuple[Declaration, DeclaredAt], ...]:
    """The skills of the parameter `skills` that this installation takes: without names on the command line, all.

    Those that name no source are taken from `--source`, at `--version`; where all name one, nothing is required of
    that source, and there is nothing to take.
    """
    if request.names or request.everything:
        return ()
    if request.source is None:
        return skills
    if all(skill.wanted.source for skill in skills):
        return ()

    def located(wanted: Declaration) -> Declaration:
        return wanted._replace(source=request.source, version=wanted.version or request.version)

    return tuple((wanted if wanted.source else located(wanted), level) for wanted, level in skills)


def _check(request: InstallRequest) -> None:
    """Check what depends on the command line alone; `check_request` checks the rest."""
    where = "" if request.source else " --source ADDRESS"
    offers = "skillbag list --source ADDRESS shows what a source offers"
    named = (*request.names, *request.overwrite, *request.merge, *request.excluded)
    check_names(named, f"write NAME{where}; {offers}")
    if request.declare and not request.names and not request.source:
        raise UserError(f"name the skills to add; {offers}")
    if request.rename and (len(request.names) != 1 or not request.source):
        raise UserError("--as gives one skill of a source another name: skillbag add ADDRESS NAME --as OTHER")
    if request.version is not None and not request.version.strip():
        raise UserError("--version is empty: name a tag, a branch or a commit, or leave it out")
    if request.markers and not request.merge:
        raise UserError("--accept markers goes with --merge NAME")
