"""The backend of a skill, imported when it is needed (skill runtime, section 7)."""

from __future__ import annotations

from skillbag.manifest.names import BackendKind
from skillbag.runtime.backends.backend import Backend, Launch
from skillbag.runtime.errors import ChildError


def make_backend(launch: Launch) -> Backend:
    """The backend that the manifest names, not started yet.

    Raises:
        ChildError: the manifest names none, or this system has no processes of the needed kind.
    """
    implementation = launch.manifest.implementation
    match implementation and implementation.backend:
        case BackendKind.STARLARK:
            from skillbag.runtime.backends.starlark import StarlarkBackend

            return StarlarkBackend(launch)
        case BackendKind.PROCESS:
            from skillbag.runtime.backends.process import ProcessBackend

            return ProcessBackend(launch)
        case BackendKind.PLUGIN:
            from skillbag.runtime.backends.plugin import PluginBackend

            return PluginBackend(launch)
    raise ChildError(f'skill "{launch.manifest.name}" has no backend that could be started')
