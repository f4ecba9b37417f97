"""Guards: skills with a hook before calls. No call may pass one that can't be asked (skill runtime, section 6)."""

from __future__ import annotations

from collections.abc import Iterable


def can_t_ask(guards: Iterable[str]) -> str:
    """Why a call is refused whose guards did not answer."""
    return f"Active skills that guard calls can't be asked: {', '.join(guards)}"
