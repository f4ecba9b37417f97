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
    "BadAnswerError": "lifecycle.cli_inputs",
    "BadArgumentsError": "agent.tool",
    "BadContextError": "standard.declarations",
    "BadSkillError": "lifecycle.skills",
    "Candidate": "lifecycle.value_sources",
    "Conversation": "lifecycle.value_sources",
    "EntryReport": "lifecycle.entry",
    "EntryStatus": "lifecycle.entry",
    "GuardDecision": "plugins.host",
    "HookAnswer": "plugins.host",
    "Input": "lifecycle.inputs",
    "Invocation": "lifecycle.invocation",
    "Level": "standard.declarations",
    "NoPluginToolError": "plugins.host",
    "NoSessionError": "lifecycle.state",
    "NotKeptError": "lifecycle.remember",
    "Offer": "agent.tool",
    "Order": "lifecycle.order",
    "Ordered": "lifecycle.execution",
    "Place": "standard.declarations",
    "PluginError": "plugins.host",
    "PluginTool": "plugins.loading",
    "Plugins": "plugins.host",
    "Question": "lifecycle.questions",
    "QuestionKind": "lifecycle.questions",
    "Refresh": "lifecycle.refresh",
    "Remembered": "lifecycle.remember",
    "Resolution": "lifecycle.inputs",
    "Result": "agent.tool",
    "Run": "lifecycle.execution",
    "Runtime": "runtime.runtime",
    "Scan": "runtime.scanning.scan",
    "Scope": "settings.scope",
    "Session": "lifecycle.session",
    "Tool": "agent.tool",
    "ToolOutput": "runtime.backends.backend",
    "UnknownToolError": "agent.tool",
    "UserError": "base.errors",
    "Value": "lifecycle.value",
    "Winner": "lifecycle.conflicts",
    "Workspace": "workspace.model",
    "call_guarded": "plugins.host",
    "call_plugin_tool": "plugins.host",
    "call_tool": "agent.registry",
    "dispatch_hook": "plugins.host",
    "guard_call": "plugins.host",
    "load_plugins": "plugins.host",
    "offered_tools": "agent.registry",
    "open_runtime": "agent.active_skills",
    "open_workspace": "workspace.model",
    "scan_workspace": "runtime.scanning.workspace_scan",
    "scope_at": "settings.scope",
}
"""The public interface: each name with the module that owns it."""

__all__ = ["STANDARD_VERSION", "__version__", *PUBLIC]


def __getattr__(name: str) -> object:
    if name not in PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = globals()[name] = getattr(importlib.import_module(f"{__name__}.{PUBLIC[name]}"), name)
    return value
