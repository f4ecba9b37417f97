"""The keys of the front matter that programs add to those of the format, and the programs that read them.

Sources: the pages on skills in the documentation of each program (Claude Code, Cursor, Visual Studio Code, Factory,
OpenHands, OpenClaw, Roo Code, Hermes Agent), as of 2026.
"""

from __future__ import annotations

from functools import lru_cache

_PROGRAMS = {
    "Claude Code": (
        "agent argument-hint arguments context disable-model-invocation disallowed-tools effort hooks model paths shell"
        " user-invocable version when_to_use"
    ),
    "VS Code": "argument-hint disable-model-invocation user-invocable user-invokable",
    "Cursor": "disable-model-invocation globs paths",
    "Factory": "disable-model-invocation user-invocable",
    "Pi": "disable-model-invocation",
    "Mistral Vibe": "user-invocable",
    "OpenClaw": (
        "command-arg-mode command-dispatch command-tool disable-model-invocation emoji homepage install os requires"
        " user-invocable"
    ),
    "OpenHands": "inputs mcp_tools paths triggers type version",
    "Hermes Agent": "author platforms prerequisites required_credential_files required_environment_variables version",
    "Roo Code": "mode modeSlugs",
    "oh-my-claudecode": "agent aliases handoff handoff-policy level model pipeline triggers",
    "SkillBag": "dependencies",
}

_CATALOGS = (
    "authors categories category contributors copyright created created_at date date_added difficulty displayName"
    " display_name documentation domain icon keywords language last_updated maintainer maintainers origin priority"
    " repository risk source status tags title updated updated_at url"
)
"""Keys for people and for the catalogs that list skills. No agent is known to act on them."""

_OTHER_FILES = {
    "Claude Code reads it in the files of agents only": (
        "background color disallowedTools isolation maxTurns mcpServers memory permissionMode skills tools"
    ),
    "GitHub Copilot reads it in files of instructions only": "applyTo excludeAgent",
    "Codex reads it in `agents/openai.yaml` only": "interface policy",
    "Codex reads it within `metadata` only": "short-description",
    "Kiro reads it in steering files only": "fileMatchPattern inclusion",
    "Cursor reads it in rules only": "alwaysApply",
    "Windsurf reads it in rules only": "trigger",
}


LOOKS = ("background", "color")
"""Those of other files that only change how something is shown: nothing is lost without them."""


# Skills of one author have the same few keys.
@lru_cache(maxsize=256)
def readers(key: str) -> str | None:
    """Who reads a key beyond the format, as a clause of a sentence; None for an unknown key."""
    programs = [program for program, keys in _PROGRAMS.items() if key in keys.split()]
    if programs:
        return f"only {_joined(programs)} read{'s' * (len(programs) == 1)} it"
    is_shown = key in _CATALOGS.split()
    return "agents ignore it, and only some catalogs of skills show it" if is_shown else None


def vendor_keys() -> list[str]:
    """The known keys beyond the format."""
    return [*_CATALOGS.split(), *(key for keys in _PROGRAMS.values() for key in keys.split())]


def other_files() -> dict[str, str]:
    """The keys that have no effect in a skill, and where they have one, as a clause of a sentence."""
    return {key: where for where, keys in _OTHER_FILES.items() for key in keys.split()}


def _joined(words: list[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
