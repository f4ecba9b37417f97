"""The locked versions: everything that `pyproject.toml` asks for is in them, within its bounds."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.support import PROJECT

PYPROJECT: Any = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))


def pins(name: str) -> dict[str, list[Version]]:
    found: dict[str, list[Version]] = {}
    for line in (PROJECT / name).read_text("utf-8").splitlines():
        if match := re.match(r"([a-z0-9-]+)==(\S+)", line):
            found.setdefault(match[1], []).append(Version(match[2]))
    return found


def requested(*left_out: str) -> Iterator[Requirement]:
    """What the project, its extras and its build ask for; not its own extras by name."""
    extras = PYPROJECT["project"]["optional-dependencies"]
    lists = [PYPROJECT["project"]["dependencies"], PYPROJECT["build-system"]["requires"]]
    lists += [names for extra, names in extras.items() if extra not in left_out]
    for text in (text for names in lists for text in names):
        if (requirement := Requirement(text)).name != "skillbag":
            yield requirement


@pytest.mark.parametrize(("name", "left_out"), [("constraints.txt", ()), ("constraints-lowest.txt", ("docs",))])
def test_every_requirement_is_locked_within_its_bounds(name: str, left_out: tuple[str, ...]) -> None:
    locked = pins(name)
    for requirement in requested(*left_out):
        versions = locked.get(canonicalize_name(requirement.name), [])
        assert versions, f"{requirement} is not locked: run tools/lock --keep"
        assert all(version in requirement.specifier for version in versions), f"{requirement}: run tools/lock --keep"


def test_the_lowest_are_the_lowest() -> None:
    locked = pins("constraints-lowest.txt")
    for text in PYPROJECT["project"]["dependencies"]:
        requirement = Requirement(text)
        (lower,) = (Version(bound.version) for bound in requirement.specifier if bound.operator == ">=")
        assert locked[canonicalize_name(requirement.name)] == [lower]
