"""SkillBag: holds AI-agent skill workspaces to the SkillBag standard, sets them up, and carries out its lifecycle.

The public names below are imported when they are first asked for: `from skillbag import Session, open_workspace`, or,
for the tools that an agent is given, `from skillbag import call_tool, scope_at`; for active skills in a loop of your
own, `from skillbag import open_runtime`.
"""

__version__ = "0.1.0"

STANDARD_VERSION = "v0.3.0"
"""The version of the SkillBag standard whose clauses this package checks."""

REPOSITORY = "https://example.com/OWNER/NAME"
"""Where the project is; a placeholder until it is published, as in `pyproject.toml`."""

DOCUMENTATION = f"{REPOSITORY}/blob/main/docs"
"""Where the pages of `docs/` are, for messages: whoever installed the program has no such folder."""

PUBLIC = {
    "BadAnswerError": "session.inputs.cli_inputs",
    "BadArgumentsError": "agents.tools.tool",
    "BadContextError": "kernel.standard.declarations",
    "BadSkillError": "session.skills.skills",
    "Candidate": "session.inputs.levels",
    "Conversation": "session.inputs.levels",
    "EntryReport": "session.entry.entry",
    "EntryStatus": "session.entry.entry",
    "GuardDecision": "agents.plugins.host",
    "HookAnswer": "agents.plugins.host",
    "Input": "session.inputs.inputs",
    "Invocation": "session.entry.invocation",
    "Level": "kernel.standard.declarations",
    "NoPluginToolError": "agents.plugins.host",
    "NoSessionError": "session.refresh.state",
    "NotKeptError": "session.remembering.remember",
    "OfferedTools": "agents.tools.tool",
    "Order": "session.order.order",
    "Ordered": "session.entry.invocation",
    "Place": "kernel.standard.declarations",
    "PluginError": "agents.plugins.host",
    "PluginTool": "agents.plugins.loading",
    "Plugins": "agents.plugins.host",
    "Question": "session.inputs.questions",
    "QuestionKind": "session.inputs.questions",
    "Refresh": "session.refresh.refresh",
    "Remembered": "session.remembering.remember",
    "ResolvedInputs": "session.inputs.inputs",
    "ToolResult": "agents.tools.tool",
    "Run": "session.entry.invocation",
    "Runtime": "runtime.sessions.runtime",
    "Scan": "runtime.scanning.scan",
    "Scope": "agents.settings.scope",
    "Session": "session.session",
    "Tool": "agents.tools.tool",
    "ToolOutput": "runtime.backends.backend",
    "UnknownToolError": "agents.tools.tool",
    "UserError": "kernel.base.errors",
    "Value": "session.settings.value",
    "Winner": "session.order.conflicts",
    "Workspace": "kernel.workspace.model",
    "call_guarded": "agents.plugins.host",
    "call_plugin_tool": "agents.plugins.host",
    "call_tool": "agents.tools.registry",
    "dispatch_hook": "agents.plugins.host",
    "guard_call": "agents.plugins.host",
    "load_plugins": "agents.plugins.host",
    "offered_tools": "agents.tools.registry",
    "open_runtime": "agents.hosts.active_skills",
    "open_workspace": "kernel.workspace.model",
    "scan_workspace": "runtime.scanning.scan",
    "scope_at": "agents.settings.scope",
}
"""The public interface: each name with the module that owns it."""

__all__ = ["STANDARD_VERSION", "__version__", *PUBLIC]


def __getattr__(name: str) -> object:
    if name not in PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = globals()[name] = getattr(importlib.import_module(f"{__name__}.{PUBLIC[name]}"), name)
    return value
