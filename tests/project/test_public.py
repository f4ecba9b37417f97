"""The public interface: names that are imported late, and what type checkers see of them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import skillbag

PACKAGE = Path(skillbag.__file__).parent


@pytest.mark.parametrize("name", skillbag.PUBLIC)
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
