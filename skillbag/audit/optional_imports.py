"""The packages of the extra `audit`, imported when they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class MissingExtraError(OSError):
    """A package of the extra is not installed; the message says how to install it."""


def extra(module: str, option: str) -> Any:
    """A module of the extra, which `option` needs.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingExtraError(
            f"{option} needs {package}, which is not installed: pip install 'skillbag[audit]'"
        ) from error
