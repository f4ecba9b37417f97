# ruff: noqa: E501
# fmt: off
"""What of the skills in a folder hosts show to the model. Made by tools/generate.py from the files in hosts/: change those, then `make generate`."""

from __future__ import annotations

from skillbag.kernel.hosts import listing as m

LISTINGS = {
    'claude-code': ('Claude Code', m.ListingFacts(algorithm='whole-or-name', unit='columns', budget=8000, share=0.01, unit_per_token=4, text_max=1536)),
    'codex': ('Codex', m.ListingFacts(algorithm='round-robin', unit='characters', budget=8000, share=0.02, unit_per_token=4)),
    'copilot': ('GitHub Copilot CLI', m.ListingFacts(algorithm='in-order', unit='characters', budget=15000)),
}
"""The title of each host with a known budget, and its facts."""

FOLDERS = {
    '.agents/skills': ('amp', 'codex', 'copilot', 'cursor', 'gemini', 'goose', 'opencode', 'vscode'),
    '.claude/skills': ('amp', 'claude-code', 'copilot', 'goose', 'opencode', 'vscode'),
    '.codex/skills': ('codex',),
    '.github/skills': ('copilot', 'vscode'),
    '.cursor/skills': ('cursor',),
    '.gemini/skills': ('gemini',),
    '.goose/skills': ('goose',),
    '.kiro/skills': ('kiro',),
    '.opencode/skills': ('opencode',),
    '.opencode/skill': ('opencode',),
}
"""The hosts that look into a folder of a project for skills."""
