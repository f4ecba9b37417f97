"""`skillbag runtime dirs`: the folders that are searched for active skills, beside the usual ones."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable

import click

from skillbag.doors.cli.answers import CliGroup, CommandOutput, answering
from skillbag.doors.cli.messages import note_shown
from skillbag.doors.cli.options import json_option
from skillbag.doors.cli.person import check_person
from skillbag.report.sanitize import shown
from skillbag.report.views import lines_view

_EXAMPLES = """\b
Examples:
  skillbag runtime dirs add ~/work/team-skills
  skillbag runtime dirs list
  skillbag runtime dirs remove ~/work/team-skills

\b
They are `dirs` in the section `runtime` of your settings, and are searched at any depth, in every workspace.
Exit codes: 0 done, 2 bad usage or no such folder, 3 a person must decide, 4 the environment failed.
"""

_folder = click.argument("folder", metavar="DIR", type=click.Path())


@click.group("dirs", cls=CliGroup, epilog=_EXAMPLES)
def dirs() -> None:
    """Add, remove and list folders in which active skills are searched."""


@dirs.command("add", epilog="\b\nExample:\n  skillbag runtime dirs add ~/work/team-skills")
@_folder
@json_option
def add(folder: str, as_json: bool) -> None:
    """Search the folder DIR for active skills from now on."""
    from skillbag.agents.settings.runtime_settings import add_dir, listed_dirs

    path = os.path.abspath(os.path.expanduser(folder))

    def added() -> tuple[str, ...]:
        if os.path.isdir(path) and path not in listed_dirs():
            check_person(f"searching {shown(path)} for active skills in every workspace")
        return add_dir(path)

    _answer("add", added, as_json)


@dirs.command("remove", epilog="\b\nExample:\n  skillbag runtime dirs remove ~/work/team-skills")
@_folder
@json_option
def remove(folder: str, as_json: bool) -> None:
    """Do not search the folder DIR any longer; the folder itself stays."""
    from skillbag.agents.settings.runtime_settings import remove_dir

    path = os.path.abspath(os.path.expanduser(folder))

    def removed() -> tuple[str, ...]:
        if _has_guards(path):
            check_person(f"removing {shown(path)}, which holds guards that you have approved")
        return remove_dir(path)

    _answer("remove", removed, as_json)


@dirs.command("list", epilog="\b\nExamples:\n  skillbag runtime dirs list\n  skillbag runtime dirs list --json")
@json_option
def list_(as_json: bool) -> None:
    """List the folders."""
    from skillbag.agents.settings.runtime_settings import listed_dirs

    _answer("list", listed_dirs, as_json)


def _has_guards(folder: str) -> bool:
    """Whether the user has approved a guard that is found through the folder."""
    from skillbag.kernel.base.user_dirs import state_folder
    from skillbag.kernel.manifest.names import Permission
    from skillbag.runtime.broker.approvals import Approvals
    from skillbag.runtime.broker.store import RuntimeStore
    from skillbag.runtime.skill import SkillSource

    with contextlib.closing(RuntimeStore(state_folder(), note_shown)) as store:
        decisions = Approvals(store).list()
    guarding = {each.origin for each in decisions if each.permission == Permission.HOOK_OBSERVE}
    return f"{SkillSource.CONFIGURED}:{os.path.realpath(folder)}" in guarding


def _answer(verb: str, act: Callable[[], tuple[str, ...]], as_json: bool) -> None:
    from skillbag.report.runtime.acts import DirsJson

    with answering(f"runtime dirs {verb}", as_json=as_json) as say:
        found = act()
        say(CommandOutput(DirsJson(found), lines_view(found) or "No folders.\n"))
