"""`skillbag run --source ADDRESS SKILL`: a skill is fetched into the cache and judged, and nothing is installed."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from contextlib import closing
from dataclasses import replace

from skillbag.agents.personal.available import AgentSkill, Home
from skillbag.agents.personal.runs import run_personal
from skillbag.doors.cli.check_source import OF_FOLDERS, verdict
from skillbag.doors.cli.fetched import source_at, without_offline
from skillbag.doors.cli.messages import note
from skillbag.doors.cli.progress import progress
from skillbag.doors.cli.workspaces import root_at
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.name_lists import nearest
from skillbag.kernel.workspace.discovery import NoWorkspaceError
from skillbag.kernel.workspace.target import SKILL_FILE, TargetKind
from skillbag.lint.engine.checker import Checker
from skillbag.lint.engine.request import CheckRequest
from skillbag.session.entry.invocation import Run
from skillbag.session.inputs.acceptance import accept_rules
from skillbag.supply.install.choice import skills_in
from skillbag.supply.install.problems import quoted
from skillbag.supply.sources.address import without_credentials
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetched import Fetched

_NAMED = 20
"""Skills or folders that a message names."""


def run_from_source(
    address: str,
    identifier: str,
    workspace: str,
    values: Mapping[str, object],
    *,
    accept: Collection[str],
    says: Iterable[str],
    prohibits: Iterable[str],
    allow: Collection[str],
    incomplete: bool,
) -> Run:
    """The run of a skill of a source, with the absolute paths of its files in the cache.

    The context files of the workspace around the folder `workspace`, if any, apply. `accept` is as in `Session.run`.
    Skills that it declares are not looked for, `incomplete` or not.

    Raises:
        UserError: it is no address, its contents are hostile, or it has no such skill.
        OSError: it can't be fetched.
    """
    shown, here = without_credentials(address), os.getcwd()
    with without_offline(), progress(False) as under_way, closing(Fetcher(progress=under_way.tell)) as fetcher:
        source, found = source_at(address, here, fetcher)
        fetched = fetcher.fetch(replace(source, plain=True), found.version)
    skills = skills_in(fetched, found.folder)
    name = _chosen(identifier, skills, fetched)
    folder = os.path.realpath(skills[name])
    if accept:
        accept_rules(folder, accept)
    skill = AgentSkill(name, "", folder, SKILL_FILE, Home.PERSONAL, shown)
    run = run_personal(skill, _root_around(workspace), values, prohibits, allow, says)
    if run.ready:
        request = CheckRequest((folder,), TargetKind.SKILLS, ignore=(OF_FOLDERS,), root=fetched.root, trusted=False)
        note(verdict(Checker(request).check(), f"{name} of {shown}", folder))
    return Run(run._replace(files=tuple(os.path.join(folder, *file.split("/")) for file in run.files)), None)


def _chosen(identifier: str, skills: Mapping[str, str], fetched: Fetched) -> str:
    for name in (identifier, identifier.replace("_", "-")):
        if name in skills:
            return name
    copies = fetched.plain.ambiguous.get(identifier, ()) if fetched.plain else ()
    there = f"it has {quoted(list(skills), _NAMED)}"
    if copies:
        there = f"these folders hold one each: {quoted(copies, _NAMED)}; name one of them behind the address"
    like = nearest(identifier, skills, "`{}`")
    raise UserError(f"{fetched.source.declared}: there is no skill `{identifier[:80]}`; {there}{like}")


def _root_around(folder: str) -> str | None:
    try:
        return root_at(folder)
    except NoWorkspaceError:
        return None
