"""The built-in skill `core-tools` (skill runtime, section 11): `file`, `shell` and `process`."""

from __future__ import annotations

from collections.abc import Sequence

from skillbag.skill_sdk import Context, PluginManifest


class CoreTools:
    """The plugin; its schemas are files beside it."""

    def manifest(self) -> PluginManifest:
        """Its name."""
        return PluginManifest("core-tools")

    def activate(self, ctx: Context) -> None:
        """Register the tools."""
        self.ctx = ctx
        ctx.register_tool("file", "", lambda given: self.file(**given))
        ctx.register_tool("shell", "", lambda given: self.run("sh", ["-c", given["command"]]), requires_approval=True)
        ctx.register_tool("process", "", lambda given: self.run(**given), requires_approval=True)

    def deactivate(self, ctx: Context) -> None:
        """Nothing is held."""

    def file(self, operation: str, path: str = "", content: str = "", pattern: str = "") -> str:
        """Do one operation on files."""
        match operation:
            case "read":
                return self.ctx.read_file(path)
            case "write":
                self.ctx.write_file(path, content)
                return f"{path}: {len(content)} characters written"
            case "list":
                entries = self.ctx.list_dir(path or self.ctx.project_root() or ".")
                return "\n".join(f"{entry.name}/" if entry.is_dir else entry.name for entry in entries)
            case _:
                return "\n".join(self.ctx.search_files(pattern))

    def run(self, program: str, arguments: Sequence[str] = ()) -> dict[str, str | int]:
        """Run a program."""
        return self.ctx.exec(program, *arguments)._asdict()


def new_skill() -> CoreTools:
    """The plugin's factory."""
    return CoreTools()
