"""Corpora in the work folder: made once, and again when what makes them has changed."""

from __future__ import annotations

import glob
import hashlib
import os
import shutil
import sys
import time
import zipfile
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import corpus
from skill_text import make_skill

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = os.path.join(HERE, "work")
"""Where the benchmark keeps everything that it makes; git ignores it."""

ARCHIVE = os.path.join(os.path.dirname(HERE), "..", "shared", "corpus", "awesome-skills.zip")
"""The published skills: an archive beside the project."""
NO_ARCHIVE = "published skills are left out: ../shared/corpus/awesome-skills.zip is not there"
"""What is said where the archive is not there."""
PUBLISHED = 559
"""The published skills that are in the archive."""

_MAKERS: tuple[str, ...] = (
    "corpus.py",
    "skill_text.py",
    "prose.py",
    "snippets.py",
    "hints.py",
    "programs.py",
    "other_files.py",
)
_MAKERS += ("words.py", "shape.py", "shape.json")


class Corpus(NamedTuple):
    """A folder of that many skills; `purpose` names a copy that may be changed."""

    skills: int
    published: bool = False
    purpose: str = ""

    @property
    def label(self) -> str:
        """What it is called in tables."""
        return f"{self.skills:,} published skills" if self.published else f"{self.skills:,} skills"

    @property
    def folder(self) -> str:
        """Where it is; it is made where it is not there yet."""
        return published_corpus(self.purpose) if self.published else corpus_of(self.skills, self.purpose)


def has_archive() -> bool:
    """Whether there are published skills to measure."""
    return os.path.isfile(ARCHIVE)


def published_corpus(purpose: str = "", work: str = WORK) -> str:
    """The folder of the published skills, unpacked once into a repository of its own."""
    stem = f"{purpose}-published" if purpose else "published"
    return _made(stem, _digest(ARCHIVE), work, lambda folder: unpack(folder))


def unpack(folder: str, skills: int | None = None) -> None:
    """Unpack the archive, or its first skills by name, into the new folder, which becomes a repository."""
    os.makedirs(folder)
    corpus.write_repository(folder)
    with zipfile.ZipFile(ARCHIVE) as archive:
        names = archive.namelist()
        if skills is not None:
            first = sorted({name.split("/")[1] for name in names if name.count("/") > 1})[:skills]
            names = [name for name in names if name.startswith("skills/") and name.split("/")[1] in first]
        archive.extractall(folder, names)


@cache
def documents(folder: str) -> int:
    """How many Markdown files there are below the folder."""
    return sum(name.endswith(".md") for _, _, names in os.walk(folder) for name in names)


def corpus_of(skills: int, purpose: str = "", work: str = WORK) -> str:
    """The folder of a corpus of that many skills; one with a `purpose` may be changed by whoever asks for it."""
    stem = f"{purpose}-{skills}" if purpose else str(skills)
    digest = _digest(*(os.path.join(HERE, name) for name in _MAKERS))
    return _made(stem, digest, work, lambda folder: corpus.write_corpus(folder, skills))


@cache
def _digest(*paths: str) -> str:
    digest = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as handle:
            digest.update(handle.read())
    return digest.hexdigest()[:12]


def _made(stem: str, digest: str, work: str, make: Callable[[str], None]) -> str:
    """The folder of that name; it is made, and older ones are removed, where what makes it is another one now."""
    parent = os.path.join(work, "corpora")
    folder = os.path.join(parent, f"{stem}-{digest}")
    if not os.path.isdir(folder):
        print(f"writing the corpus {stem}", file=sys.stderr)
        for stale in glob.glob(os.path.join(parent, f"{stem}-*")):
            shutil.rmtree(stale)
        partial = f"{folder}.partial"
        make(partial)
        os.rename(partial, folder)
    return folder


def skill_file(root: str, number: int) -> str:
    """The path of the `SKILL.md` of one skill of a corpus."""
    return os.path.join(root, "skills", make_skill(number).name, "SKILL.md")


def change(root: str, number: int) -> str:
    """Give one skill of a corpus a new broken link, and return its words. What an earlier change left in it is gone."""
    (text,) = (file.text for file in make_skill(number).files if file.path == "SKILL.md")
    return _changed(skill_file(root, number), text)


def change_published(root: str) -> str:
    """The same for one of the published skills; its text is that of the archive."""
    name = "skills/architecture-patterns/SKILL.md"
    with zipfile.ZipFile(ARCHIVE) as archive:
        text = archive.read(name).decode()
    return _changed(os.path.join(root, *name.split("/")), text)


def _changed(path: str, text: str) -> str:
    gone = f"references/gone-{time.time_ns()}.md"
    with open(f"{path}.new", "w", encoding="utf-8", newline="\n") as handle:
        handle.write(f"{text}\nRead [what is gone]({gone}).\n")
    os.replace(f"{path}.new", path)
    return gone
