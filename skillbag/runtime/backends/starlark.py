"""The `starlark` backend: Starlark in a child process with limits (skill runtime, section 7.2)."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping

from skillbag.kernel.base.errors import format_error
from skillbag.kernel.base.extras import to_install
from skillbag.kernel.fs.confined import TooLargeError, read_beneath
from skillbag.kernel.processes.confinement import Allowed, confined_module, python_folders
from skillbag.kernel.processes.talking import Program
from skillbag.runtime.backends.backend import CallKind, HostFunctions, Launch
from skillbag.runtime.backends.child import ChildBackend
from skillbag.runtime.backends.launching import CHILDREN, STARLARK_BOUNDS, bounds_of, environment_of
from skillbag.runtime.backends.restarts import SYSTEM_CLOCK, Clock
from skillbag.runtime.errors import NotFoundError, RuntimeFaultError, SkillUnavailableError
from skillbag.runtime.skill import Json

CPU_LIMIT = 5.0
"""Seconds of the processor of a call, unless the manifest says less."""

MEMORY_LIMIT = STARLARK_BOUNDS.memory_mb

DEFAULT_ENTRYPOINT = "main.star"

_LONGEST_SOURCE = 1 << 20


class StarlarkBackend(ChildBackend):
    """Runs the entrypoint, those of scanners, and the files that they load. The child reads no files: the host gives it
    their text."""

    limits: Mapping[CallKind, float] = dict.fromkeys(CallKind, 10.0)
    bounds = STARLARK_BOUNDS
    # The interpreter answers at once, unless it is within a single operation, which nothing but its end can stop.
    grace = 0.5

    def __init__(self, launch: Launch, clock: Clock = SYSTEM_CLOCK) -> None:
        super().__init__(launch, clock)
        self._entrypoint = launch.implementation.entrypoint or DEFAULT_ENTRYPOINT
        self._limits = launch.implementation.limits

    def _program(self) -> Program:
        package = _interpreter()
        limits = self._limits._replace(memory_mb=self._memory_mb(), cpu_s=None)
        words = confined_module(
            CHILDREN,
            "starlark_child",
            [os.path.dirname(package), str(min(self._limits.cpu_s or CPU_LIMIT, CPU_LIMIT)), *self._entrypoints()],
            Allowed((*python_folders(), CHILDREN, os.path.dirname(package))),
            bounds_of(limits, STARLARK_BOUNDS),
            self._launch.strict_sandbox,
        )
        # Where memory ends, a trace of the place could wait for memory forever.
        environment = environment_of(self._launch) | {"RUST_BACKTRACE": "0"}
        return Program(words, environment, self._launch.directory)

    def _memory_mb(self) -> int:
        return min(super()._memory_mb(), MEMORY_LIMIT)

    def _entrypoints(self) -> list[str]:
        """The skill's own, then those of its scanners."""
        rules = self._launch.manifest.security_rules
        scanners = rules.scanners if rules else ()
        return list(dict.fromkeys((self._entrypoint, *(scanner.entrypoint for scanner in scanners))))

    def _functions(self) -> HostFunctions:
        host = self._launch.host

        def call(name: str, arguments: Mapping[str, Json]) -> Json:
            return self._source(arguments.get("path")) if name == "starlark_source" else host(name, arguments)

        return call

    def _source(self, path: Json) -> str:
        """The text of a file of the skill."""
        try:
            if not isinstance(path, str):
                raise NotFoundError("load: the path is no text")
            return read_beneath(self._launch.directory, path, _LONGEST_SOURCE).decode("utf-8")
        except UnicodeDecodeError as error:
            raise RuntimeFaultError(f"{path}: it is not UTF-8") from error
        except TooLargeError as error:
            raise RuntimeFaultError(f"{path}: it is larger than {_LONGEST_SOURCE >> 20} MiB") from error
        except OSError as error:
            raise NotFoundError(format_error(error) if error.filename else f"{path}: {format_error(error)}") from error


def _interpreter() -> str:
    """The folder of the interpreter's package."""
    found = importlib.util.find_spec("starlark")
    if found is None or not found.submodule_search_locations:
        raise SkillUnavailableError(f"Starlark is not installed: {to_install('runtime')}")
    return os.path.realpath(found.submodule_search_locations[0])
