"""Confining the programs of skills: limits of resources, files (Landlock), network (a namespace without one).

What a program may touch is held by the child itself, before foreign code runs (`confine.py`): it needs no privileges.
`available` says what can be held here. `not_held` says the rest in sentences for the question of approval, and
`NEVER_HELD` what is held nowhere.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import NamedTuple

_BOOT = "import sys; sys.path[:0] = sys.argv[1:2]; import confine; confine.main(sys.argv[2:])"
_PROBE = "import sys; sys.path[:0] = sys.argv[1:2]; import confine; print(*confine.confine(confine.Plan(sys.argv[2])))"
_HERE = os.path.dirname(os.path.realpath(__file__))

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/run/current-system")
_READ = (
    *(
        f"/etc/{name}"
        for name in ("ld.so.cache", "ld.so.preload", "localtime", "timezone", "alternatives", "mime.types")
    ),
    *(f"/etc/{name}" for name in ("ssl", "pki", "ca-certificates", "crypto-policies", "passwd", "group")),
    *(f"/etc/{name}" for name in ("hosts", "resolv.conf", "nsswitch.conf", "gai.conf", "services", "protocols")),
    *("/proc/self", "/proc/meminfo", "/proc/cpuinfo", "/proc/stat"),
    *("/proc/filesystems", "/proc/version", "/proc/sys/vm"),
    *("/sys/devices/system/cpu", "/sys/fs/cgroup"),
)
_DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom"))

_PROBE_LIMIT = 10.0


NEVER_HELD = (
    "It can change the mode and the times of files that are yours, and connect to sockets in the file system, "
    "which the sandbox does not restrict."
)
"""What no version of Landlock that is used here restricts."""


class ProcessBounds(NamedTuple):
    """Limits of a process: MiB of memory, and of address space beyond it; seconds of the processor in its life;
    processes and open files."""

    memory_mb: int
    reserve_mb: int
    cpu_s: int
    processes: int
    files: int = 256


class Allowed(NamedTuple):
    """What a program may touch besides the system's programs: absolute paths that it may run (and read), read, and
    change; and whether it may use the network."""

    run: tuple[str, ...]
    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    network: bool = False


class Held(NamedTuple):
    """What can be held here: which files are touched, the network, and the number of processes."""

    files: bool
    network: bool
    processes: bool


def confined_program(
    words: Sequence[str], allowed: Allowed, bounds: ProcessBounds, strict: bool, *, waits: bool = False
) -> list[str]:
    """The words of a command line that runs `words` confined; `words[0]` is an absolute path.

    With `strict` it does not start unless files and network are held. With `waits` it does not before it has read a
    byte, and never if its input ends: so nothing is left of it if this process is killed meanwhile.
    """
    return [*_python(allowed, bounds, strict), "await" if waits else "exec", *words]


def confined_module(
    folder: str, module: str, arguments: Sequence[str], allowed: Allowed, bounds: ProcessBounds, strict: bool
) -> list[str]:
    """The words of a command line that calls `main(arguments)` of a Python module in `folder`, confined.

    It has the standard library alone on its path. `strict` as in `confined_program`.
    """
    return [*_python(allowed, bounds, strict), folder, module, *arguments]


def python_folders() -> tuple[str, ...]:
    """The folders that the interpreter and its standard library are read from."""
    return tuple(dict.fromkeys(os.path.realpath(path) for path in (sys.prefix, sys.base_prefix, sys.base_exec_prefix)))


def program_folders(search_path: str) -> tuple[str, ...]:
    """The folders of programs on a `PATH`, with the libraries beside them.

    A folder `shims` is that of a version manager, such as pyenv, rbenv or asdf: the programs that its scripts choose
    from are beside it.
    """
    folders = []
    for folder in filter(os.path.isabs, search_path.split(os.pathsep)):
        folders.append(folder)
        if os.path.basename(folder) in ("bin", "sbin"):
            folders.append(os.path.join(os.path.dirname(folder), "lib"))
        elif os.path.basename(folder) == "shims":
            folders.append(os.path.dirname(folder))
    return tuple(dict.fromkeys(folders))


@functools.cache
def available() -> Held:
    """What can be held here; the first call starts a process to try it."""
    plan = _plan(Allowed(python_folders()), ProcessBounds(256, 256, 10, 8), strict=False)
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _PROBE, _HERE, plan],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PROBE_LIMIT,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return Held(False, False, False)
    missing = done.stdout.decode().split()
    return Held("files" not in missing, "network" not in missing, "processes" not in missing)


def not_held(held: Held, network: bool) -> tuple[str, ...]:
    """Sentences about what can't be held here but could elsewhere, for a program that may use the network or not."""
    sentences = []
    if not held.files:
        sentences.append("This system can't keep its process from reading and changing your files.")
    if not held.network and not network:
        sentences.append("This system can't keep its process from using the network.")
    if not held.processes:
        sentences.append("This system can't limit the number of its processes.")
    return tuple(sentences)


def _python(allowed: Allowed, bounds: ProcessBounds, strict: bool) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", _BOOT, _HERE, _plan(allowed, bounds, strict)]


def _plan(allowed: Allowed, bounds: ProcessBounds, strict: bool) -> str:
    return json.dumps(
        {
            "run": [*_SYSTEM, *allowed.run],
            "read": [*_READ, *allowed.read],
            "write": [*_DEVICES, *allowed.write],
            "network": allowed.network,
            "memory": bounds.memory_mb << 20,
            "reserve": bounds.reserve_mb << 20,
            "cpu": bounds.cpu_s,
            "processes": bounds.processes,
            "files": bounds.files,
            "strict": strict,
        }
    )
