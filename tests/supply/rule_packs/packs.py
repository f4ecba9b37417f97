"""Packs for tests: installed as pip leaves them, or in a git repository."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support import PROJECT

EXAMPLE = PROJECT / "examples/house-rules"
SKILL = "---\nname: tidy\ndescription: Tidy a folder. Use when files lie about.\n---\n\nPush it to Github.\n"


def files_of(folder: Path) -> dict[str, str]:
    """The files of the example pack, from its package folder down."""
    paths = [path for path in folder.rglob("*") if path.suffix in (".py", ".yaml")]
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in paths}


PACK = files_of(EXAMPLE / "house_rules")


def install(
    site: Path, monkeypatch: pytest.MonkeyPatch, name: str = "house-rules", version: str = "1.0.0", points: str = ""
) -> Path:
    """Make the example an installed distribution; the folder of its package."""
    package = name.replace("-", "_")
    shutil.rmtree(site / package, ignore_errors=True)
    shutil.copytree(EXAMPLE / "house_rules", site / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.rmtree(site / f"{package}.dist-info", ignore_errors=True)
    info = site / f"{package}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", "utf-8")
    (info / "entry_points.txt").write_text(points or f"[skillbag.rules]\n{name} = {package}\n", "utf-8")
    monkeypatch.syspath_prepend(site)
    for module in [module for module in sys.modules if module.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    return site / package


def project(root: Path, *packs: str, text: str = SKILL, more: Mapping[str, str] | None = None) -> Path:
    """A tree with one skill whose configuration names these packs."""
    named = ", ".join(f'"{pack}"' for pack in packs)
    files = {"skills/tidy/SKILL.md": text, "skillbag.toml": f"packs = [{named}]\n", **(more or {})}
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
    return root
