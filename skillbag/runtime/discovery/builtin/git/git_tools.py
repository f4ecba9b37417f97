"""The built-in skill `git` (skill runtime, section 11): `git-diff`, `git-log` and `git-status`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skillbag.skill_sdk import Context, HostError


class Git:
    """The plugin; its schemas are files beside it."""

    def manifest(self) -> Mapping[str, Any]:
        """Its name."""
        return {"name": "git"}

    def activate(self, ctx: Context) -> None:
        """Register the tools."""
        self.ctx = ctx
        ctx.register_tool("git-diff", "", self.diff)
        ctx.register_tool("git-log", "", self.log)
        ctx.register_tool("git-status", "", self.status)

    def deactivate(self, ctx: Context) -> None:
        """Nothing is held."""

    def diff(self, value: Mapping[str, Any]) -> str:
        """What has changed. A range is never an option of git."""
        commits = value.get("range", "")
        if commits.startswith("-"):
            raise HostError(f"the range {commits[:60]!r} begins with a hyphen; name commits, such as main..work")
        return self.ctx.git_diff(*([commits] if commits else []))

    def log(self, value: Mapping[str, Any]) -> Any:
        """The last commits."""
        return [commit._asdict() for commit in self.ctx.git_log("-n", str(value.get("count", 10)))]

    def status(self, value: Mapping[str, Any]) -> Any:
        """Changed files."""
        return [entry._asdict() for entry in self.ctx.git_status()]


def new_skill() -> Git:
    """The plugin's factory."""
    return Git()
