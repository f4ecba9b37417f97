"""The architecture page is true, the package has its structure, and the public names are what type checkers see."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import skillbag
from tests.project.imports import imports
from tests.rows import each_row
from tests.support import PROJECT

PACKAGE = PROJECT / "skillbag"
PAGE = (PROJECT / "docs" / "architecture.md").read_text("utf-8")
NAMED = set(re.findall(r"`([\w./*]+?)/?`", PAGE))
SUBSYSTEMS = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))
PACKAGES = sorted(path.parent.name for path in PACKAGE.glob("*/*/__init__.py"))
CONTRACTS = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(PROJECT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_name(path): path for path in PACKAGE.rglob("*.py")}


def imported(path: Path) -> Iterator[str]:
    """The modules of the package that a module imports anywhere, for type checkers too."""
    for module, name in imports(path):
        inner = f"{module}.{name}"
        yield inner if inner in MODULES else module


@each_row("name", [*SUBSYSTEMS, *PACKAGES])
def test_every_package_is_named(name: str) -> None:
    assert name in NAMED


@each_row("name", sorted(name for name in NAMED if name.endswith(".py")))
def test_every_file_that_is_named_is_there(name: str) -> None:
    assert any(PROJECT.glob(name)) or any(PACKAGE.glob(name))


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = {name: {other for other in imported(path) if other in MODULES} for name, path in MODULES.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None


def test_few_names_lie_at_the_root_and_the_layers_are_few() -> None:
    assert {path.name for path in PACKAGE.glob("*.py")} == {"__init__.py", "__main__.py", "skill_sdk.py"}
    assert len(SUBSYSTEMS) <= 9
    assert len(CONTRACTS[0]["layers"]) <= 9
    assert CONTRACTS[0]["exhaustive"]


@each_row("name", SUBSYSTEMS)
def test_a_subsystem_has_a_contract_and_a_page_of_one_screen(name: str) -> None:
    (contract,) = [each for each in CONTRACTS[1:] if each["name"].startswith(f"{name}: ")]
    assert [f"skillbag.{name}"] in contract.values()
    page = (PACKAGE / name / "README.md").read_text("utf-8")
    assert len(page.splitlines()) <= 50
    for path in re.findall(r"`([a-z_]+(?:/[a-z_]+)*\.(?:py|json))`", page):
        assert any(any(folder.glob(path)) for folder in (PACKAGE / name, PACKAGE, PROJECT)), path


def test_no_contract_has_an_exception() -> None:
    assert not [contract["name"] for contract in CONTRACTS if "ignore_imports" in contract]


def test_the_page_is_short() -> None:
    assert len(PAGE.split()) <= 1500


def test_tests_mirror_the_package() -> None:
    folders = {path.name for path in (PROJECT / "tests").iterdir() if path.is_dir() and any(path.rglob("*.py"))}
    inner = {
        path.parent.relative_to(PROJECT / "tests").as_posix() for path in (PROJECT / "tests").glob("*/*/test_*.py")
    }
    # `project` holds what is about the whole, `portable` what runs on every system, `browser` what a browser makes of
    # pages, `editors` what editors do with the server; benchmarks lie outside the package.
    others = {"project", "portable", "benchmarks", "browser", "editors"}
    # What is about active skills as a whole, and not about one part of the runtime.
    whole = {f"runtime/{about}" for about in ("examples", "faults", "fields", "pages")}
    assert folders - others <= set(SUBSYSTEMS)
    assert [
        name for name in sorted(inner - whole) if name.split("/")[0] not in others and not (PACKAGE / name).is_dir()
    ] == []


@each_row("name", skillbag.PUBLIC)
def test_every_public_name_can_be_imported_and_has_a_docstring(name: str) -> None:
    value = getattr(skillbag, name)
    assert value.__doc__
    assert value.__module__ == f"skillbag.{skillbag.PUBLIC[name]}"


def test_type_checkers_see_the_same_names_from_the_same_modules() -> None:
    stub = (PACKAGE / "__init__.pyi").read_text("utf-8")
    seen = {
        name: module for module, name in re.findall(r"^from skillbag\.(\S+) import (\w+) as \2$", stub, re.MULTILINE)
    }
    assert seen == skillbag.PUBLIC


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Sesion'"):
        getattr(skillbag, "Sesion")  # noqa: B009 - a type checker would find it


def test_the_package_itself_imports_nothing_of_its_own() -> None:
    code = "import sys, skillbag; print([n for n in sys.modules if n.startswith('skillbag.')])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"
