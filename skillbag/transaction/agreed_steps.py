"""The extra installation steps that the user has agreed to, workspace by workspace, in the user's folder of states.

They are text for the user or an agent: nothing of them is executed.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Collection, Iterable, Iterator
from hashlib import sha256
from typing import NamedTuple

from skillbag.base.user_dirs import state_folder
from skillbag.fs.atomic import write_atomic
from skillbag.fs.read import LIMIT

_VERSION = 1
_LARGEST = LIMIT << 3
"""Of a record: JSON needs six characters for some of the text."""


class ExtraSteps(NamedTuple):
    """The whole `AGENTS.md` (`text`) of a source (its address as declared), and the `skills` that came with it."""

    source: str
    skills: tuple[str, ...]
    text: str


def agreed_steps(root: str) -> tuple[ExtraSteps, ...]:
    """What was agreed to in the workspace `root`, by source; a damaged record counts for nothing."""
    return tuple(sorted(steps for _, steps in _records(_folder(root))))


def is_agreed(root: str, text: str) -> bool:
    """Whether this text was agreed to in this workspace; line ends do not count."""
    return any(_plain(steps.text) == _plain(text) for _, steps in _records(_folder(root)))


def agree(root: str, steps: Iterable[ExtraSteps], changed: Collection[str]) -> None:
    """Remember the user's agreement to the steps that come with an installation that has `changed` these skills.

    What was agreed to for them before stays agreed to, and is theirs no more.

    Raises:
        OSError: it can't be written.
    """
    folder = _folder(root)
    for path, before in list(_records(folder)):
        if not set(before.skills).isdisjoint(changed):
            _write(path, before._replace(skills=tuple(name for name in before.skills if name not in changed)))
    for new in steps:
        path = os.path.join(folder, f"{_hash(json.dumps([new.source, _plain(new.text)]))}.json")
        earlier = _record(path)
        _write(path, new._replace(skills=tuple(sorted({*new.skills, *(earlier.skills if earlier else ())}))))


def _write(path: str, steps: ExtraSteps) -> None:
    data = json.dumps({"version": _VERSION, **steps._asdict()}, indent=1)
    write_atomic(path, data.encode("ascii"), root=state_folder(), mode=0o600)


def _folder(root: str) -> str:
    """By the real path, so that a workspace is one by whatever name it is reached."""
    return os.path.join(state_folder(), "agreed-steps", _hash(os.path.realpath(root)))


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


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
    if not isinstance(values, dict) or values.get("version") != _VERSION:
        return None
    source, skills, text = (values.get(key) for key in ("source", "skills", "text"))
    if not (isinstance(source, str) and isinstance(skills, list) and isinstance(text, str)):
        return None
    return ExtraSteps(source, tuple(skills), text) if all(isinstance(name, str) for name in skills) else None
