"""The nine phases of hooks, as data (skill runtime, section 6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from skillbag.kernel.base.quoting import quoted, unmarked
from skillbag.kernel.manifest.names import Phase


class PhaseRules(NamedTuple):
    """What the hooks of a phase are given (`data`), may change (`may_set`: replaced; `may_add`: joined), and whether
    they may cancel. `trusted_only` are keys that only built-in and user skills may set. `own`: only the hooks of the
    skill that it is about. `calls`: it is about a call, and those of others need a permission. `said` gives a
    skill's text, by the skill's name, as a model may get it."""

    data: tuple[str, ...]
    may_set: tuple[str, ...] = ()
    may_add: tuple[str, ...] = ()
    trusted_only: tuple[str, ...] = ()
    cancels: bool = False
    own: bool = False
    calls: bool = False
    said: Callable[[str, str], str] | None = None


def _unmarked(skill: str, text: str) -> str:
    return unmarked(text)


PHASES: Mapping[Phase, PhaseRules] = {
    Phase.ACTIVATE: PhaseRules(("skill_name",), own=True),
    Phase.DEACTIVATE: PhaseRules(("skill_name",), own=True),
    Phase.CONVERSATION_START: PhaseRules(("user_message",)),
    Phase.BEFORE_PROMPT_BUILD: PhaseRules(
        ("prompt_build",),
        ("replace_base_system_prompt", "replace_skill_fragments"),
        ("append_system_prompt", "append_skill_fragments", "prompt_fragment"),
        trusted_only=("replace_base_system_prompt", "replace_skill_fragments"),
        said=quoted,
    ),
    Phase.BEFORE_TOOL_CALL: PhaseRules(("tool_name", "input"), ("input",), cancels=True, calls=True),
    Phase.AFTER_TOOL_RESULT: PhaseRules(
        ("tool_name", "input", "content", "is_error"), ("content", "is_error"), calls=True, said=_unmarked
    ),
    Phase.AFTER_RESPONSE: PhaseRules(("response", "response_reason"), ("response",), said=_unmarked),
    Phase.BEFORE_WIKI_SECTION: PhaseRules(("title", "template", "content"), ("content",)),
    Phase.SECURITY_SCAN_COMPLETE: PhaseRules(
        (
            "findings",
            "attack_chains",
            "errors",
            "findings_count",
            "chain_count",
            "files_scanned",
            "duration_ms",
            "errors_count",
        )
    ),
}
"""The rules of every phase."""
