"""`link --user`: links to the user's skills in the folders that agents have for their user, recorded before they exist.

After a crash the record names each link that may exist; `unlink --user` removes those that still lead where it says.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.user_dirs import state_folder
from skillbag.kernel.documents import settings_file
from skillbag.kernel.transaction.locations import Locations
from skillbag.kernel.transaction.writer import locked
from skillbag.kernel.workspace.agents import AGENTS, known_agents
from skillbag.supply.links.machine import DETECTED, found_agents, user_folder
from skillbag.supply.links.reconcile import LinkAct, LinkOutcome, LinkRow

_WAIT = 60.0
_RECORD = Locations("record of links", "", "")


def named_agents(words: Iterable[str]) -> tuple[str, ...]:
    """The agents of these words; `detected` are those that this user uses.

    Raises:
        UserError: an agent is unknown, or none is found.
    """
    names: list[str] = []
    for word in words:
        found = [agent.name for agent in found_agents()] if word.lower() == DETECTED else known_agents([word])
        if not found:
            raise UserError(f"--agents {DETECTED}: no agent is found here; name some (skillbag link --list shows all)")
        names += found
    return tuple(dict.fromkeys(names))


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
            raise UserError("which agents? skillbag link --user --agents NAME,NAME (skillbag link --list shows all)")
        new = old._replace(root=root, agents=tuple(sorted(known)))
        places, notes = _places(new)
        wanted = {os.path.join(place, name): folder for place in places for name, folder in skills.items()}
        return LinkOutcome(root, new.agents, dry_run, tuple(_Linking(new, wanted, dry_run).run()), notes)


def unlink_user(agents: Iterable[str] = (), *, dry_run: bool = False) -> LinkOutcome:
    """Remove the links for these agents, or for all if none is named. Raises as `link_user`."""
    named = named_agents(agents)
    with locked(record_path(), _WAIT, None, _RECORD):
        old = read_record()
        new = old._replace(agents=tuple(agent for agent in old.agents if named and agent not in named))
        places, _ = _places(new)
        wanted = {path: made[-1] for path, made in old.made.items() if os.path.dirname(path) in places}
        return LinkOutcome(old.root, new.agents, dry_run, tuple(_Linking(new, wanted, dry_run).run()), ())


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


class _Linking:
    """Brings the disk from the recorded links to the wanted ones: targets by path, both absolute."""

    def __init__(self, links: UserLinks, wanted: Mapping[str, str], dry_run: bool) -> None:
        self.links = links
        self.wanted = wanted
        self.dry_run = dry_run
        self.made = dict(links.made)
        self.folders = list(links.folders)

    def run(self) -> Iterator[LinkRow]:
        """Process each path in order, and yield what was done."""
        acts = [(path, *self._judge(path)) for path in sorted({*self.wanted, *self.made})]
        if not self.dry_run:
            self._announce([path for path, act, _ in acts if act in (LinkAct.MADE, LinkAct.RENEWED)])
        for path, act, why in acts:
            if not self.dry_run and not self._carry_out(path, act):
                act, why = LinkAct.LEFT, "something else is here"
            yield LinkRow(path, os.path.basename(path), act, why)
        if not self.dry_run:
            self._remove_folders()
            self._write()

    def _judge(self, path: str) -> tuple[LinkAct, str]:
        target, current = self.wanted.get(path), _target(path)
        if not os.path.lexists(path):
            return (LinkAct.MADE if target else LinkAct.REMOVED), ""
        if target and current == target:
            return LinkAct.KEPT, ""
        if current is None or current not in self.made.get(path, ()):
            return LinkAct.LEFT, "something else is here"
        return (LinkAct.RENEWED, "the skill is elsewhere now") if target else (LinkAct.REMOVED, "")

    def _announce(self, coming: list[str]) -> None:
        """Record what is about to be made, and make its folders."""
        for path in coming:
            self.made[path] = tuple(dict.fromkeys((*self.made.get(path, ()), self.wanted[path])))
        places = dict.fromkeys(map(os.path.dirname, coming))
        for place in places:
            parents = itertools.accumulate(place.split(os.sep)[1:], f"{{}}{os.sep}{{}}".format, initial="")
            self.folders += [
                path for path in parents if path and not os.path.lexists(path) and path not in self.folders
            ]
        self._write()
        for place in places:
            os.makedirs(place, exist_ok=True)

    def _carry_out(self, path: str, act: LinkAct) -> bool:
        """Do it, and return whether it is done: what has come in between stays."""
        target, recorded = self.wanted.get(path), self.made.pop(path, ())
        if act in (LinkAct.RENEWED, LinkAct.REMOVED) and os.path.lexists(path):
            if _target(path) not in recorded:
                return False
            os.unlink(path)
        if act in (LinkAct.MADE, LinkAct.RENEWED) and not _is_made(path, self.wanted[path]):
            return False
        if act is not LinkAct.LEFT and target and recorded:
            self.made[path] = (target,)
        return True

    def _remove_folders(self) -> None:
        """Remove the folders that were made and are empty."""
        needed = {os.path.dirname(path) for path in self.made}
        for folder in reversed(self.folders.copy()):
            if not any(f"{path}{os.sep}".startswith(f"{folder}{os.sep}") for path in needed):
                if os.path.isdir(folder) and not os.path.islink(folder) and not os.listdir(folder):
                    os.rmdir(folder)
                self.folders.remove(folder)

    def _write(self) -> None:
        links = self.links._replace(made=self.made.copy(), folders=tuple(self.folders))
        if links != read_record():
            write_record(links)


def _is_made(path: str, target: str) -> bool:
    """Make the link, and return whether it is there."""
    try:
        os.symlink(target, path, target_is_directory=True)
    except FileExistsError:
        return False
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}: no link can be made here", path) from error
    return True


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


def known_record() -> UserLinks | None:
    """The record if there is one that can be used."""
    try:
        return read_record()
    except (UserError, OSError):
        return None


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _are_paths(value: Any) -> bool:
    return _are_texts(value) and all(map(os.path.isabs, value))
