"""Corpora in the work folder: made once, and again when what makes them has changed."""

from __future__ import annotations

import glob
import hashlib
import os
import shutil
import sys
import time
from typing import NamedTuple

import corpus
from skill_text import make_skill

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = os.path.join(HERE, "work")
"""Where the benchmark keeps everything that it makes; git ignores it."""

_MAKERS = ("corpus.py", "skill_text.py", "programs.py", "words.py")


def corpus_of(skills: int, purpose: str = "", work: str = WORK) -> str:
    """The folder of a corpus of that many skills; one with a `purpose` may be changed by whoever asks for it."""
    digest = hashlib.sha256()
    for name in _MAKERS:
        with open(os.path.join(HERE, name), "rb") as handle:
            digest.update(handle.read())
    parent = os.path.join(work, "corpora")
    stem = f"{purpose}-{skills}" if purpose else str(skills)
    folder = os.path.join(parent, f"{stem}-{digest.hexdigest()[:12]}")
    if not os.path.isdir(folder):
        print(f"writing {skills:,} skills", file=sys.stderr)
        for stale in glob.glob(os.path.join(parent, f"{stem}-*")):
            shutil.rmtree(stale)
        partial = f"{folder}.partial"
        corpus.write_corpus(partial, skills)
        os.rename(partial, folder)
    return folder


def skill_file(root: str, number: int) -> str:
    """The path of the `SKILL.md` of one skill of a corpus."""
    return os.path.join(root, "skills", make_skill(number).name, "SKILL.md")


class Change(NamedTuple):
    """What was changed: the `words` that a report of it holds, and the moment just before the file was another one."""

    words: str
    moment: float


def change(root: str, number: int) -> Change:
    """Give one skill of a corpus a broken link that it has never had. What an earlier change has left in it is gone."""
    gone = f"references/gone-{time.time_ns()}.md"
    (text,) = (file.text for file in make_skill(number).files if file.path == "SKILL.md")
    path = skill_file(root, number)
    with open(f"{path}.new", "w", encoding="utf-8", newline="\n") as handle:
        handle.write(f"{text}\nRead [what is gone]({gone}).\n")
    moment = time.perf_counter()
    os.replace(f"{path}.new", path)
    return Change(gone, moment)
