"""Which paths lie outside of a workspace, and which of those are of the system."""

from __future__ import annotations

from skillbag.kernel.base.lazy_regex import late

_HOME = late(r"(?:~|\$HOME|\$\{HOME\}|%USERPROFILE%|\$env:USERPROFILE)(?=[/\\]|\Z)")
_TEMPORARY = (
    *("/tmp", "/var/tmp", "/dev/", "/proc/self", "/private/tmp", "/path", "/your", "/workspace", "/mnt", "/absolute"),  # noqa: S108
    *("/some", "/full", "/abs", "/repo", "/app", "/project"),
    *("/output", "/outputs", "/home/user", "/home/claude", "/src", "/work/"),
)
"""Where temporary files, the workspaces of hosted agents and the paths of examples lie."""
_SYSTEM = late(r"/(?:etc|usr|bin|sbin|lib|opt|var|boot|root|Library|System|Applications|sys)(?:/|\Z)")


def outside(path: str) -> str | None:
    """A path outside of any workspace, with `~` for the home folder; None for all others."""
    if home := _HOME().match(path):
        return "~" + path[home.end() :].replace("\\", "/")
    if not path.startswith("/") or path.startswith("//") or len(path) < 2:
        return None
    if path.startswith(_TEMPORARY) or "<" in path or "{" in path or "*" in path[:3] or "YOUR" in path.upper():
        return None
    return path if _SYSTEM().match(path) or path.startswith(("/home/", "/Users/")) else None


def is_system(path: str) -> bool:
    """Whether a path lies in a folder of the system."""
    return bool(_SYSTEM().match(path))
