"""SkillBag: holds AI-agent skill workspaces to the SkillBag standard, sets them up, and carries out its lifecycle.

The public names below are imported when they are first asked for: `from skillbag import Session, open_workspace`, or,
for the tools that an agent is given, `from skillbag import call_tool, scope_at`.
"""

__version__ = "0.1.0"

STANDARD_VERSION = "v0.3.0"
"""The version of the SkillBag standard whose clauses this package checks."""

PUBLIC = {
    "BadAnswerError": "lifecycle.answers",
    "BadArgumentsError": "agent.arguments",
    "BadContextError": "declarations",
    "BadSkillError": "lifecycle.skills",
    "Candidate": "lifecycle.candidates",
    "Conversation": "lifecycle.candidates",
    "EntryReport": "lifecycle.entry",
    "EntryStatus": "lifecycle.entry",
    "GuardVerdict": "agent.plugins.host",
    "HookAnswer": "agent.plugins.host",
    "Input": "lifecycle.inputs",
    "Invocation": "lifecycle.invocation",
    "Level": "declarations",
    "NoPluginToolError": "agent.plugins.host",
    "NoSessionError": "lifecycle.state",
    "NotKeptError": "lifecycle.remember",
    "Offer": "agent.tools",
    "Order": "lifecycle.order",
    "Ordered": "lifecycle.session",
    "Place": "declarations",
    "PluginError": "agent.plugins.host",
    "PluginTool": "agent.plugins.host",
    "Plugins": "agent.plugins.host",
    "Question": "lifecycle.questions",
    "QuestionKind": "lifecycle.questions",
    "Refresh": "lifecycle.refresh",
    "Remembered": "lifecycle.remember",
    "Resolution": "lifecycle.inputs",
    "Result": "agent.tools",
    "Run": "lifecycle.session",
    "Scope": "agent.scope",
    "Session": "lifecycle.session",
    "Tool": "agent.tools",
    "UnknownToolError": "agent.tools",
    "UserError": "errors",
    "Value": "lifecycle.value",
    "Verdict": "lifecycle.conflicts",
    "Workspace": "workspace.model",
    "call_guarded": "agent.plugins.host",
    "call_plugin_tool": "agent.plugins.host",
    "call_tool": "agent.tools",
    "dispatch_hook": "agent.plugins.host",
    "guard_call": "agent.plugins.host",
    "load_plugins": "agent.plugins.host",
    "offered_tools": "agent.tools",
    "open_workspace": "lifecycle.session",
    "scope_at": "agent.scope",
}
"""The public interface: each name with the module that owns it."""

__all__ = ["STANDARD_VERSION", "__version__", *PUBLIC]


def __getattr__(name: str) -> object:
    if name not in PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = globals()[name] = getattr(importlib.import_module(f"{__name__}.{PUBLIC[name]}"), name)
    return value
