"""Makes corpora of agent skills for the benchmark: any number of them, byte for byte the same each time.

python benchmarks/corpus.py FOLDER --skills 2000
"""

from __future__ import annotations

import argparse
import os
import subprocess
from collections.abc import Iterator, Sequence
from functools import partial
from multiprocessing import Pool

from skill_text import File, Skill, make_skill

_MANY = 500
"""Skills from which it is worth while to start processes."""
_CATALOG = "SKILLS.md"
_INSTALL = "Install skills into this workspace. Use when skills are asked for or missing."
_INSTALLER_TEXT = f"""---
name: skillbag-get-skills
description: {_INSTALL}
allowed-tools: git curl wget tar unzip cp rsync ln
---

## Parameters

```yaml
optional:
  - name: skills
    default: []
  - name: destination
    default: .skills/
  - name: upgrade
    default: false
  - name: persist-nonsecret-parameters
    default: true
```

## Instructions

Ask which skills are wanted, with those that `CONTEXT.md` depends on; without a version take the default branch. Look at
the `AGENTS.md` of each source and follow its extra steps; at any failure stop. Put them into `.skills/`, and a line for
each into `.skills/SKILLS.md`: skip those that are there, and never overwrite local edits. Never write secrets.
"""
_INSTALLER = Skill("skillbag-get-skills", _INSTALL, (File("SKILL.md", _INSTALLER_TEXT),))
"""The skill that every workspace has."""


def write_corpus(root: str, count: int, layout: str = "skills", skillbag: str = "skillbag") -> None:
    """Write `count` skills below the new or empty folder `root`.

    `layout` is `skills` (a plain tree, `skills/*/`) or `workspace` (`.skills/` with its catalog; the program `skillbag`
    is run for `skillbag init`).

    Raises:
        FileExistsError: there is something in `root` already.
        subprocess.CalledProcessError: `skillbag init` failed.
    """
    os.makedirs(root, exist_ok=True)
    if os.listdir(root):
        raise FileExistsError(f"{root} is not empty")
    write_repository(root)
    if layout == "workspace":
        subprocess.run([skillbag, "init", root], check=True, stdout=subprocess.DEVNULL)
    folder = os.path.join(root, ".skills" if layout == "workspace" else "skills")
    descriptions = dict(_write_skills(folder, count))
    if layout == "workspace":
        _extend_catalog(os.path.join(folder, _CATALOG), descriptions)


def _write_skills(folder: str, count: int) -> Iterator[tuple[str, str]]:
    """Write the first skills, many of them with all cores; gives the name and the description of each."""
    write = partial(_write_numbered, folder)
    numbers = range(1, count + 1)
    if count < _MANY:
        yield from map(write, numbers)
        return
    with Pool(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None) as pool:
        yield from pool.imap(write, numbers, chunksize=_MANY // 10)


def _write_numbered(folder: str, number: int) -> tuple[str, str]:
    skill = make_skill(number)
    _write_skill(folder, skill)
    return skill.name, skill.description


def write_workspace(root: str, count: int) -> None:
    """Write the first `count` skills as a workspace that depends on no program: the same bytes whoever is to check it.

    Raises:
        FileExistsError: there is something in `root` already.
    """
    write_corpus(root, count)
    folder = os.path.join(root, ".skills")
    os.rename(os.path.join(root, "skills"), folder)
    _write_skill(folder, _INSTALLER)
    skills = [*map(make_skill, range(1, count + 1)), _INSTALLER]
    _write(os.path.join(folder, _CATALOG), "".join(f"{skill.name}: {skill.description}\n" for skill in skills))
    _write(os.path.join(root, "SKILLBAG.md"), "SkillBag v0.3.0\n")


def write_repository(root: str) -> None:
    """An empty git repository, so that a corpus within an ignored folder of a project is not ignored itself."""
    for folder in ("objects", "refs"):
        os.makedirs(os.path.join(root, ".git", folder))
    _write(os.path.join(root, ".git", "HEAD"), "ref: refs/heads/main\n")
    _write(os.path.join(root, ".git", "config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n")


def _write_skill(folder: str, skill: Skill) -> None:
    for file in skill.files:
        path = os.path.join(folder, skill.name, *file.path.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        _write(path, file.text, mode=0o777 if file.executable else 0o666)


def _extend_catalog(path: str, descriptions: dict[str, str]) -> None:
    """Add lines to what `init` wrote, in the order of the names."""
    with open(path, encoding="utf-8") as handle:
        lines = dict(line.rstrip("\n").split(": ", 1) for line in handle if ": " in line)
    lines.update(descriptions)
    _write(path, "".join(f"{name}: {lines[name]}\n" for name in sorted(lines)))


def _write(path: str, text: str, mode: int = 0o666) -> None:
    """Write a file; a new one gets `mode`, less the umask."""
    with open(
        path, "w", encoding="utf-8", newline="\n", opener=lambda name, flags: os.open(name, flags, mode)
    ) as handle:
        handle.write(text)


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and write one corpus."""
    parser = argparse.ArgumentParser(description="Write a corpus of agent skills into an empty folder.")
    parser.add_argument("folder")
    parser.add_argument("--skills", type=int, default=17, metavar="N", help="how many (default: 17)")
    parser.add_argument("--layout", choices=("skills", "workspace"), default="skills")
    parser.add_argument("--skillbag", default="skillbag", metavar="PROGRAM", help="used for the layout `workspace`")
    options = parser.parse_args(arguments)
    try:
        write_corpus(options.folder, options.skills, options.layout, options.skillbag)
    except FileExistsError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
