"""The page about the architecture is true, and the package has the structure that it claims."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.support import PROJECT

PACKAGE = PROJECT / "skillbag"
PAGE = (PROJECT / "docs" / "architecture.md").read_text("utf-8")
NAMED = set(re.findall(r"`([\w./*]+?)/?`", PAGE.split("## Decisions")[0]))
PACKAGES = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(PROJECT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_name(path): path for path in PACKAGE.rglob("*.py")}


def imported(path: Path) -> Iterator[str]:
    """The modules of the package that a module imports anywhere, for type checkers too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("name", PACKAGES)
def test_every_package_is_named(name: str) -> None:
    assert name in NAMED


@pytest.mark.parametrize("name", sorted(name for name in NAMED if name.endswith(".py")))
def test_every_file_that_is_named_is_there(name: str) -> None:
    assert any(PROJECT.glob(name)) or any(PACKAGE.glob(name))


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = {name: {other for other in imported(path) if other in MODULES} for name, path in MODULES.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None


def test_few_modules_lie_at_the_root_and_the_layers_are_few() -> None:
    assert len(list(PACKAGE.glob("*.py"))) <= 6
    (contract,) = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    assert len(contract["layers"]) <= 20
    assert contract["exhaustive"]
    assert "ignore_imports" not in contract


def test_tests_mirror_the_package() -> None:
    folders = {path.name for path in (PROJECT / "tests").iterdir() if path.is_dir() and any(path.glob("*.py"))}
    # `project` holds what is about the whole; benchmarks lie outside the package.
    assert folders - {"project", "benchmarks"} <= set(PACKAGES)
