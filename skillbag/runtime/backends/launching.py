"""What a skill's process may touch, its limits and its environment (skill runtime, sections 7.1 and 13)."""

from __future__ import annotations

import os

from skillbag.kernel.manifest.names import BackendKind, Permission
from skillbag.kernel.manifest.values import ProcessLimits
from skillbag.kernel.processes.confinement import (
    NEVER_HELD,
    Allowed,
    ProcessBounds,
    available,
    not_held,
    program_folders,
    python_folders,
)
from skillbag.kernel.processes.environment import skill_environment
from skillbag.runtime.backends.backend import Launch
from skillbag.runtime.errors import ChildError

STARLARK_BOUNDS = ProcessBounds(memory_mb=256, reserve_mb=512, cpu_s=3600, processes=8)
PLUGIN_BOUNDS = ProcessBounds(memory_mb=512, reserve_mb=1024, cpu_s=3600, processes=64)
PROCESS_BOUNDS = ProcessBounds(memory_mb=1024, reserve_mb=4096, cpu_s=3600, processes=64)
"""The default limits of a process. The reserve is for runtimes that map much more than they use."""

CHILDREN = os.path.join(os.path.dirname(os.path.realpath(__file__)), "children")
"""The folder of the programs of children."""

_OUT_OF_MEMORY = ("MemoryError", "memory allocation of", "out of memory", "Cannot allocate memory", "std::bad_alloc")
"""What Python, Rust, Node and Go, programs in C, and those in C++ write when they get no memory."""

_MAX_MEMORY, _MAX_CPU, _MAX_PROCESSES = 8192, 24 * 3600, 512


def bounds_of(limits: ProcessLimits, default: ProcessBounds) -> ProcessBounds:
    """The limits that a manifest asks for, within what any may have."""
    return default._replace(
        memory_mb=min(limits.memory_mb or default.memory_mb, _MAX_MEMORY),
        cpu_s=min(limits.cpu_s or default.cpu_s, _MAX_CPU),
        processes=min(limits.processes or default.processes, _MAX_PROCESSES),
    )


def explain_memory(error: ChildError, memory_mb: int) -> ChildError:
    """The error about a process that ended; with the limit of memory, if it seems to have reached that."""
    said = str(error)
    if not any(sign in said for sign in _OUT_OF_MEMORY):
        return error
    return ChildError(f"{said}; probably it reached its limit of {memory_mb} MiB of memory")


def environment_of(launch: Launch) -> dict[str, str]:
    """The environment of the skill's process: as that of its scripts, with the session."""
    environment = skill_environment(launch.directory, launch.workspace, launch.environment)
    return environment | ({"SKILLBAG_SESSION": launch.session} if launch.session else {})


def allowed_of(launch: Launch, search_path: str, *programs: str) -> Allowed:
    """What the skill's process may touch: its folder, programs on `search_path`, and with `file:read` the workspace.

    It changes nothing by itself, whatever is granted: hooks of git and the store of skills are in the workspace, too.
    The host function `write_file` knows them.
    """
    workspace = (launch.workspace,) if launch.workspace else ()
    return Allowed(
        run=(launch.directory, *python_folders(), *program_folders(search_path), *programs),
        read=workspace if Permission.FILE_READ in launch.granted else (),
        network=Permission.NET_FETCH in launch.granted and not launch.offline,
    )


def unconfined(backend: BackendKind, permissions: frozenset[Permission]) -> tuple[str, ...]:
    """Sentences about what this system can't keep the process of a skill from, for the question of approval.

    Starlark has no operations but those of the host: nothing of it depends on the system.
    """
    if backend not in (BackendKind.PROCESS, BackendKind.PLUGIN):
        return ()
    sentences = (*not_held(available(), Permission.NET_FETCH in permissions), NEVER_HELD)
    if Permission.SHELL_EXEC in permissions:
        return sentences
    return (*sentences, "Its process can start other programs, which may touch what it may touch itself.")


def refuse_unconfined(launch: Launch) -> None:
    """Under `strict_sandbox`, raise `ChildError` where the system can't restrict files or network."""
    if not launch.strict_sandbox:
        return
    held = available()
    network = Permission.NET_FETCH in launch.granted and not launch.offline
    if missing := not_held(held._replace(processes=True), network):
        raise ChildError(f"the skill is not started, since the sandbox is required: {' '.join(missing)}")
