"""What Windows lacks is taken away from a Python on POSIX: modules, functions, signals; and `os.name` says so.

The standard library keeps what it took at its import. It does not show what Windows has besides: other separators,
locked files, drives.
"""

import asyncio  # noqa: F401 - the standard library chooses by what there is when it is imported
import importlib.abc
import os
import pathlib
import select
import shutil  # noqa: F401
import signal
import subprocess
import sys
import tempfile  # noqa: F401

MODULES = frozenset({"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"})
GONE = {
    os: "fork forkpty getuid geteuid getgid getegid getgroups setuid setsid setpgid getpgid killpg chown fchown lchown"
    " fchmod mkfifo mknod wait wait3 wait4 waitid pidfd_open posix_spawn posix_spawnp uname getloadavg nice statvfs"
    " sched_getaffinity register_at_fork fdatasync O_NOFOLLOW O_DIRECTORY O_NONBLOCK O_CLOEXEC O_PATH O_SYNC",
    select: "poll epoll",
    signal: "SIGHUP SIGKILL SIGALRM SIGCHLD SIGPIPE SIGQUIT SIGUSR1 SIGUSR2 setitimer alarm pthread_sigmask",
}


class Without(importlib.abc.MetaPathFinder):
    """Finds that a module of POSIX is not there."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """As of any finder."""
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


for module in MODULES:
    sys.modules.pop(module, None)
sys.meta_path.insert(0, Without())
setattr(subprocess.Popen, "kill", lambda process: process.send_signal(9))  # noqa: B010 - it uses a name that goes
for holder, names in GONE.items():
    for each in names.split():
        if hasattr(holder, each):
            delattr(holder, each)
os.supports_dir_fd.clear()
os.name = "nt"
pathlib.WindowsPath = pathlib.PosixPath  # type: ignore[assignment,misc]
