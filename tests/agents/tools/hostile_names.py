"""Names and paths that must get nobody anywhere, and a workspace with links in every position to try them on."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from tests.session.bags import bag
from tests.supply.install.worlds import write

SECRET = "words-that-nobody-may-see"
"""Stands in every file that is out of reach, and in no other."""

SKILLS = ("aa", "aab", "linked", "slipped")
"""The catalog's skills in `hostile_world`; `linked` leaves the workspace, and so does the `SKILL.md` of `slipped`."""

_TABLES = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))

NAMES: Mapping[str, str] = {**_TABLES["names"], "too-long": "a" * 65, "far-too-long": "a" * 100_000}
"""What no skill can be called, by what is wrong with it. None is to reach a file system, a catalog or a shell."""

PATHS: Mapping[str, str] = {
    **_TABLES["paths"],
    "far-up": "../" * 50 + "etc/passwd",
    "too-long-a-name": "a" * 300,
    "too-long": "a" * 5_000,
    "far-too-long": "a" * 2_000_000,
    "too-deep": "a/" * 2_000 + "a",
}
"""What no tool may read or run within the skill `aa` of `hostile_world`, by what is wrong with it."""


def hostile_world(folder: Path) -> Path:
    """A workspace below `folder` with the skills `SKILLS`, and secrets all around `aa`, to which its links lead."""
    outside = write(folder / "outside", {"secret.txt": SECRET, "SKILL.md": f"---\nname: linked\n---\n{SECRET}\n"})
    files = {
        ".skills/aa/references/a.md": "What anybody may read.\n",
        ".skills/aa/scripts/run.sh": "#!/bin/sh\necho done\n",
        ".skills/aab/secret.txt": SECRET,
    }
    root = bag(folder / "w", SKILLS, files)
    _link_skills(root / ".skills", outside)
    _link_files(root / ".skills/aa", outside)
    return root


def _link_skills(skills: Path, outside: Path) -> None:
    (skills / "linked/SKILL.md").unlink()
    (skills / "linked").rmdir()
    (skills / "linked").symlink_to(outside, target_is_directory=True)
    (skills / "slipped/SKILL.md").unlink()
    (skills / "slipped/SKILL.md").symlink_to("../../../outside/SKILL.md")


def _link_files(skill: Path, outside: Path) -> None:
    links = {
        "out.txt": "../../../outside/secret.txt",
        "references/out.txt": "../../../../outside/secret.txt",
        "out": "../../../outside",
        "absolute.txt": str(outside / "secret.txt"),
        "absolute": "/etc",
        "up": "..",
        "sibling": "../aab",
        "sibling.txt": "../aab/secret.txt",
        "chain": "out.txt",
        "chained": "out",
        "circle": "circle",
        "round": "round-again",
        "round-again": "round",
        "dangling": "gone",
    }
    for name, target in links.items():
        (skill / name).symlink_to(target)
    os.mkfifo(skill / "pipe")
