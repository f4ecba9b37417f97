"""Runs within a child, before a skill's code: gives up what the skill may not touch. Standard library only.

The child is `python -I -S -c BOOT FOLDER PLAN …`, and loads this file from `FOLDER`, without the package. The plan is
JSON: `run`, `read`, `write` (paths: files of programs, other files that may be read, files that may be changed),
`network`, `memory` and `reserve` (bytes: data, and address space beyond), `cpu` (seconds), `processes`, `files`, and
`strict`: end with `REFUSED` if files or network can't be held. `confinement.py` makes the plan.
"""

from __future__ import annotations

import _ctypes
import _signal  # type: ignore[import-not-found]
import os
import resource
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from skillbag.kernel.processes.plain_json import decode
else:
    from plain_json import decode

REFUSED = 125
"""The exit code of a child that could not be confined."""

_NEW_USER, _NEW_NET = 0x10000000, 0x40000000
_NO_NEW_PRIVILEGES = 38
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_VERSION_FLAG, _BENEATH = 1, 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_RUN = _EXECUTE | _READ_FILE | _READ_DIR
_READ = _READ_FILE | _READ_DIR
_MAKE = sum(1 << bit for bit in (4, 5, 7, 8, 12))
"""Remove folders and files; make folders, files and links."""

_REFER, _TRUNCATE = 1 << 13, 1 << 14
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_RIGHTS = (0, (1 << 13) - 1, (1 << 14) - 1, (1 << 15) - 1, (1 << 15) - 1, (1 << 16) - 1)
"""All rights over files, by the version of Landlock."""

_TCP, _SCOPES = 3, 3
"""Binding and connecting; abstract sockets and signals."""


_SELF = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]
"""This process and the libraries that it has."""


class _Function(_ctypes.CFuncPtr):
    """A function of the system's library, which returns an `int`. It takes integers and, as pointers, bytes and None.

    `ctypes` itself takes longer to import than all the rest here.
    """

    _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_USE_ERRNO


def _function(name: str) -> Callable[..., int] | None:
    """The function of this name, if there is one."""
    try:
        return _Function(_ctypes.dlsym(_SELF, name))
    except OSError:
        return None


_syscall, _prctl, _unshare, _capset = map(_function, ("syscall", "prctl", "unshare", "capset"))


class ConfinementError(Exception):
    """Something can't be held; the message says what."""


class Plan:
    """What a process may do, from the JSON of `confinement.py`: paths, the network, and limits of resources."""

    run: list[str]
    read: list[str]
    write: list[str]
    network: bool
    strict: bool
    memory: int
    reserve: int
    cpu: int
    files: int
    processes: int

    def __init__(self, text: str) -> None:
        self.__dict__.update(decode(text))


def confine(plan: Plan) -> list[str]:
    """Give up what the plan does not allow; return what could not be held: `processes`, `network`, `files`.

    Raises:
        ConfinementError: files or network can't be held, and the plan is strict.
    """
    missing = _namespaces(plan.network)
    _limit(plan, within_namespace="processes" not in missing)
    # The limit of processes does not hold for root.
    if os.geteuid() == 0 and "processes" not in missing:
        missing.append("processes")
    if not _landlock(plan):
        missing.append("files")
    _drop_capabilities()
    if plan.strict and (refused := [what for what in missing if what != "processes"]):
        raise ConfinementError(f"this system can't restrict its {' and '.join(refused)}")
    return missing


def landlock_version() -> int:
    """The version of Landlock here; 0 for none."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(0, _syscall(_CREATE, None, 0, _VERSION_FLAG)) if _syscall else 0


def _namespaces(network: bool) -> list[str]:
    """A user namespace, and one without a network unless it is allowed; return which failed."""
    if _unshare is None:
        return ["processes"] if network else ["processes", "network"]
    user, group = os.geteuid(), os.getegid()
    if _unshare(_NEW_USER | (0 if network else _NEW_NET)) == 0:
        if os.path.exists("/proc/self/setgroups"):
            _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{user} {user} 1")
        _write("/proc/self/gid_map", f"{group} {group} 1")
        return []
    # Root may do without a user namespace where these are turned off.
    return ["processes"] if network or _unshare(_NEW_NET) == 0 else ["processes", "network"]


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def _limit(plan: Plan, within_namespace: bool) -> None:
    """Set the limits of resources. That of processes counts all of the user's, unless there is a user namespace."""
    limits = {
        "RLIMIT_DATA": plan.memory,
        "RLIMIT_AS": plan.memory + plan.reserve,
        "RLIMIT_CPU": plan.cpu,
        "RLIMIT_NOFILE": plan.files,
        "RLIMIT_CORE": 0,
    }
    if within_namespace:
        limits["RLIMIT_NPROC"] = plan.processes
    for name, value in limits.items():
        kind = getattr(resource, name, None)
        if kind is not None:
            hard = resource.getrlimit(kind)[1]
            most = value if hard == resource.RLIM_INFINITY else min(value, hard)
            _set_limit(kind, most)


def _set_limit(kind: int, most: int) -> None:
    try:
        resource.setrlimit(kind, (most, most))
    except (ValueError, OSError) as error:
        # macOS refuses limits of memory.
        print(f"limit {kind} can't be set: {error}", file=sys.stderr)  # noqa: T201 - a child's log


def _landlock(plan: Plan) -> bool:
    """Restrict files, and TCP, signals and sockets where Landlock can; whether it did."""
    version = landlock_version()
    if not version or not _syscall or not _prctl or _prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return False
    rights = _RIGHTS[min(version, len(_RIGHTS) - 1)]
    fields = [rights, 0 if plan.network or version < 4 else _TCP, _SCOPES if version >= 6 else 0]
    size = 1 if version < 4 else 2 if version < 6 else 3
    attributes = b"".join(field.to_bytes(8, sys.byteorder) for field in fields[:size])
    rules = _syscall(_CREATE, attributes, len(attributes), 0)
    if rules < 0:
        return False
    try:
        write = _READ | _WRITE_FILE | _MAKE | _REFER | _TRUNCATE
        for paths, allowed in ((plan.run, _RUN), (plan.read, _READ), (plan.write, write)):
            for path in paths:
                _allow(_syscall, rules, path, allowed & rights)
        return _syscall(_RESTRICT, rules, 0) == 0
    finally:
        os.close(rules)


def _allow(add: Callable[..., int], rules: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        # What does not exist needs no rule.
        return
    try:
        if not os.path.isdir(f"/proc/self/fd/{descriptor}"):
            rights &= _OF_FILES
        rule = rights.to_bytes(8, sys.byteorder) + descriptor.to_bytes(4, sys.byteorder)
        if add(_ADD, rules, _BENEATH, rule, 0):
            raise ConfinementError(f"{path}: Landlock refuses a rule: {os.strerror(_ctypes.get_errno())}")
    finally:
        os.close(descriptor)


def _drop_capabilities() -> None:
    """Those of root, and those that a new user namespace gave."""
    if _capset is not None:
        _capset((0x20080522).to_bytes(4, sys.byteorder) + bytes(4), bytes(24))


def main(arguments: list[str]) -> None:
    """`PLAN exec PROGRAM …` or `PLAN FOLDER MODULE …`: confine this process, then become the program or run `main`.

    With `await` instead of `exec`, the program is started when a byte comes: the parent watches this process by then.
    """
    plan, where, what, *rest = arguments
    module = None
    if where not in ("exec", "await"):
        # Our own code, read before the confinement so that its bytecode is kept.
        sys.path[:1] = [where]
        module = __import__(what)
    del sys.path[0]
    try:
        confine(Plan(plan))
    except (ConfinementError, OSError) as error:
        print(f"it is not started: {error}", file=sys.stderr)  # noqa: T201 - a child's log
        sys.exit(REFUSED)
    if module is not None:
        module.main(rest)
    elif where == "exec" or os.read(0, 1):
        _become(what, rest)


def _become(program: str, arguments: list[str]) -> None:
    # Python ignores these. `signal` itself imports modules that take a while.
    for number in (_signal.SIGPIPE, getattr(_signal, "SIGXFSZ", _signal.SIGPIPE)):
        _signal.signal(number, _signal.SIG_DFL)
    try:
        os.execv(program, [program, *arguments])  # noqa: S606 - no shell is what is wanted
    except OSError as error:
        print(f"it can't be run: {error.strerror}", file=sys.stderr)  # noqa: T201 - a child's log
        sys.exit(REFUSED + 1)
