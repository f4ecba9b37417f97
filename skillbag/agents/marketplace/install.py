"""Install and remove a skill of the marketplace by its reference, with a message for an agent or a person."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing

from skillbag.agents.marketplace.references import (
    BadReferenceError,
    SkillReference,
    SkillToFetch,
    find_wanted,
    parse_reference,
)
from skillbag.agents.settings.scope import Scope, required_root
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.workspace.lock_file import LOCK, Locked, short
from skillbag.kernel.workspace.model import open_workspace
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL
from skillbag.report.capabilities.text import change_lines
from skillbag.session.settings.reserved import reserved_parameters
from skillbag.supply.install.confirmation import Prompter
from skillbag.supply.install.install import install_into, preload_rules
from skillbag.supply.install.outcome import Outcome, Problem, SkillRow, Status
from skillbag.supply.install.remove import Removal, remove
from skillbag.supply.install.request import InstallRequest
from skillbag.supply.install.state import InstalledState
from skillbag.supply.links.commands import relinked
from skillbag.supply.sources.address import parse_source
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.source import BadSourceError, install_command


class InstallRefusedError(UserError):
    """A skill was not installed or removed; one line for each reason. `exit` is the exit code."""

    def __init__(self, message: str, exit_: int = 1) -> None:
        super().__init__(message)
        self.exit = exit_


def install_skill(scope: Scope, ref: str, prompter: Prompter | None = None) -> str:
    """Install a skill into the workspace; return a message.

    `ref` is `owner/name` (the repository github.com/owner/skills), `SOURCE/name` of a configured source, a name that
    only one configured source offers, or ADDRESS#name. The `prompter` asks what an installation asks.

    Raises:
        UserError: it is none of these, or can't be installed; with every fault.
        OSError: the environment failed; the workspace is unchanged.
    """
    reference = parse_reference(ref)
    root = required_root(scope)
    if InstalledState(root).is_present(reference.name):
        return f"Skill '{reference.name}' is already installed. Remove it first to reinstall."
    # Reports invalid settings of the reserved skill.
    reserved_parameters(open_workspace(root))
    wanted = find_wanted(reference, root)
    request = InstallRequest("install", (wanted.name,), wanted.address, wanted.version)
    with closing(Fetcher(own=True, on_wait=preload_rules)) as fetcher:
        # `Prompter()` can't ask: a question ends the installation.
        outcome = relinked(install_into(root, request, fetcher, prompter or Prompter()))
    failure = f"Skill '{wanted.name}' was not installed; the workspace is as it was."
    if any("--accept " in problem.fix for problem in outcome.problems):
        command = install_command(wanted.name, parse_source(wanted.address, root), wanted.version)
        failure += f" The options below are those of `{command}`."
    _check(outcome, failure)
    message = [" ".join([*_installed(wanted, outcome.skills), *outcome.notes]), *change_lines(outcome.capabilities)]
    for steps in outcome.steps:
        message.append(
            f"Extra installation steps of {steps.source}, for {', '.join(steps.skills)}. The user agreed to them:"
        )
        message += (f"  | {line}" for line in steps.text.splitlines())
    return "\n".join(message)


def remove_skill(scope: Scope, ref: str) -> str:
    """Remove an installed skill, by its name or its reference; return a message. Raises as `install_skill`."""
    reference = parse_reference(ref)
    root, name = required_root(scope), reference.name
    state = InstalledState(root)
    if not state.is_present(name):
        return f"Skill '{name}' is not installed."
    locked = state.locked(name)
    if locked is not None:
        _check_origin(reference, locked, root)
    outcome = relinked(remove(root, Removal((name,))))
    _check(outcome, f"Skill '{name}' was not removed.")
    return " ".join([f"Successfully removed skill '{name}'.", *outcome.notes])


def _installed(wanted: SkillToFetch, rows: Iterable[SkillRow]) -> Iterator[str]:
    new = {row.name: row for row in rows if row.status is Status.INSTALLED}
    yield f"Successfully installed skill '{wanted.name}'."
    if (row := new.pop(wanted.name, None)) is not None:
        at = short(row.resolved)
        version = row.version or at
        if row.version and at and not row.version.startswith(at):
            version = f"{row.version} ({at})"
        yield f"It comes from {row.source}{f' at {version}' if version else ''}."
    new.pop(BOOTSTRAP_SKILL, None)
    if new:
        yield f"Its dependencies were installed as well: {', '.join(new)}."


def _check(outcome: Outcome, failure: str) -> None:
    """Raise for an outcome with problems, each with its location and fix."""
    if outcome.problems:
        raise InstallRefusedError("\n".join([failure, *map(_format_problem, outcome.problems)]), outcome.exit)


def _format_problem(problem: Problem) -> str:
    place = ":".join(str(part) for part in (problem.path, problem.line, problem.column) if part)
    where = ", ".join(part for part in (problem.source, place) if part)
    rule = f" [{problem.rule or problem.clause}]" if problem.rule or problem.clause else ""
    text = "".join(f"\n  | {line}" for line in problem.text.splitlines())
    return f"- {f'{where}: ' if where else ''}{problem.message}{rule}{f' {problem.fix}' if problem.fix else ''}{text}"


def _check_origin(reference: SkillReference, locked: Locked, root: str) -> None:
    """Refuse a reference to another source than that of the installed skill; a name alone is always accepted."""
    if reference.qualifier is None and reference.address is None:
        return
    wanted = find_wanted(reference, root)
    try:
        source = parse_source(locked.source, root)
    except BadSourceError as error:
        raise BadReferenceError(f"{LOCK}: {reference.name}: {error}; {reference.name} alone removes it") from error
    if parse_source(wanted.address, root).identity != source.identity:
        raise BadReferenceError(
            f"the skill {reference.name} that is installed comes from {source.declared}, not from {wanted.address}; "
            f"{reference.name} alone removes it"
        )
