"""Zip archives of a source."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from skillbag.kernel.workspace.tree_hash import tree_hash
from skillbag.supply.sources import archive

posix = pytest.mark.skipif(os.name != "posix", reason="links and permissions as on Unix")


def git(root: Path, *arguments: str) -> None:
    """Run git in `root`, with an identity of the test."""
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "core.autocrlf=false"]
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)


def unpacked(data: bytes, folder: Path) -> Path:
    """The archive, unpacked into a new folder below `folder`."""
    (folder / "x.zip").write_bytes(data)
    assert archive.unpack(str(folder / "x.zip"), str(folder / "to")) == tree_hash(str(folder / "to"))
    return folder / "to"


def names(root: Path) -> set[str]:
    """All files and links below `root`."""
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_symlink() or not path.is_dir()}
