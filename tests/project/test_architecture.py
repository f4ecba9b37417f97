"""The page about the architecture is true: what it names is there, and every part of the package is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import PROJECT

PACKAGE = PROJECT / "skillbag"
PAGE = (PROJECT / "docs" / "architecture.md").read_text("utf-8")
NAMED = set(re.findall(r"`([\w./*]+?)/?`", PAGE.split("## Decisions")[0]))


def modules(folder: Path) -> list[str]:
    """The modules and packages in a folder, by the name of their file or folder."""
    found = (path for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists())
    return sorted(path.name for path in found if not path.name.startswith("__"))


@pytest.mark.parametrize("name", modules(PACKAGE))
def test_every_part_of_the_package_is_named(name: str) -> None:
    assert {name, f"skillbag/{name}"} & NAMED


@pytest.mark.parametrize("name", modules(PACKAGE / "lifecycle"))
def test_every_module_of_the_lifecycle_is_named(name: str) -> None:
    assert {name, f"lifecycle/{name}"} & NAMED


@pytest.mark.parametrize("name", sorted(name for name in NAMED if name.endswith(".py")))
def test_every_file_that_is_named_is_there(name: str) -> None:
    assert any(PROJECT.glob(name)) or any(PACKAGE.glob(name)) or any(PACKAGE.glob(f"**/{name}"))
