"""The options of an installation."""

from __future__ import annotations

from dataclasses import dataclass

from skillbag.base.errors import UserError
from skillbag.standard.declarations import Level, Wanted
from skillbag.standard.names import is_name


@dataclass(frozen=True, slots=True)
class InstallRequest:
    """The options of an installation; `command` is its name in the report.

    `source` and `version` apply to every name; `everything` takes all skills of the source. With `plain` the source may
    be a plain repository of Agent Skills. `declare` also writes the names into `CONTEXT.md`. `yes` accepts the plan,
    `accept_steps` extra steps of sources, `accept_moved` moved tags. `overwrite` and `merge` name the skills whose
    local edits may be replaced or merged; `markers` marks conflicts. `wait` are the seconds to wait for another writer.
    `listed` are skills that a context file lists for the reserved skill to install, with the level of that file.
    `excluded` skills stay as they are. With `keep_going` the run leaves out and reports skills that `failed`.
    """

    command: str = "install"
    names: tuple[str, ...] = ()
    source: str | None = None
    version: str | None = None
    everything: bool = False
    upgrade: bool = False
    optional: bool = False
    frozen: bool = False
    dry_run: bool = False
    yes: bool = False
    accept_steps: bool = False
    accept_moved: bool = False
    overwrite: frozenset[str] = frozenset()
    merge: frozenset[str] = frozenset()
    markers: bool = False
    declare: bool = False
    wait: float = 60.0
    plain: bool = False
    listed: tuple[tuple[Wanted, Level], ...] = ()
    excluded: frozenset[str] = frozenset()
    keep_going: bool = False
    failed: frozenset[str] = frozenset()


class BadNameError(UserError):
    """A name that no skill can have."""


def check_request(request: InstallRequest) -> None:
    """Refuse options that contradict each other, and names that no skill can have.

    Raises:
        UserError: what to give instead.
    """
    for name in (*request.names, *request.overwrite, *request.merge, *request.excluded):
        check_name(name)
    if request.everything and not request.source:
        raise UserError("--all needs --source: everything of which source?")
    if request.everything and request.names:
        raise UserError("--all takes everything: give it, or names, not both")
    if request.source and not request.names and not request.everything and not request.listed:
        raise UserError(
            "which skills of this source? Name them, or give --all; skillbag list --source shows what it offers"
        )
    if request.plain and request.declare:
        raise UserError(
            "--plain can't be declared: CONTEXT.md only declares SkillBag sources; "
            "skillbag install NAME --source ADDRESS --plain records it in skillbag.lock"
        )
    if request.plain and not request.source:
        raise UserError("--plain needs --source: which repository of plain Agent Skills?")
    if request.version and not request.names and not request.everything and not (request.source and request.listed):
        everything = ", or --all --source" if request.command == "install" else ""
        raise UserError(f"--version needs the names of skills{everything}")
    if request.frozen and request.upgrade:
        raise UserError("--frozen installs what is locked, --upgrade looks for newer versions: give one of them")
    if request.frozen and (request.overwrite or request.merge):
        raise UserError("--frozen touches nothing that is there: leave it out to overwrite or merge")
    if request.frozen and request.accept_moved:
        raise UserError("--frozen installs the commits that are locked, wherever tags are: leave out --accept-moved")
    if request.frozen and (request.excluded or request.keep_going):
        raise UserError("--frozen installs all that is locked: leave out --except and --keep-going")
    if both := sorted(request.excluded & {*request.names, *request.overwrite, *request.merge}):
        raise UserError(f"{', '.join(both)}: named, and by --except too: give one of them")
    if both := sorted(request.overwrite & request.merge):
        raise UserError(f"{', '.join(both)}: --overwrite lets local edits go, --merge keeps them: give one of them")


def check_name(name: str) -> None:
    """Refuse what is no canonical name of a skill (clause root.name-pattern), before anything else looks at it.

    Raises:
        BadNameError: with the name that was probably meant.
    """
    if is_name(name):
        return
    from skillbag.bootstrap.skill import suggest_name

    better = suggest_name(name)
    hint = f"; is {better} meant?" if better else ""
    raise BadNameError(f"{name!r} is not a skill's name: use a-z, 0-9 and single hyphens{hint}")
