"""What a skill registers in its child, and the answers to requests for it (docs/runtime-protocol.md)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from skillbag.runtime.backends.children.wire import NO_METHOD, NOT_FOUND, Message, Wire, WireError
else:
    from wire import NO_METHOD, NOT_FOUND, Wire, WireError

_KINDS = {
    "tool/execute": ("tool", "content"),
    "hook/handle": ("hook", ""),
    "workflow/run": ("workflow", "value"),
    "scan/run": ("scanner", "findings"),
}
"""What a method calls, and the member of its result that has the answer."""


class ServedSkill:
    """The skill of this child, by its handlers. Each language says how it is loaded and ended."""

    def __init__(self) -> None:
        self.wire = Wire(self.handle)
        self.name = ""
        self._handlers: list[tuple[str, str, Callable[[Any], Any]]] = []
        self._tools: list[object] = []

    def register(self, kind: str, name: str, handler: Callable[[Any], Any], **of_tool: Any) -> None:
        """Take a handler; `of_tool` is what a tool says of itself."""
        self._handlers.append((kind, name, handler))
        if kind == "tool":
            self._tools.append({"name": name, **of_tool})

    def load(self) -> None:
        """Load the skill, which registers its handlers."""
        raise NotImplementedError

    def end(self) -> None:
        """Let the skill release what it holds."""

    def handle(self, call: Message) -> Any:
        """Answer one request."""
        if call.method == "initialize":
            self.name = call.name
            self.load()
            return self._registration()
        if call.method == "shutdown":
            return self.end()
        if call.method not in _KINDS:
            raise WireError(f"there is no method {call.method}", NO_METHOD)
        kind, member = _KINDS[call.method]
        found = [handler for *known, handler in self._handlers if known == [kind, call.name]]
        if call.handler >= len(found):
            raise WireError(f"there is no {kind} {call.name}", NOT_FOUND)
        if kind == "hook":
            return found[call.handler]({"phase": call.name, "skill_name": self.name, "data": call.value})
        return {member: found[call.handler](call.value)}

    def _registration(self) -> dict[str, list[Any]]:
        names = {kind: [name for known, name, _ in self._handlers if known == kind] for kind, _ in _KINDS.values()}
        return {
            "tools": self._tools,
            "hooks": names["hook"],
            "workflows": names["workflow"],
            "scanners": names["scanner"],
        }
