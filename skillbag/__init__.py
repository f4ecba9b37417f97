"""SkillBag: holds AI-agent skill workspaces to the SkillBag standard, sets them up, and carries out its lifecycle.

The public names below are imported when they are first asked for: `from skillbag import Session, open_workspace`.
"""

__version__ = "0.1.0"

STANDARD_VERSION = "v0.3.0"
"""The version of the SkillBag standard whose clauses this package checks."""

PUBLIC = {
    "BadAnswerError": "lifecycle.answers",
    "BadContextError": "declarations",
    "BadSkillError": "lifecycle.skills",
    "Candidate": "lifecycle.candidates",
    "Conversation": "lifecycle.candidates",
    "EntryReport": "lifecycle.entry",
    "EntryStatus": "lifecycle.entry",
    "Input": "lifecycle.inputs",
    "Invocation": "lifecycle.invocation",
    "Level": "declarations",
    "NoSessionError": "lifecycle.state",
    "NotKeptError": "lifecycle.remember",
    "Order": "lifecycle.order",
    "Ordered": "lifecycle.session",
    "Place": "declarations",
    "Question": "lifecycle.questions",
    "QuestionKind": "lifecycle.questions",
    "Refresh": "lifecycle.refresh",
    "Remembered": "lifecycle.remember",
    "Resolution": "lifecycle.inputs",
    "Run": "lifecycle.session",
    "Session": "lifecycle.session",
    "UserError": "errors",
    "Value": "lifecycle.value",
    "Verdict": "lifecycle.conflicts",
    "Workspace": "workspace.model",
    "open_workspace": "lifecycle.session",
}
"""The public interface: each name with the module that owns it."""

__all__ = ["STANDARD_VERSION", "__version__", *PUBLIC]


def __getattr__(name: str) -> object:
    if name not in PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = globals()[name] = getattr(importlib.import_module(f"{__name__}.{PUBLIC[name]}"), name)
    return value
