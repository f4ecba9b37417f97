"""Answers of one good run, kept so that they can be given again: by what was on the disk and asked so far."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

Tree = Mapping[str, bytes]
"""Each file of a workspace by its path, with its content; a link as `-> target`."""

_LINK = b"-> "


class Answer(NamedTuple):
    """An outcome, and what its operation did to the workspace: a file's new content, None where it is gone."""

    outcome: dict[str, Any]
    effects: dict[str, bytes | None]


class Key(NamedTuple):
    """What an answer is found by: all of it, or (where a fault has changed the disk) what was asked alone."""

    exact: str
    loose: str


def tree_of(workspace: str) -> Tree:
    """What is in the workspace; of what git keeps only the file that tells it what to ignore."""
    found = {}
    for path in _paths(workspace):
        name = os.path.relpath(path, workspace)
        if os.path.islink(path):
            found[name] = _LINK + os.fsencode(os.readlink(path))
        elif ".git" not in name.split(os.sep) or name == ".git/info/exclude":
            found[name] = Path(path).read_bytes()
    return found


def _paths(folder: str) -> Iterator[str]:
    for current, folders, names in os.walk(folder):
        for name in sorted([*names, *(item for item in folders if os.path.islink(os.path.join(current, item)))]):
            yield os.path.join(current, name)


def key_of(request: Mapping[str, Any]) -> Key:
    """The key of a request; it is noted in the scratch folder, since what came before belongs to it."""
    notes = Path(request["scratch"], "asked.json")
    requested = (
        json.loads(notes.read_text("utf-8")) if notes.exists() else [_digest(_surroundings(request["workspace"]))]
    )
    requested.append([request["operation"], request["session"], request["inputs"], request["wanted"]])
    notes.write_text(json.dumps(requested), "utf-8")
    loose = _digest(requested)
    return Key(_digest([loose, _surroundings(request["workspace"])]), loose)


def _surroundings(workspace: str) -> dict[str, str]:
    """The workspace with what git tracks in it, and the sources beside it."""
    top = os.path.dirname(workspace)
    tracked = ""
    if os.path.isdir(os.path.join(workspace, ".git")):
        command = ["git", "-C", workspace, "ls-files"]
        tracked = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {"tracked": tracked} | {
        f"{name}/{path}": hashlib.sha256(data).hexdigest()
        for name in sorted(os.listdir(top))
        if name != "scratch"
        for path, data in tree_of(os.path.join(top, name)).items()
    }


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def effects(before: Tree, after: Tree) -> dict[str, bytes | None]:
    """What differs."""
    return {path: after.get(path) for path in {*before, *after} if before.get(path) != after.get(path)}


def apply(changes: Mapping[str, bytes | None], workspace: str) -> None:
    """Do to the workspace what was done once."""
    for name, data in changes.items():
        path = Path(workspace, name)
        if path.is_symlink() or path.is_file():
            path.unlink()
        if data is None:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if data.startswith(_LINK):
            path.symlink_to(os.fsdecode(data[len(_LINK) :]))
        else:
            path.write_bytes(data)


def keep(folder: Path, key: Key, answer: Answer) -> None:
    """Write an answer into the folder, into a file that only this process writes."""
    changes = {path: data and base64.b64encode(data).decode() for path, data in answer.effects.items()}
    changes = {path: "" if answer.effects[path] == b"" else data for path, data in changes.items()}
    with open(folder / f"{os.getpid()}.jsonl", "a", encoding="utf-8") as handle:
        handle.write(json.dumps([*key, answer.outcome, changes]) + "\n")


def read_answers(folder: Path) -> dict[str, Answer]:
    """All answers in the folder, by either key."""
    found: dict[str, Answer] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            exact, loose, outcome, changes = json.loads(line)
            decoded = {name: None if data is None else base64.b64decode(data) for name, data in changes.items()}
            answer = Answer(outcome, decoded)
            found[exact] = answer
            found.setdefault(loose, answer)
    return found
