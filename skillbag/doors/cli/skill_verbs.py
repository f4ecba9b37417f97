"""The verbs of `skillbag skill`."""

from __future__ import annotations

from collections.abc import Mapping

ALIASES: Mapping[str, tuple[str, ...]] = {
    "list": ("list",),
    "info": ("runtime", "info"),
    "search": ("search",),
    "install": ("install",),
    "remove": ("remove",),
    "add": ("add",),
    "add-dir": ("runtime", "dirs", "add"),
    "update": ("update",),
    "create": ("new",),
    "test": ("runtime", "test"),
    "lint": ("check",),
    "dev": ("runtime", "dev"),
    "why": ("runtime", "why"),
    "trace": ("runtime", "trace"),
    "permissions": ("runtime", "permissions"),
}
"""Each verb, and the words of the command that it stands for."""
