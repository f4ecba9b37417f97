"""Which source, and which of its skills, are meant where the command line names a source or a folder of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.name_lists import did_you_mean
from skillbag.kernel.workspace.skill import read_skill
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL
from skillbag.supply.install.outcome import Problem, ProblemKind, StoppedError
from skillbag.supply.install.problems import fetch_or_stop, quoted
from skillbag.supply.install.request import InstallRequest
from skillbag.supply.install.state import InstalledState
from skillbag.supply.sources.address import parse_source, without_credentials
from skillbag.supply.sources.archive_formats import is_address
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetched import Fetched, FetchError, FetchSpec
from skillbag.supply.sources.location import in_folder, read_location
from skillbag.supply.sources.skill_layout import offered_skills, plain_hint
from skillbag.supply.sources.source import BadSourceError, Location, install_command

_MAX = 20
"""Names that a message lists."""


class SkillChoice(NamedTuple):
    """A skill that a source offers; `installed`: the workspace has a skill of its name."""

    name: str
    description: str
    installed: bool


Pick = Callable[[str, Sequence[SkillChoice]], Sequence[str]]
"""Lets the user pick from the skills of a source, which is named as it may be shown."""


def with_address(request: InstallRequest, root: str, folder: str) -> InstallRequest:
    """The request with the source that stands among its names: `skillbag add ADDRESS NAME`.

    A path there counts from the current `folder`, as in every other command.

    Raises:
        UserError: there are two sources.
    """
    addresses = [name for name in request.names if is_address(name)]
    if not addresses:
        return request
    if request.source is not None or len(addresses) > 1:
        raise UserError("several sources: take the skills of one, then those of the next")
    path = os.path.join(folder, os.path.expanduser(addresses[0]))
    source = os.path.relpath(path, root) if folder != root and os.path.lexists(path) else addresses[0]
    return replace(request, source=source, names=tuple(name for name in request.names if name != addresses[0]))


def with_location(request: InstallRequest, root: str, fetcher: Fetcher) -> tuple[InstallRequest, Location | None]:
    """The request with the full address and the version that its source means. Raises as `located`."""
    if request.source is None:
        return request, None
    found = located(request.source, request.version, root, fetcher)
    return replace(request, source=found.address, version=found.version), found


def with_names(
    request: InstallRequest, location: Location | None, root: str, fetcher: Fetcher, pick: Pick | None
) -> InstallRequest:
    """The request with the names of the skills that its source and folder mean, if it does not name them itself.

    A single skill is meant without a question; of several, the user picks, if there is one.

    Raises:
        UserError: nobody can pick, or the folder holds no skill, or not a named one.
        StoppedError: the source can't be fetched, or the user picked nothing.
    """
    folder = location.folder if location else ""
    named = bool(request.names or request.everything or request.listed) and not request.rename
    if request.source is None or (not folder and named):
        return request
    state = InstalledState(root)
    fetched = fetch_or_stop(fetcher, FetchSpec(state.source(request.source, plain=True), request.version))
    skills = skills_in(fetched, folder)
    if outside := [name for name in request.names if name not in skills]:
        there = f"`{folder}` of {fetched.source.declared} holds {quoted(list(skills), _MAX)}"
        raise UserError(f"{', '.join(outside)}: {there}; leave the folder out of the address, or correct the name")
    if request.rename and request.names:
        return _renamed(request, fetched, skills, request.rename)
    if folder:
        within = {name: os.path.relpath(path, fetched.root) for name, path in skills.items()}
        request = replace(request, folders={name: path.replace(os.sep, "/") for name, path in within.items()})
    if request.names:
        return request
    if len(skills) == 1 or request.everything:
        return replace(request, names=tuple(name for name in skills if name not in request.excluded), everything=False)
    offers = [SkillChoice(name, _description(path, fetched), state.is_present(name)) for name, path in skills.items()]
    if pick is None:
        raise UserError(_which(request, fetched, list(skills)))
    if picked := tuple(pick(fetched.source.declared, offers)):
        return replace(request, names=picked)
    raise StoppedError(Problem(ProblemKind.NOTHING_PICKED, "nothing was picked, so nothing was installed"))


def _renamed(request: InstallRequest, fetched: Fetched, skills: Mapping[str, str], name: str) -> InstallRequest:
    """The request for its one skill under another name, which only one of plain Agent Skills can have."""
    if fetched.plain is None:
        raise UserError("--as: a skill of a SkillBag source has the name of its folder there (clause root.name-folder)")
    path = os.path.relpath(skills[request.names[0]], fetched.root).replace(os.sep, "/")
    if path == ".":
        raise UserError("--as: this repository is one skill, and can't be taken under another name yet")
    return replace(request, names=(name,), folders={name: path})


def skills_in(fetched: Fetched, folder: str) -> Mapping[str, str]:
    """The skills of a source by name that lie in a folder of it (relative, with `/`; empty for all), in order.

    A folder in a skill means that skill. So does the name of a skill in the place of a folder.

    Raises:
        UserError: there is none.
    """
    offered = {name: path for name, path in offered_skills(fetched).items() if name != BOOTSTRAP_SKILL}
    places = {name: [path] for name, path in offered.items()}
    if folder and fetched.plain is not None:
        # Of several copies the folder names one.
        places |= {name: [f"{fetched.root}/{at}" for at in copies] for name, copies in fetched.plain.copies.items()}
    meant = {name: [path for path in paths if _is_meant(path, fetched.root, folder)] for name, paths in places.items()}
    found = {name: paths[0] for name, paths in sorted(meant.items()) if len(paths) == 1 or (paths and name in offered)}
    found = found or {name: path for name, path in offered.items() if name == folder}
    if not found:
        raise UserError(_none_in(fetched, folder, offered))
    return found


def _is_meant(path: str, root: str, folder: str) -> bool:
    within = os.path.relpath(path, root).replace(os.sep, "/")
    return within == "." or f"{within}/".startswith(f"{folder}/" if folder else "") or folder.startswith(f"{within}/")


def _none_in(fetched: Fetched, folder: str, offered: Mapping[str, str]) -> str:
    source = fetched.source.declared
    if not offered:
        hint = plain_hint(fetched)
        return f"{source}: it offers no skill{f'. {hint}' if hint else ''}"
    places = [os.path.relpath(path, fetched.root).replace(os.sep, "/") for path in offered.values()]
    has = did_you_mean(folder, places, f"it has skills in {quoted(places, _MAX)}", "`{}`")
    return f"{source}: no skill that can be installed lies in its folder `{folder}`; {has}"


def _which(request: InstallRequest, fetched: Fetched, names: list[str]) -> str:
    example = install_command(names[0], fetched.source, request.version, request.command)
    return f"which skills of this source? It offers {quoted(names, _MAX)}. Name them, as in `{example}`, or give --all"


def _description(folder: str, fetched: Fetched) -> str:
    card = read_skill(folder, os.path.dirname(folder), fetched.root).card
    return card.description.value if card.description else ""


def located(text: str, version: str | None, root: str, fetcher: Fetcher) -> Location:
    """Read what the user wrote as a source, with `--version` if it was given; relative paths count from `root`.

    Raises:
        BadSourceError: it is no source, or it and `version` name two versions.
        StoppedError: the repository can't be asked which of its references is meant.
    """
    found = read_location(text, root)
    if found.rest:
        found = _split_rest(found, version, root, fetcher)
    if version and found.version and version != found.version:
        raise BadSourceError(
            f"source {without_credentials(found.address)!r}: it names the version {found.version}, and --version "
            f"names {version}; give one of them"
        )
    return replace(found, version=version or found.version)


def _split_rest(found: Location, version: str | None, root: str, fetcher: Fetcher) -> Location:
    """The location with the version and the folder that its `rest` joins."""
    source = parse_source(found.address, root)
    if version and f"{found.rest}/".startswith(f"{version}/"):
        reference, folder = version, found.rest[len(version) + 1 :]
    else:
        try:
            reference, folder = fetcher.split_reference(source, found.rest)
        except FetchError as error:
            raise StoppedError(Problem(ProblemKind.FETCH, error.reason, source.declared)) from error
    return replace(found, version=reference, rest="", folder=in_folder(folder, is_file=found.file))
