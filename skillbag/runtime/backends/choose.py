"""The backend of a skill, imported when it is needed (skill runtime, section 7)."""

from __future__ import annotations

from collections.abc import Iterable

from skillbag.kernel.base.posix import is_posix, not_here
from skillbag.kernel.manifest.names import BackendKind
from skillbag.runtime.backends.backend import Backend, Launch
from skillbag.runtime.errors import ChildError, SkillUnavailableError
from skillbag.runtime.triggers.settings import McpServer


def make_backend(launch: Launch, servers: Iterable[McpServer] = ()) -> Backend:
    """The backend that the manifest names, not started yet. `servers` are those that the user has configured.

    Raises:
        ChildError: the manifest names none that can be started here, or not on this system.
    """
    implementation = launch.implementation
    if not is_posix() and implementation.backend is not BackendKind.MCP:
        raise SkillUnavailableError(not_here(f'the code of skill "{launch.manifest.name}"'))
    match implementation.backend:
        case BackendKind.STARLARK:
            from skillbag.runtime.backends.starlark import StarlarkBackend

            return StarlarkBackend(launch)
        case BackendKind.PROCESS:
            from skillbag.runtime.backends.programs import ProcessBackend

            return ProcessBackend(launch)
        case BackendKind.PLUGIN:
            from skillbag.runtime.backends.programs import PluginBackend

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
