"""The `process` backend: a program of the skill that speaks JSON-RPC (skill runtime, section 7.1)."""

from __future__ import annotations

import os
import shutil

from skillbag.kernel.base.errors import format_error
from skillbag.kernel.fs.confined import open_beneath
from skillbag.kernel.manifest.values import Implementation
from skillbag.kernel.processes.confinement import confined_program
from skillbag.kernel.processes.talking import Program
from skillbag.runtime.backends.child import ChildBackend
from skillbag.runtime.backends.launching import PROCESS_BOUNDS, allowed_of, bounds_of, environment_of
from skillbag.runtime.errors import ChildError


class ProcessBackend(ChildBackend):
    """Runs the entrypoint: a file of the skill, else a program on `PATH`; without a shell, in the skill's folder."""

    bounds = PROCESS_BOUNDS

    def _program(self) -> Program:
        launch = self._launch
        implementation = launch.manifest.implementation
        if implementation is None:
            raise ChildError("the manifest has no implementation")
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
