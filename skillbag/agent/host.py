"""The host's side of the executable plugin protocol: load plugins, call their tools, dispatch hooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

TIME_LIMIT = 30.0
"""Seconds that a plugin may take to answer."""


class PluginTool(NamedTuple):
    """A tool of a plugin. `path` is the real path of the executable, `hooks` those that the plugin asked for."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    hooks: tuple[str, ...]
    path: str


class Plugins(NamedTuple):
    """The tools of all plugins in order, and a sentence on each thing that was skipped and why."""

    tools: tuple[PluginTool, ...]
    warnings: tuple[str, ...] = ()
