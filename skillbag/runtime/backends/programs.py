"""The backends `plugin` and `process`: Python code of the skill in a child, and a program of the skill that speaks
JSON-RPC (skill runtime, sections 7.1 and 7.3)."""

from __future__ import annotations

import os
import shutil

from skillbag.kernel.base.errors import format_error
from skillbag.kernel.fs.confined import open_beneath
from skillbag.kernel.manifest.values import Implementation
from skillbag.kernel.processes.confinement import confined_module, confined_program
from skillbag.kernel.processes.talking import Program
from skillbag.runtime.backends.child import ChildBackend
from skillbag.runtime.backends.launching import (
    CHILDREN,
    PLUGIN_BOUNDS,
    PROCESS_BOUNDS,
    allowed_of,
    bounds_of,
    environment_of,
)
from skillbag.runtime.errors import ChildError

DEFAULT_ENTRYPOINT = "skill.py"

_SDK = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(CHILDREN))), "skill_sdk.py")


class PluginBackend(ChildBackend):
    """Runs `FILE.py` (with `new_skill` or `NewSkill`) or `MODULE:FACTORY` of the skill's folder."""

    bounds = PLUGIN_BOUNDS

    def _program(self) -> Program:
        launch = self._launch
        implementation = launch.implementation
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


class ProcessBackend(ChildBackend):
    """Runs the entrypoint: a file of the skill, else a program on `PATH`; without a shell, in the skill's folder."""

    bounds = PROCESS_BOUNDS

    def _program(self) -> Program:
        launch = self._launch
        implementation = launch.implementation
        environment = environment_of(launch)
        program = _entrypoint(implementation, launch.directory, environment["PATH"])
        folder = os.path.dirname(os.path.realpath(program))
        allowed = allowed_of(launch, environment["PATH"], folder)
        bounds = bounds_of(implementation.limits, PROCESS_BOUNDS)
        words = confined_program([program, *implementation.args], allowed, bounds, launch.strict_sandbox, waits=True)
        return Program(words, environment, launch.directory, waits=True)


def _entrypoint(implementation: Implementation, directory: str, search_path: str) -> str:
    """The absolute path of the program."""
    name = implementation.entrypoint
    if os.path.isabs(name):
        raise ChildError(f"entrypoint {name}: an absolute path; give one relative to the skill, or a name on PATH")
    try:
        opened = open_beneath(directory, name)
    except FileNotFoundError:
        found = None if "/" in name else shutil.which(name, path=search_path)
        if found is None:
            where = "in the skill" if "/" in name else "in the skill or on PATH"
            raise ChildError(f"entrypoint {name}: there is no such program {where}") from None
        return found
    except OSError as error:
        raise ChildError(f"entrypoint {name}: {format_error(error)}") from error
    os.close(opened.descriptor)
    if not opened.status.st_mode & 0o111:
        raise ChildError(f"entrypoint {name}: the file is not executable; make it so (chmod +x)")
    return opened.path
