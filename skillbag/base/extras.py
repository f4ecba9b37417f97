"""The packages of extras, imported when they are used."""

from __future__ import annotations

from importlib import import_module

from skillbag.base.errors import MissingExtraError

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
    return f"{user} needs {package}, which is not installed: pip install 'skillbag[{name}]'"
