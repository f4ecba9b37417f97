"""What has changed since the session read it, compared by content (Refresh of the standard).

It runs before every response, so what only a change needs is imported when there is one.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from skillbag.kernel.fs.read import Unread, Unreadable, because, overlay, read
from skillbag.kernel.workspace.target import CATALOG_PATH, CONTEXT, ENTRYPOINT, USER_CONTEXT, skill_path
from skillbag.session.refresh.state import SessionState, changing, entered_state, write_state

if TYPE_CHECKING:
    from typing import Annotated

    from skillbag.kernel.base.json_records import fits
    from skillbag.kernel.documents.source import Document, DocumentProblem
    from skillbag.kernel.workspace.model import Workspace
    from skillbag.session.skills.skills import CatalogSkill

ROOT_FILES = (ENTRYPOINT, CONTEXT, USER_CONTEXT, CATALOG_PATH)
"""What every session has read, in the order of entry."""


class FileChangeKind(StrEnum):
    """What happened to a file."""

    CHANGED = "changed"
    NEW = "new"
    REMOVED = "removed"


class Changed(NamedTuple):
    """A changed file that the session has read; the path is relative to the workspace, with `/`."""

    path: Annotated[str, fits(minLength=1)]
    what: FileChangeKind


class Refresh(NamedTuple):
    """What has changed.

    `changed`: the files. `read`: those to read again now, or for the first time: of the `SKILL.md` only loaded and
    newly selected ones. `added`, `removed`, `described`: skills that are new in the catalog, no longer in it, or
    described differently. `always`: skills that run always from now on.
    """

    session: str
    changed: tuple[Changed, ...] = ()
    read: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    described: tuple[str, ...] = ()
    always: tuple[str, ...] = ()

    @property
    def is_nothing(self) -> bool:
        """Whether nothing changed, and nothing has to be read."""
        return not (self.changed or self.read or self.added or self.removed or self.described or self.always)


def refresh(
    root: str,
    session: str,
    selected: tuple[str, ...] = (),
    deliver: Callable[[Refresh], object] = lambda refresh: None,
) -> Refresh:
    """As `Session.refresh`, in the workspace at the absolute `root`: compare, report, and record that it was reported.

    Raises:
        OSError: the state can't be read or written.
    """
    before = entered_state(root, session)
    found, after = refresh_session(root, before, selected)
    if found.is_nothing:
        deliver(found)
        return found
    with changing(root, session):
        now = entered_state(root, session)
        if now != before:
            found, after = refresh_session(root, now, selected)
        deliver(found)
        write_state(after)
    return found


def refresh_session(root: str, state: SessionState, selected: tuple[str, ...] = ()) -> tuple[Refresh, SessionState]:
    """Compare files with the session's state; return the changes, and the state to write once they are reported."""
    with because("whether it is what the session has read"):
        contents = {path: read(_absolute(root, path), root) for path in ROOT_FILES}
        skills = {name: _skill_digest(root, name) for name in state.loaded}
    now = {path: digest(content) for path, content in contents.items()}
    changed = (
        *_changed((path, state.files.get(path), now[path]) for path in ROOT_FILES),
        *_changed((skill_path(name), state.loaded[name], skills[name]) for name in skills),
    )
    if not changed and not selected:
        return Refresh(state.session), state
    hashed = {_absolute(root, path): content for path, content in contents.items() if isinstance(content, bytes)}
    # Do not read the files a second time: they may have changed since they were hashed.
    with overlay(hashed):
        return _followed(root, state._replace(files=now), changed, skills, selected)


def digest(content: bytes | Unreadable) -> str | None:
    """The SHA-256 of a file's bytes; None if it is missing; the reason if it can't be read."""
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    return None if content.reason is Unread.MISSING else f"unread: {content.reason}"


def document_digest(document: Document | DocumentProblem | None) -> str | None:
    """As `digest`, of a document."""
    return digest(raw) if isinstance(raw := getattr(document, "raw", None), bytes) else None


def line_digests(listed: Mapping[str, CatalogSkill]) -> dict[str, str]:
    """The SHA-256 of each skill's description in the catalog, by name."""
    return {
        name: hashlib.sha256(skill.description.encode("utf-8", "surrogatepass")).hexdigest()
        for name, skill in listed.items()
    }


def _changed(compared: Iterable[tuple[str, str | None, str | None]]) -> Iterator[Changed]:
    for path, before, now in compared:
        if now != before:
            yield Changed(
                path,
                FileChangeKind.NEW
                if before is None
                else FileChangeKind.REMOVED
                if now is None
                else FileChangeKind.CHANGED,
            )


def _followed(
    root: str,
    state: SessionState,
    changed: tuple[Changed, ...],
    skills: Mapping[str, str | None],
    selected: tuple[str, ...],
) -> tuple[Refresh, SessionState]:
    """What the changed files mean for the catalog, for the tags, and for each skill."""
    roots = [change for change in changed if change.path in ROOT_FILES]
    lines, always = _survey(root) if roots else (state.catalog, state.always)
    # A listed skill whose file is missing stays loaded: if the file comes back, it must be read again.
    loaded = {name: now for name, now in skills.items() if name in lines}
    again = [name for name, now in loaded.items() if now is not None and now != state.loaded[name]]
    newly = tuple(name for name in always if name not in state.always)
    first = [name for name in dict.fromkeys((*_chosen(root, selected), *newly)) if loaded.get(name) is None]
    with because("it is newly chosen, or runs always from now on"):
        loaded.update((name, _skill_digest(root, name)) for name in first)
    found = Refresh(
        state.session,
        changed,
        (
            *(change.path for change in roots if change.what is not FileChangeKind.REMOVED),
            *map(skill_path, (*again, *first)),
        ),
        tuple(sorted(lines.keys() - state.catalog.keys())),
        tuple(sorted(state.catalog.keys() - lines.keys())),
        tuple(sorted(name for name in lines.keys() & state.catalog.keys() if lines[name] != state.catalog[name])),
        newly,
    )
    return found, state._replace(catalog=lines, loaded=loaded, always=always, is_settled=False)


def _survey(root: str) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """The hash of each catalog line, and the skills that run always now."""
    from skillbag.session.order.order import always, entry_order
    from skillbag.session.settings.settings_reader import read_settings
    from skillbag.session.skills.effective_tags import effective_tags
    from skillbag.session.skills.skills import is_available, listed_skills

    workspace = workspace_in(root)
    settings, listed = read_settings(workspace), listed_skills(workspace)
    tagging = effective_tags(listed, settings)
    order = entry_order(tagging, partial(is_available, workspace, listed))
    return line_digests(listed), always(tagging, order)


def _chosen(root: str, selected: tuple[str, ...]) -> list[str]:
    if not selected:
        return []
    from skillbag.session.skills.skills import find_invoked, listed_skills

    workspace = workspace_in(root)
    listed = listed_skills(workspace)
    return [find_invoked(workspace, listed, name).name for name in selected]


def workspace_in(root: str) -> Workspace:
    """The workspace at its absolute root, read lazily."""
    from skillbag.kernel.workspace.model import Workspace
    from skillbag.kernel.workspace.target import TargetKind, installed

    return Workspace(installed(TargetKind.WORKSPACE, root))


def _absolute(root: str, path: str) -> str:
    return os.path.join(root, *path.split("/"))


def _skill_digest(root: str, name: str) -> str | None:
    return digest(read(_absolute(root, skill_path(name)), root))
