"""What hooks return, checked by value and chained without loss (skill runtime, section 6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from skillbag.kernel.base.call_input import json_text, json_value
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.phases import PhaseRules
from skillbag.runtime.skill import Json

_REASON = 500
"""Longest reason of a cancellation, in characters."""

_KEYS = frozenset({"modified", "cancel", "reason"})
_MAX_NAMED = 5


class HookResult(NamedTuple):
    """What one hook changes, whether it cancels and why, and what was dropped of its answer, as rests of sentences."""

    modified: Mapping[str, Json]
    cancel: bool = False
    reason: str = ""
    dropped: tuple[str, ...] = ()


NOTHING = HookResult({})
"""The result of a hook that returned nothing."""


def read_result(answer: Json, rules: PhaseRules, *, trusted: bool) -> HookResult:
    """Check what a hook returned; keys that the phase does not know, or the skill may not set, are dropped.

    Raises:
        RuntimeFaultError: it is no result at all, or its input of a call is none: what the hook meant to prevent must
            not happen.
    """
    if answer is None:
        return NOTHING
    if not isinstance(answer, dict):
        raise RuntimeFaultError("it returned neither an object nor nothing")
    changes, cancel, reason = answer.get("modified"), answer.get("cancel", False), answer.get("reason", "")
    if not isinstance(changes, dict | None) or not isinstance(cancel, bool) or not isinstance(reason, str | None):
        raise RuntimeFaultError("it must return `modified` as an object, `cancel` as true or false, `reason` as a text")
    modified: dict[str, Json] = {}
    dropped = [f"{_named(key)} is no part of a result" for key in answer if key not in _KEYS]
    if rules.cancels and "cancel" not in answer and (dropped or reason):
        raise RuntimeFaultError("it answered keys that nothing reads, where it may cancel; what it meant is not known")
    if not changes and not cancel and not dropped:
        return NOTHING
    for key, value in (changes or {}).items():
        fault = _fault(key, value, rules, trusted)
        if fault and rules.cancels:
            raise RuntimeFaultError(f"it changes what it may not: {fault}")
        if fault:
            dropped.append(fault)
        else:
            modified[key] = _input(value) if key == "input" else list(value) if isinstance(value, list) else value
    if cancel and not rules.cancels:
        dropped.append("cancel has no effect in this phase")
    return HookResult(modified, cancel and rules.cancels, (reason or "")[:_REASON], _some(dropped))


def joined(modified: Mapping[str, Json], later: Mapping[str, Json], rules: PhaseRules) -> dict[str, Json]:
    """The union of changes: a later value replaces an earlier one, or is added to it where the phase says so."""
    union = {**modified, **later}
    for key in rules.may_add:
        if key in modified and key in later:
            union[key] = _sum(modified[key], later[key])
    return union


def _sum(first: Json, second: Json) -> Json:
    if isinstance(first, str) and isinstance(second, str):
        return "\n\n".join(filter(None, (first, second)))
    return [*_listed(first), *_listed(second)]


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [value]


def _fault(key: object, value: Json, rules: PhaseRules, trusted: bool) -> str:
    if key in rules.may_set or key in rules.may_add:
        if key in rules.trusted_only and not trusted:
            return f"{_named(key)} is for built-in skills and the user's own"
        wanted, check = _CHECKS.get(str(key), _TEXT)
        return "" if check(value) else f"{_named(key)} must be {wanted}"
    return f"{_named(key)} can't be changed in this phase"


def _named(key: object) -> str:
    return ascii(str(key)[:40])


def _some(faults: list[str]) -> tuple[str, ...]:
    more = len(faults) - _MAX_NAMED
    return (*faults[:_MAX_NAMED], *([f"{more} more keys are no part of a result"] if more > 0 else []))


def _input(value: Json) -> str:
    """The input of a call, as all read it."""
    try:
        return json_text(json_value(value))
    except (ValueError, TypeError):
        raise RuntimeFaultError("`input` must be a text of JSON, with each key once") from None


def _is_text_or_texts(value: Json) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(item, str) for item in value))


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_flag(value: Json) -> bool:
    return isinstance(value, bool)


_TEXT = ("a text", _is_text)
_TEXTS = ("a text or a list of texts", _is_text_or_texts)
_CHECKS: Mapping[str, tuple[str, Callable[[Json], bool]]] = {
    "input": ("a text of JSON", lambda value: True),
    "is_error": ("true or false", _is_flag),
    "append_skill_fragments": _TEXTS,
    "replace_skill_fragments": _TEXTS,
}
"""What the values of keys must be; all others are texts."""
