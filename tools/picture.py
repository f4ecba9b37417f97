"""The pictures of what may import what: drawn from the import contracts of `pyproject.toml`, with what each part is."""

from __future__ import annotations

import ast
import re
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import skillbag

_WIDTH = 120
_ASIDE = re.compile(r"\W+\(skill runtime, .*")
"""Where the standard speaks of it: nothing that a picture needs."""
_SOURCE = Path(skillbag.__file__).parent.parent


def pictures(pyproject: Path) -> dict[str, str]:
    """By package: the picture of each whose contract has layers."""
    config = tomllib.loads(pyproject.read_text("utf-8"))
    contracts = config["tool"]["importlinter"]["contracts"]
    return {package: _picture(package, rows) for package, rows in _layered(contracts)}


def _layered(contracts: list[Mapping[str, Any]]) -> Iterator[tuple[str, list[list[str]]]]:
    for contract in contracts:
        if contract["type"] == "layers":
            (package,) = contract["containers"]
            yield package, [layer.split(" | ") for layer in contract["layers"]]


def _picture(package: str, layers: list[list[str]]) -> str:
    """A row for each part, and a line between the layers."""
    width = max(len(name) for layer in layers for name in layer)
    arrow = f"{'|':>{width // 2 + 1}}\n"
    layer_texts = ("".join(_row(package, name, width) for name in layer) for layer in layers)
    return f"```\n{arrow.join(layer_texts)}```\n"


def _row(package: str, name: str, width: int) -> str:
    text = _text(_SOURCE.joinpath(*package.split("."), name))
    wrapped = textwrap.wrap(text, _WIDTH - width - 3) or [""]
    return f"{name:<{width}}   " + ("\n" + " " * (width + 3)).join(wrapped) + "\n"


def _text(path: Path) -> str:
    """The first sentence of a package's or a module's docstring."""
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    docstring = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
    first = " ".join(docstring.split("\n\n")[0].split())
    return _ASIDE.sub("", re.split(r"(?<=[a-z`)])\. ", first)[0]).rstrip(".")
