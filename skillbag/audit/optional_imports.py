"""What the extra `audit` brings: imported when it is used, and missed in one sentence."""

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
