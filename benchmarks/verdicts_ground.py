"""The skills that verdicts are measured on: good ones, copies with one fault each, and both as trees on disk."""

from __future__ import annotations

import os
import re
import shutil
import stat
import zipfile
from collections.abc import Iterable, Sequence
from random import Random
from typing import NamedTuple

import corpora
import corpus
from mutations.kinds import MAIN, Broken, Kind, Skill
from skill_text import make_skill

GOOD = os.path.join(corpora.HERE, "verdicts_good.txt")
"""The published skills without a finding that are mutated: an archive and a folder in it on each line."""
_ARCHIVES = os.path.dirname(corpora.ARCHIVE)
_COLLECTIONS = ("awesome-skills", "agent-skills-superpowers", "skillbag-utils", "signed-skills")
_ATTEMPTS = 50
_NAME = re.compile(r"^name:.*$", re.M)


class Labelled(NamedTuple):
    """A mutation with its label; `good` is the skill before it. Both have the same name, which no other one has."""

    id: str
    kind: str
    family: str
    held_out: bool
    good: Skill
    broken: Broken

    @property
    def name(self) -> str:
        """The folder of the skill."""
        return self.good.name


def published() -> list[Skill]:
    """The good skills of the archives beside the project; none where an archive is missing."""
    with open(GOOD, encoding="utf-8") as lines:
        wanted = [line.split() for line in lines]
    if any(not os.path.isfile(os.path.join(_ARCHIVES, archive)) for archive, _ in wanted):
        return []
    skills = []
    for archive in sorted({archive for archive, _ in wanted}):
        with zipfile.ZipFile(os.path.join(_ARCHIVES, archive)) as opened:
            folders = [folder for one, folder in wanted if one == archive]
            skills += [_unpacked(opened, folder) for folder in folders]
    return skills


def generated(count: int) -> list[Skill]:
    """Good skills that are made up, for where there are no archives."""
    made = map(make_skill, range(1, count + 1))
    return [
        Skill(
            one.name,
            {file.path: file.text.encode() for file in one.files},
            frozenset(file.path for file in one.files if file.executable),
        )
        for one in made
    ]


def _unpacked(archive: zipfile.ZipFile, folder: str) -> Skill:
    files, executable = {}, set()
    for entry in archive.infolist():
        path = entry.filename.removeprefix(f"{folder}/")
        if path != entry.filename and not entry.is_dir():
            files[path] = archive.read(entry)
            if entry.external_attr >> 16 & 0o100:
                executable.add(path)
    return Skill(os.path.basename(folder), files, frozenset(executable))


def mutations(kinds: Sequence[Kind], good: Sequence[Skill], seed: int) -> list[Labelled]:
    """Each way of each kind, done to good skills that the seed draws; every second one is held out."""
    labelled: list[Labelled] = []
    for kind in kinds:
        for number in range(kind.size):
            made = _mutation(kind, number, len(labelled), good, seed)
            if made is not None:
                labelled.append(made)
    return labelled


def _mutation(kind: Kind, number: int, place: int, good: Sequence[Skill], seed: int) -> Labelled | None:
    """None where no good skill has what this way breaks."""
    random = Random(f"{seed} {kind.name} {number}")
    way = kind.ways[number % len(kind.ways)]
    for _ in range(_ATTEMPTS):
        skill = _renamed(random.choice(good), place)
        if broken := way(skill, random):
            return Labelled(f"{kind.name}.{number + 1}", kind.name, kind.family, bool(number % 2), skill, broken)
    return None


def _renamed(skill: Skill, number: int) -> Skill:
    """The same skill under a name of its own, so that all of them fit into one tree."""
    name = f"{skill.name[:40].rstrip('-')}-v{number:03}"
    return skill.but({MAIN: _NAME.sub(f"name: {name}", skill.text, count=1)})._replace(name=name)


def write_tree(skills: Iterable[Skill], tree: str) -> None:
    """Write the skills into the folder `skills` of a new repository; what was there is gone."""
    shutil.rmtree(tree, ignore_errors=True)
    os.makedirs(tree)
    corpus.write_repository(tree)
    for skill in skills:
        _write(skill, os.path.join(tree, "skills", skill.name))


def _write(skill: Skill, folder: str) -> None:
    for path, data in skill.files.items():
        place = os.path.normpath(os.path.join(folder, path))
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as file:
            file.write(data)
        os.chmod(place, 0o755 if path in skill.executable else 0o644)
    for path, target in skill.links.items():
        place = os.path.join(folder, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.symlink(target, place)


def archives(folder: str) -> list[str]:
    """Unpack the published collections into new folders below; returns those that are there."""
    trees = []
    for name in _COLLECTIONS:
        path = os.path.join(_ARCHIVES, f"{name}.zip")
        if os.path.isfile(path):
            tree = os.path.join(folder, name)
            shutil.rmtree(tree, ignore_errors=True)
            os.makedirs(tree)
            corpus.write_repository(tree)
            with zipfile.ZipFile(path) as archive:
                _extract(archive, tree)
            trees.append(tree)
    return trees


def _extract(archive: zipfile.ZipFile, tree: str) -> None:
    """Extract all files with their modes, and links as links."""
    for entry in archive.infolist():
        path = archive.extract(entry, tree)
        mode = entry.external_attr >> 16
        if stat.S_ISLNK(mode):
            os.unlink(path)
            os.symlink(archive.read(entry).decode(), path)
        elif stat.S_ISREG(mode):
            os.chmod(path, 0o755 if mode & 0o100 else 0o644)
