"""The packages of extras, imported when they are used."""

from __future__ import annotations

import os
import sys
from importlib import import_module

from skillbag.kernel.base.errors import MissingExtraError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def extra(module: str, user: str, name: str) -> Any:
    """A module of the extra `name`, which `user` needs.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(missing(module.partition(".")[0], user, name)) from error


def require(module: str, user: str, name: str) -> None:
    """Make sure that a module of the extra `name` is there, without importing it.

    Raises:
        MissingExtraError: it is not installed.
    """
    from importlib.util import find_spec

    if find_spec(module) is None:
        raise MissingExtraError(missing(module, user, name))


def missing(package: str, user: str, name: str) -> str:
    """The message where a package of the extra `name` is missing."""
    return f"{user} needs {package}, which is not installed: {to_install(name)}"


def to_install(name: str) -> str:
    """The command that installs the extra `name` where this program is, with what installed the program itself."""
    if os.path.isfile(os.path.join(sys.prefix, "pipx_metadata.json")):
        return f"pipx inject skillbag 'skillbag[{name}]'"
    if os.path.isfile(os.path.join(sys.prefix, "uv-receipt.toml")):
        return f"uv tool install 'skillbag[{name}]'"
    return f"pip install 'skillbag[{name}]'"
