"""Front matter keys: those of the Agent Skills format, and those that only some programs or catalogs read."""

from __future__ import annotations

FORMAT_KEYS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
"""The keys of the Agent Skills format."""

SKILLBAG_KEYS = ("dependencies",)
"""The keys that the SkillBag standard adds, known in workspaces and sources."""

_READERS = {
    "Claude Code": (
        "agent argument-hint arguments background color context disable-model-invocation disallowed-tools effort"
        " hooks isolation maxTurns mcpServers memory mode model paths permissionMode shell skills tools"
        " user-invocable version when_to_use"
    ),
    "Cursor": "alwaysApply globs",
    "GitHub Copilot": "applyTo excludeAgent",
    "Windsurf": "trigger",
    "Kiro": "fileMatchPattern inclusion",
    "OpenHands": "triggers type",
    "OpenClaw": "command-arg-mode command-dispatch command-tool emoji homepage install os requires",
    "oh-my-claudecode": "aliases handoff handoff-policy level pipeline",
    "Codex": "interface policy short-description",
    "SkillBag and some apps": " ".join(SKILLBAG_KEYS),
    "skill catalogs": (
        "author authors categories category contributors copyright created created_at date date_added difficulty"
        " displayName display_name documentation domain icon keywords language last_updated maintainer maintainers"
        " origin platforms priority repository risk source status tags title updated updated_at url"
    ),
}

VENDOR_KEYS = {key: reader for reader, keys in _READERS.items() for key in keys.split()}
"""Each known key beyond the format, and who reads it."""
