# ruff: noqa: E501
# fmt: off
"""What of the skills in a folder hosts show to the model. Made by tools/generate.py from the files in hosts/: change those, then `make generate`."""

from __future__ import annotations

from skillbag.kernel.hosts import listing as m

LISTINGS = {
    'claude-code': ('Claude Code', m.ListingFacts(algorithm='whole-or-name', unit='columns', share=0.01, unit_per_token=4, context_tokens=200000, entry='- NAME: TEXT', note='Names are never left out. On a tie of use, the order of the list decides. The budget is at least a value that Anthropic sends, up to 100,000.', budget=8000, text_max=1536, variable='SLASH_COMMAND_TOOL_CHAR_BUDGET', settings=('skillListingBudgetFraction', 'skillListingMaxDescChars'), certainty='B')),
    'codex': ('Codex', m.ListingFacts(algorithm='round-robin', unit='characters', budget=8000, share=0.02, unit_per_token=4, entry='- NAME: DESCRIPTION (file: PATH)', note='The share counts tokens (bytes of UTF-8 / 4, rounded up); the budget in characters is for an unknown context. Names and paths come first; then one character at a time for each description. If even these do not fit, skills are left out in the order system, admin, project, user. Newer code (`ext/skills`) leaves out lines that do not fit.', certainty='B')),
    'copilot': ('GitHub Copilot CLI', m.ListingFacts(algorithm='in-order', unit='characters', budget=15000, variable='SKILL_CHAR_BUDGET', note="Microsoft's own tests use 20,000. The whole block of a skill counts, with its place.", certainty='C')),
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
