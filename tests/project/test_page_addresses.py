"""Messages name pages of `docs/` by their address: who installed the program has no such folder."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from skillbag import DOCUMENTATION
from tests.support import PROJECT

_PAGE = re.compile(r"(?<![\w/])docs/[\w/-]+\.md")


def mentions(text: str) -> list[str]:
    """Pages of this project that a text names by their path; examples name files that do not exist."""
    return [name for name in _PAGE.findall(text) if (PROJECT / name).exists()]


def messages(source: str) -> Iterator[str]:
    """The texts of a module that are no docstrings."""
    tree = ast.parse(source)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    bare = {id(each.value) for node in ast.walk(tree) if isinstance(node, documented) for each in node.body
            if isinstance(each, ast.Expr)}  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield node.value


@pytest.mark.slow
def test_no_message_names_a_page_by_its_path() -> None:
    for path in sorted((PROJECT / "skillbag").rglob("*.py")):
        source = path.read_text("utf-8")
        # Trees of all files take six seconds.
        for text in messages(source) if "docs/" in source else ():
            assert not mentions(text), path


def test_no_help_names_a_page_by_its_path() -> None:
    pages = [path.read_text("utf-8") for path in (PROJECT / "docs/commands").glob("*.md")]
    assert any(f"{DOCUMENTATION}/runtime-hosts.md" in text for text in pages)
    assert not [mentions(text) for text in pages if mentions(text)]
