"""The `plugin` backend: Python code of the skill in a child process (skill runtime, section 7.3)."""

from __future__ import annotations

import os

from skillbag.kernel.base.errors import format_error
from skillbag.kernel.fs.confined import open_beneath
from skillbag.kernel.processes.confinement import confined_module
from skillbag.kernel.processes.talking import Program
from skillbag.runtime.backends.child import ChildBackend
from skillbag.runtime.backends.launching import CHILDREN, PLUGIN_BOUNDS, allowed_of, bounds_of, environment_of
from skillbag.runtime.errors import ChildError

DEFAULT_ENTRYPOINT = "skill.py"

_SDK = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(CHILDREN))), "skill_sdk.py")


class PluginBackend(ChildBackend):
    """Runs `FILE.py` (with `new_skill` or `NewSkill`) or `MODULE:FACTORY` of the skill's folder."""

    bounds = PLUGIN_BOUNDS

    def _program(self) -> Program:
        launch = self._launch
        implementation = launch.manifest.implementation
        if implementation is None:
            raise ChildError("the manifest has no implementation")
        entrypoint = implementation.entrypoint or DEFAULT_ENTRYPOINT
        _check_file(launch.directory, entrypoint)
        environment = environment_of(launch)
        words = confined_module(
            CHILDREN,
            "plugin_child",
            [_SDK, launch.directory, entrypoint],
            allowed_of(launch, environment["PATH"], CHILDREN, _SDK),
            bounds_of(implementation.limits, PLUGIN_BOUNDS),
            launch.strict_sandbox,
        )
        return Program(words, environment, launch.directory)


def _check_file(directory: str, entrypoint: str) -> None:
    """The module's file must be one of the skill."""
    module = entrypoint.partition(":")[0]
    path = module.replace(".", "/")
    paths = [module] if module.endswith(".py") else [f"{path}.py", f"{path}/__init__.py"]
    faults = []
    for path in paths:
        try:
            os.close(open_beneath(directory, path).descriptor)
            return
        except OSError as error:
            faults.append(error)
    if all(isinstance(fault, FileNotFoundError) for fault in faults):
        raise ChildError(f"plugin {entrypoint}: the skill has no file {paths[0]}")
    raise ChildError(f"plugin {entrypoint}: {format_error(faults[0])}")
