"""`skillbag install`, `skillbag add` and `skillbag update`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from skillbag.base.errors import UserError
from skillbag.cli.command_support import (
    Progress,
    check_names,
    finish,
    json_option,
    look_of,
    offline_option,
    progress,
    root_of,
    tell_waiting,
    wait_option,
    workspace_option,
)
from skillbag.install.outcome import Outcome, Problem

if TYPE_CHECKING:
    from skillbag.install.confirmation import Prompter
    from skillbag.install.request import InstallRequest
    from skillbag.lifecycle.reserved import Listed
    from skillbag.standard.declarations import Level as DeclaredAt
    from skillbag.standard.declarations import Wanted

_NAMES = click.argument("names", nargs=-1, metavar="[NAME]...")
_SOURCE = click.option(
    "--source",
    metavar="ADDRESS",
    help="A git repository, a zip over HTTP(S) or on the disk, or a folder; a relative path counts from the root "
    "of the workspace.",
)
_VERSION = click.option("--version", metavar="VERSION", help="With names or --all: the tag, branch or commit.")
_OPTIONS = (
    click.option("--optional", is_flag=True, help="Also install optional dependencies."),
    offline_option,
    click.option("--dry-run", is_flag=True, help="Show the plan, without writing."),
    click.option("--yes", "-y", is_flag=True, help="Accept the plan, but no extra steps and no overwriting."),
    click.option("--accept-steps", is_flag=True, help="Accept the extra installation steps of sources."),
    click.option("--accept-moved", is_flag=True, help="Accept tags that were moved."),
    click.option(
        "--overwrite", multiple=True, metavar="NAME", help="Discard local edits of this skill; a copy is kept."
    ),
    click.option(
        "--merge", multiple=True, metavar="NAME", help="Merge local edits of this skill with the new version."
    ),
    click.option("--markers", is_flag=True, help="With --merge: write conflict markers."),
    wait_option,
    workspace_option,
    json_option,
)
_LEAVING_OUT = (
    click.option("--except", "excluded", multiple=True, metavar="NAME", help="Leave this skill as it is."),
    click.option("--keep-going", is_flag=True, help="Skip skills that cannot be installed, and report them."),
)
_EXITS = """\

\b
Exit codes: 0 done, 1 an invalid source or drift, 2 bad usage or nothing to
install, 3 a conflict or an open question, 4 a fetch or the disk failed.
"""


def _with(*options: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


_INSTALL_EXAMPLES = """\b
Examples:
  skillbag install                       what CONTEXT.md declares
  skillbag install --frozen              what skillbag.lock records, for CI
  skillbag install --upgrade --dry-run   what an update would change
  skillbag install --all --source ../our-skills
  skillbag install lint-docs --source git@example.com:Org/skills.git
  skillbag install pdf --source https://example.com/Org/skills.git --plain
"""


@click.command("install", epilog=_INSTALL_EXAMPLES + _EXITS)
@_with(_NAMES, _SOURCE, _VERSION)
@click.option(
    "--plain", is_flag=True, help="With --source: accept a plain repository of Agent Skills (skills/NAME/SKILL.md)."
)
@click.option("--all", "everything", is_flag=True, help="With --source: install all of its skills.")
@click.option("--upgrade", is_flag=True, help="Look for newer versions of installed skills.")
@click.option("--frozen", is_flag=True, help="Install what skillbag.lock records; fail if anything differs from it.")
@_with(*_LEAVING_OUT, *_OPTIONS)
def install(**options: Any) -> None:
    """Install the skills that CONTEXT.md declares and those named, with their dependencies.

    Every source is verified before anything is written. If something fails, the workspace is unchanged. Installed
    skills stay, and local edits are only overwritten if --overwrite names the skill.
    """
    finish("install", options["as_json"], _work("install", **options))


_ADD_EXAMPLES = """\b
Examples:
  skillbag add translate-page --source ../our-skills
  skillbag add lint-docs --source git@example.com:Org/skills.git --version v1
"""


@click.command("add", epilog=_ADD_EXAMPLES + _EXITS)
@_with(click.argument("names", nargs=-1, metavar="NAME..."), _SOURCE, _VERSION, *_OPTIONS)
@click.option("--plain", is_flag=True, hidden=True)
def add(**options: Any) -> None:
    """Install skills and declare them in CONTEXT.md. All other text of the file stays as it is.

    Without --version, the default branch of a git repository is declared.
    """
    finish("add", options["as_json"], _work("add", declare=True, **options))


_UPDATE_EXAMPLES = """\b
Examples:
  skillbag update                      everything that is locked
  skillbag update lint-docs --yes      one skill, without a question
  skillbag update --dry-run            what it would change
"""


@click.command("update", epilog=_UPDATE_EXAMPLES + _EXITS)
@_with(_NAMES, _VERSION, *_LEAVING_OUT, *_OPTIONS)
def update(**options: Any) -> None:
    """Look for newer versions of the installed skills (or of those named) and install them: install --upgrade."""
    finish("update", options["as_json"], _work("update", upgrade=True, **options))


def _work(
    command: str,
    *,
    names: tuple[str, ...],
    offline: bool,
    overwrite: tuple[str, ...],
    merge: tuple[str, ...],
    folder: str,
    as_json: bool,
    excluded: tuple[str, ...] = (),
    **options: Any,
) -> Callable[[], Outcome]:
    """What a command does, to be called by `finish`."""
    from skillbag.install.install import install_into, preload_rules
    from skillbag.install.request import InstallRequest
    from skillbag.sources.fetch import Fetcher

    request = InstallRequest(
        command,
        names,
        overwrite=frozenset(overwrite),
        merge=frozenset(merge),
        excluded=frozenset(excluded),
        **options,
    )

    def work() -> Outcome:
        _check(request)
        root = root_of(folder)
        asked, notes = _with_parameters(request, root)
        with (
            progress(as_json) as under_way,
            closing(Fetcher(offline=offline, progress=under_way.tell, own=True, on_wait=preload_rules)) as fetcher,
        ):
            outcome = install_into(root, asked, fetcher, _asker(as_json, under_way))
        return replace(outcome, notes=(*notes, *outcome.notes))

    return work


def _with_parameters(request: InstallRequest, root: str) -> tuple[InstallRequest, tuple[str, ...]]:
    """The request with what the context files set for the reserved skill, and a sentence on what it comes to.

    Names on the command line speak before `skills`, `--frozen` before `upgrade`.
    """
    from skillbag.lifecycle.reserved import reserved_parameters
    from skillbag.workspace.model import open_workspace

    upgrade, skills = reserved_parameters(open_workspace(root))
    if request.command != "install":
        return request, ()
    listed = _listed(request, skills)
    if upgrade is None or request.upgrade or request.frozen:
        return replace(request, listed=listed), ()
    told = f"{upgrade} says `upgrade: true`: newer versions are looked for."
    return replace(request, upgrade=True, listed=listed), (told,)


def _listed(request: InstallRequest, skills: tuple[Listed, ...]) -> tuple[tuple[Wanted, DeclaredAt], ...]:
    """The skills of the parameter `skills` that this installation takes: without names on the command line, all.

    Those that name no source are taken from `--source`, at `--version`; where all name one, nothing asks for anything
    of that source, and there is nothing to take. Nor are plain skills listed: a context file has no word for them.
    """
    if request.names or request.everything:
        return ()
    listed = tuple((one.wanted, one.level) for one in skills)
    if request.source is None:
        return listed
    if request.plain or all(wanted.source for wanted, _ in listed):
        return ()
    return tuple((wanted if wanted.source else _taken_from(wanted, request), level) for wanted, level in listed)


def _taken_from(wanted: Wanted, request: InstallRequest) -> Wanted:
    return wanted._replace(source=request.source, version=wanted.version or request.version)


def _check(request: InstallRequest) -> None:
    """What the command line alone can tell; the rest is seen where the workspace is known."""
    where = "" if request.source else " --source ADDRESS"
    offers = "skillbag list --source ADDRESS shows what a source offers"
    named = (*request.names, *request.overwrite, *request.merge, *request.excluded)
    check_names(named, f"write NAME{where}; {offers}")
    if request.declare and not request.names:
        raise UserError(f"name the skills to add; {offers}")
    if request.version is not None and not request.version.strip():
        raise UserError("--version is empty: name a tag, a branch or a commit, or leave it out")
    if request.markers and not request.merge:
        raise UserError("--markers goes with --merge NAME")
    if both := sorted(request.overwrite & request.merge):
        raise UserError(f"{', '.join(both)}: --overwrite lets the local edits go, --merge keeps them: give one of them")


def _asker(as_json: bool, under_way: Progress) -> Prompter:
    """Whom to ask."""
    from skillbag.install.confirmation import Prompter
    from skillbag.report.outcome_text import render_question, render_text

    look = look_of(sys.stderr)

    def ask(question: str, text: str) -> bool:
        with under_way.paused():
            click.echo(text, nl=False, err=True)
            return click.confirm(question, err=True)

    def plan(outcome: Outcome) -> bool:
        return ask("Go ahead?", render_text(outcome, look, planned=True))

    def steps(problem: Problem) -> bool:
        return ask("Agree to these steps? Nothing of them is executed here.", render_question(problem, look))

    def moved(problem: Problem) -> bool:
        return ask("Take what the tag means now?", render_question(problem, look))

    def waiting() -> None:
        with under_way.paused():
            tell_waiting(as_json)()

    # While progress is shown, `sys.stderr` is a stand-in, which may not know what it stands for.
    present = not as_json and sys.stdin.isatty() and sys.__stderr__ is not None and sys.__stderr__.isatty()
    return Prompter(present, plan, steps, moved, waiting)
