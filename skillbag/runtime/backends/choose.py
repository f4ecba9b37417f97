"""The backend of a skill, imported when it is needed (skill runtime, section 7)."""

from __future__ import annotations

import os
from collections.abc import Iterable

from skillbag.manifest.names import BackendKind
from skillbag.runtime.backends.backend import Backend, Launch
from skillbag.runtime.errors import ChildError
from skillbag.runtime.settings import McpServer


def make_backend(launch: Launch, servers: Iterable[McpServer] = ()) -> Backend:
    """The backend that the manifest names, not started yet. `servers` are those that the user has configured.

    Raises:
        ChildError: the manifest names none that can be started here.
    """
    implementation = launch.manifest.implementation
    if implementation is None:
        raise ChildError(f'skill "{launch.manifest.name}" has no code')
    if os.name != "posix" and implementation.backend is not BackendKind.MCP:
        raise ChildError(f'skill "{launch.manifest.name}" needs process groups, which this system has not')
    match implementation.backend:
        case BackendKind.STARLARK:
            from skillbag.runtime.backends.starlark import StarlarkBackend

            return StarlarkBackend(launch)
        case BackendKind.PROCESS:
            from skillbag.runtime.backends.process import ProcessBackend

            return ProcessBackend(launch)
        case BackendKind.PLUGIN:
            from skillbag.runtime.backends.plugin import PluginBackend

            return PluginBackend(launch)
        case BackendKind.MCP:
            from skillbag.runtime.backends.mcp import McpBackend

            return McpBackend(launch, _server(implementation.entrypoint, servers))


def _server(name: str, servers: Iterable[McpServer]) -> McpServer:
    """The server of a name. Only the user's settings can name one."""
    for server in servers:
        if server.name == name:
            return server
    raise ChildError(f'there is no MCP server "{name}" in the settings; see runtime.mcp_servers')
