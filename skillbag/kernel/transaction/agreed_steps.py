"""The extra installation steps that the user has agreed to, by workspace, in the user's state folder.

They are text for the user or an agent and are never executed.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Collection, Iterable, Iterator
from typing import Annotated, NamedTuple

from skillbag.kernel.base.json_records import fits
from skillbag.kernel.base.short_hash import short_hash
from skillbag.kernel.base.user_dirs import state_folder
from skillbag.kernel.fs.atomic import write_atomic
from skillbag.kernel.fs.read import LIMIT

_LARGEST = LIMIT << 3
"""Bytes of a record: JSON needs six characters for some characters of the text."""


class ExtraSteps(NamedTuple):
    """The whole `AGENTS.md` (`text`) of a source (its address as declared), and the `skills` that came with it."""

    source: Annotated[str, "The address as declared, without credentials."]
    skills: Annotated[tuple[Annotated[str, fits(minLength=1)], ...], "The skills that came with them."]
    text: Annotated[str, "The whole `AGENTS.md` of the source."]


def agreed_steps(root: str) -> tuple[ExtraSteps, ...]:
    """The steps agreed to in the workspace `root`, sorted by source; damaged records are ignored."""
    return tuple(sorted(steps for _, steps in _records(_folder(root))))


def is_agreed(root: str, text: str) -> bool:
    """Whether this text was agreed to in this workspace; line endings are ignored."""
    return any(_plain(steps.text) == _plain(text) for _, steps in _records(_folder(root)))


def agree(root: str, steps: Iterable[ExtraSteps], changed: Collection[str]) -> None:
    """Record the user's agreement to the steps of an installation that has `changed` these skills.

    Earlier texts of these skills stay agreed to, but no longer belong to them.
    """
    folder = _folder(root)
    for path, before in list(_records(folder)):
        if not set(before.skills).isdisjoint(changed):
            _write(path, before, set(before.skills).difference(changed))
    for new in steps:
        path = os.path.join(folder, f"{short_hash(json.dumps([new.source, _plain(new.text)]))}.json")
        earlier = _record(path)
        _write(path, new, {*new.skills, *(earlier.skills if earlier else ())})


def _write(path: str, steps: ExtraSteps, skills: Collection[str]) -> None:
    values = {"version": 1, **steps._asdict(), "skills": sorted(skills)}
    data = json.dumps(values, indent=1)
    write_atomic(path, data.encode("ascii"), root=state_folder(), mode=0o600)


def _folder(root: str) -> str:
    """Named after the real path, so that a workspace has one folder under all its paths."""
    return os.path.join(state_folder(), "agreed-steps", short_hash(os.path.realpath(root)))


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _records(folder: str) -> Iterator[tuple[str, ExtraSteps]]:
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if name.endswith(".json") and (steps := _record(path)) is not None:
                yield path, steps


def _record(path: str) -> ExtraSteps | None:
    try:
        with open(path, "rb") as file:
            values = json.loads(file.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return None
    match values:
        case {"version": 1, "source": str(source), "skills": [*skills], "text": str(text)}:
            return ExtraSteps(source, tuple(skills), text) if all(isinstance(name, str) for name in skills) else None
    return None
