"""`link --user`: links to the user's skills in the folders that agents have for their user, recorded before they exist.

After a crash the record names each link that may exist; `unlink --user` removes those that still lead where it says.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.base.user_dirs import state_folder
from skillbag.kernel.documents import settings_file
from skillbag.kernel.transaction.locations import Locations
from skillbag.kernel.transaction.writer import locked
from skillbag.kernel.workspace.agent_links import LinkState, Shown
from skillbag.kernel.workspace.agents import AGENTS
from skillbag.kernel.workspace.lock_file import Lock
from skillbag.supply.links.machine import named_agents, user_folder
from skillbag.supply.links.outcome import LinkOutcome, changes_in
from skillbag.supply.links.reconcile import NOTHING, Linking

_WAIT = 60.0
_RECORD = Locations("record of links", "", "")


def link_user(
    root: str, skills: Mapping[str, str], agents: Iterable[str] = (), *, dry_run: bool = False
) -> LinkOutcome:
    """Link the skills (absolute folders by name) below the personal folder `root` for these agents, and for those that
    are linked already.

    Raises:
        UserError: an agent is unknown, none is named or recorded, or the record is malformed.
        OSError: the environment failed; the links made so far are in the record.
    """
    named = named_agents(agents)
    with locked(record_path(), _WAIT, None, _RECORD):
        old = read_record()
        known = {*old.agents, *named} & AGENTS.keys()
        if not known:
            raise UserError(
                "which agents? skillbag agent link --user --agents NAME,NAME (skillbag agent link --list shows all)"
            )
        new = old._replace(root=root, agents=tuple(sorted(known)))
        places, notes = _places(new)
        wanted = {os.path.join(place, name): folder for place in places for name, folder in skills.items()}
        return LinkOutcome(root, new.agents, dry_run, tuple(_UserLinking(new, wanted, dry_run).run()), notes)


def unlink_user(agents: Iterable[str] = (), *, dry_run: bool = False) -> LinkOutcome:
    """Remove the links for these agents, or for all if none is named. Raises as `link_user`."""
    named = named_agents(agents)
    with locked(record_path(), _WAIT, None, _RECORD):
        old = read_record()
        new = old._replace(agents=tuple(agent for agent in old.agents if named and agent not in named))
        places, _ = _places(new)
        wanted = {path: made[-1] for path, made in old.made.items() if os.path.dirname(path) in places}
        return LinkOutcome(old.root, new.agents, dry_run, tuple(_UserLinking(new, wanted, dry_run).run()), ())


def _places(links: UserLinks) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The real folders of the agents, each once, and why some agents have none."""
    places: list[str] = []
    notes: list[str] = []
    for agent in (AGENTS[name] for name in links.agents if name in AGENTS):
        folder = user_folder(agent)
        if folder is None:
            notes.append(f"{agent.name} has no folder for skills of its user")
        elif os.path.realpath(folder) == os.path.realpath(links.root):
            notes.append(f"{agent.name} looks in {folder}, where the personal skills are")
        elif os.path.lexists(folder) and not os.path.isdir(folder):
            notes.append(f"{agent.name} looks in {folder}, which is no folder: move it away first")
        else:
            # Several agents may share a folder, and the user may have linked one to another.
            places.append(os.path.realpath(folder))
    return tuple(dict.fromkeys(places)), tuple(notes)


class _UserLinking(Linking):
    """Brings the disk from the recorded links to the wanted ones: targets by path, both absolute."""

    moved = "the skill is elsewhere now"
    hint = ""

    def __init__(self, links: UserLinks, wanted: Mapping[str, str], dry_run: bool) -> None:
        super().__init__(os.sep, Lock({}), NOTHING, dry_run)
        self.record = links
        self.wanted = wanted
        self.made = dict(links.made)
        self.folders = list(links.folders)

    def judged(self) -> list[Shown]:
        return [Shown(path, os.path.basename(path), self._state(path)) for path in sorted({*self.wanted, *self.made})]

    def _state(self, path: str) -> LinkState:
        target = self.wanted.get(path)
        if not os.path.lexists(path):
            return LinkState.MISSING if target else LinkState.GONE
        if target and _target(path) == target:
            return LinkState.GOOD
        if not self.is_ours(path):
            return LinkState.FOREIGN
        return LinkState.OUTDATED if target else LinkState.GONE

    def is_ours(self, path: str) -> bool:
        return _target(path) in self.made.get(path, ())

    def target(self, path: str) -> str:
        return self.wanted.get(path) or self.made[path][-1]

    def coming(self, shown: Shown) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.made.get(shown.path, ()), self.wanted[shown.path])))

    def needed(self) -> set[str]:
        return {os.path.dirname(path) for path in self.made}

    def write(self) -> None:
        links = self.record._replace(made=self.made.copy(), folders=tuple(self.folders))
        if links != read_record():
            write_record(links)


def _target(path: str) -> str | None:
    try:
        return os.readlink(path)
    except OSError:
        return None


class UserLinks(NamedTuple):
    """`root` is the absolute personal folder that the links lead to. `agents` are their names. `made` has the targets
    of each link (absolute paths), two while it is being changed. `folders` were created for them, outermost first."""

    root: str = ""
    agents: tuple[str, ...] = ()
    made: Mapping[str, tuple[str, ...]] = {}
    folders: tuple[str, ...] = ()


def record_path() -> str:
    """The absolute path of the record; it need not exist."""
    return os.path.join(state_folder(), "user-links.json")


def read_record() -> UserLinks:
    """The record, empty if there is none.

    Raises:
        UserError: it can't be read or is malformed.
    """
    values = settings_file.read(record_path())
    root, agents = values.data.get("root", ""), values.data.get("agents", [])
    made, folders = values.section("made"), values.data.get("folders", [])
    if not isinstance(root, str) or not _are_texts(agents):
        raise values.bad("agents", "`root` must be a text, and `agents` a list of texts")
    if not _are_paths(folders) or not _are_paths(list(made)) or not all(map(_are_paths, made.values())):
        raise values.bad("made", "`made` and `folders` must hold absolute paths")
    return UserLinks(root, tuple(agents), {path: tuple(made[path]) for path in made}, tuple(folders))


def write_record(links: UserLinks) -> None:
    """Write the record atomically; remove it when nothing is linked.

    Raises:
        OSError: it can't be written.
    """
    path = record_path()
    if links.agents or links.made:
        data = {"version": settings_file.VERSION, **links._asdict()}
        settings_file.write(settings_file.SettingsContent(path, "", data))
    elif os.path.lexists(path):
        os.unlink(path)


def relink_user(root: str, skills: Callable[[], Mapping[str, str]]) -> str:
    """Update the links to the skills (folders by name) below this personal folder, if there are any.

    Returns a sentence about it, empty where nothing is linked.
    """
    try:
        record = read_record()
    except (UserError, OSError):
        return ""
    if record.root != root or not record.agents:
        return ""
    try:
        changes = changes_in(link_user(root, skills()).links)
    except (UserError, OSError) as error:
        return (
            f"Links in folders of agents were not updated ({format_error(error)}); skillbag agent link --user does it."
        )
    return f"Links in folders of agents: {changes}." if changes else ""


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _are_paths(value: Any) -> bool:
    return _are_texts(value) and all(map(os.path.isabs, value))
