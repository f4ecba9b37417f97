# ruff: noqa: E501
# fmt: off
"""Where files around skills are, and their kinds. Made by tools/generate.py from the files in hosts/: change those, then `make generate`."""

from __future__ import annotations

PLUGIN_MANIFESTS = (
    ('.claude-plugin/plugin.json', 'claude-plugin'),
    ('.codex-plugin/plugin.json', 'codex-plugin'),
    ('.plugin/plugin.json', 'copilot-plugin'),
    ('.github/plugin/plugin.json', 'copilot-plugin'),
    ('.cursor-plugin/plugin.json', 'cursor-plugin'),
    ('gemini-extension.json', 'gemini-extension'),
)
"""What makes a folder a plugin."""

IN_PROJECTS = (
    ('AGENTS.md', 'memory'),
    ('.claude-plugin/marketplace.json', 'claude-marketplace'),
    ('.claude/settings.json', 'claude-settings'),
    ('.claude/settings.local.json', 'claude-settings'),
    ('.claude/agents/**/*.md', 'claude-agent'),
    ('.claude/commands/**/*.md', 'claude-command'),
    ('.mcp.json', 'claude-servers'),
    ('.claude/CLAUDE.md', 'memory'),
    ('.claude/rules/**/*.md', 'claude-rule'),
    ('CLAUDE.md', 'memory'),
    ('CLAUDE.local.md', 'memory'),
    ('.agents/plugins/marketplace.json', 'codex-marketplace'),
    ('AGENTS.override.md', 'memory'),
    ('.codex/config.toml', 'codex-settings'),
    ('.github/agents/*.md', 'copilot-agent'),
    ('.github/hooks/*.json', 'copilot-hooks'),
    ('.github/mcp.json', 'copilot-servers'),
    ('.github/copilot-instructions.md', 'memory'),
    ('.github/instructions/**/*.md', 'memory'),
    ('GEMINI.md', 'memory'),
    ('.cursor-plugin/marketplace.json', 'cursor-marketplace'),
    ('.cursor/mcp.json', 'cursor-servers'),
    ('.cursor/hooks.json', 'cursor-hooks'),
    ('.cursor/rules/**/*.mdc', 'cursor-rule'),
    ('.cursorrules', 'memory'),
    ('.gemini/settings.json', 'gemini-settings'),
    ('.kiro/settings/mcp.json', 'kiro-settings'),
    ('opencode.json', 'opencode-settings'),
    ('.vscode/mcp.json', 'vscode-servers'),
)
BESIDE = (
    ('.env', 'environment'),
)
"""Files of many programs, which count where skills or files of an agent are."""

IN_PLUGINS = (
    ('hooks/hooks.json', 'claude-hooks'),
    ('settings.json', 'claude-plugin-settings'),
    ('agents/**/*.md', 'claude-agent'),
    ('commands/**/*.md', 'claude-command'),
    ('.mcp.json', 'claude-servers'),
)
IN_CURSOR_PLUGINS = (
    ('hooks/hooks.json', 'cursor-hooks'),
    ('mcp.json', 'cursor-servers'),
)
