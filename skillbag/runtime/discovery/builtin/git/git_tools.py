"""The built-in skill `git` (skill runtime, section 11): `git-diff`, `git-log` and `git-status`."""

from __future__ import annotations

from typing import Any

from skillbag.skill_sdk import Context, HostError, PluginManifest


class Git:
    """The plugin; its schemas are files beside it."""

    def manifest(self) -> PluginManifest:
        """Its name."""
        return PluginManifest("git")

    def activate(self, ctx: Context) -> None:
        """Register the tools."""
        self.ctx = ctx
        ctx.register_tool("git-diff", "", lambda given: self.diff(**given))
        ctx.register_tool("git-log", "", lambda given: self.log(**given))
        ctx.register_tool("git-status", "", lambda _: self.status())

    def deactivate(self, ctx: Context) -> None:
        """Nothing is held."""

    def diff(self, range: str = "") -> str:  # noqa: A002 - the tool's name for it
        """What has changed. A range is never an option of git."""
        if range.startswith("-"):
            raise HostError(f"the range {range[:60]!r} begins with a hyphen; name commits, such as main..work")
        return self.ctx.git_diff(*([range] if range else []))

    def log(self, count: int = 10) -> Any:
        """The last commits."""
        return [commit._asdict() for commit in self.ctx.git_log("-n", str(count))]

    def status(self) -> Any:
        """Changed files."""
        return [entry._asdict() for entry in self.ctx.git_status()]


def new_skill() -> Git:
    """The plugin's factory."""
    return Git()
