"""Plain repositories of Agent Skills."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.supply.install.worlds import call, skill_text
from tests.supply.sources.repositories import Repository, git
from tests.support import Run


def skills(*names: str, root: str = "skills", **bodies: str) -> dict[str, str | bytes]:
    """The files of skills below a skills root: by name, or with a body."""
    texts = {name: skill_text(name) for name in names} | {
        name: skill_text(name, body=body) for name, body in bodies.items()
    }
    return {f"{root}/{name}/SKILL.md": text for name, text in texts.items()}


PLAIN: Mapping[str, str | bytes] = {
    "README.md": "Skills for everybody.\n",
    "AGENTS.md": "How to work on this repository: run `make ready` first.\n",
    "src/large.bin": b"\0" * 5000,
    ".claude-plugin/marketplace.json": "{}\n",
    **skills("tidy", "sweep"),
    "skills/tidy/scripts/tidy.sh": "#!/bin/sh\necho tidy\n",
    **skills("mend", root=".claude/skills"),
    **skills("dust", root="skills/house"),
}
"""A repository with skills in three roots, beside what is none of theirs."""


def addresses(tmp_path: Path, repo: Repository) -> dict[str, str]:
    """The content of a repository as git, as two kinds of zip, and as a folder."""
    folder = tmp_path / "as-folder"
    git(tmp_path, "clone", "--quiet", str(repo.path), str(folder))
    repo.git("archive", "--format=zip", "-o", str(tmp_path / "flat.zip"), "main")
    repo.git("archive", "--format=zip", "--prefix=repo-main/", "-o", str(tmp_path / "top.zip"), "main")
    return {
        "git": repo.url,
        "flat zip": str(tmp_path / "flat.zip"),
        "zip with a top folder": str(tmp_path / "top.zip"),
        "folder": str(folder),
    }


def take(run: Run, workspace: Path, source: object, *names: str, code: int = 0) -> dict[str, Any]:
    """Install from a plain repository, which ends with this exit code."""
    found, values = call(run, workspace, "install", *names, "--source", source)
    assert found == code, values
    return values


def messages(values: Mapping[str, object]) -> str:
    """All that the problems say."""
    return json.dumps(values["problems"], ensure_ascii=False)
