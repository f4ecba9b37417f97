"""The built-in skill `core-tools` (skill runtime, section 11): `file`, `shell` and `process`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skillbag.skill_sdk import Context, ExecResult


class CoreTools:
    """The plugin; its schemas are files beside it."""

    def manifest(self) -> Mapping[str, Any]:
        """Its name."""
        return {"name": "core-tools"}

    def activate(self, ctx: Context) -> None:
        """Register the tools."""
        self.ctx = ctx
        ctx.register_tool("file", "", self.file)
        ctx.register_tool("shell", "", self.shell, requires_approval=True)
        ctx.register_tool("process", "", self.process, requires_approval=True)

    def deactivate(self, ctx: Context) -> None:
        """Nothing is held."""

    def file(self, value: Mapping[str, Any]) -> Any:
        """Do one operation on files."""
        match value["operation"]:
            case "read":
                return self.ctx.read_file(value["path"])
            case "write":
                self.ctx.write_file(value["path"], value["content"])
                return f"{value['path']}: {len(value['content'])} characters written"
            case "list":
                entries = self.ctx.list_dir(value.get("path") or self.ctx.project_root() or ".")
                return "\n".join(f"{entry.name}/" if entry.is_dir else entry.name for entry in entries)
            case _:
                return "\n".join(self.ctx.search_files(value["pattern"]))

    def shell(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """Run a command line."""
        return _ended(self.ctx.exec("sh", "-c", value["command"]))

    def process(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """Run a program."""
        return _ended(self.ctx.exec(value["program"], *value.get("arguments", ())))


def _ended(result: ExecResult) -> Mapping[str, Any]:
    return result._asdict()


def new_skill() -> CoreTools:
    """The plugin's factory."""
    return CoreTools()
