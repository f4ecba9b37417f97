"""Limits of a turn, of a minute, and of settings."""

from __future__ import annotations

import re

import pytest

from skillbag.kernel.manifest.names import Permission
from skillbag.runtime.broker.limits import DEFAULTS, OperationCounter, stricter
from skillbag.runtime.errors import RateLimitedError
from skillbag.runtime.host.functions import HostLimits
from skillbag.runtime.skill import SkillSource
from tests.rows import each_row
from tests.runtime.grantees import READ, SHELL, grantee

FETCH, ASK = Permission.NET_FETCH, Permission.LLM_CALL


def charged(limits: OperationCounter, permission: Permission, most: int = 100) -> int:
    """How many operations are allowed, of at most so many."""
    for number in range(most):
        try:
            limits.charge([grantee()], permission)
        except RateLimitedError as error:
            assert re.fullmatch(rf'rate limit exceeded for "{permission}": (\d+)/(\d+) per turn', str(error))  # noqa: PT017
            return number
    return most


@each_row(("permission", "most"), [(SHELL, 20), (FETCH, 10), (ASK, 10), (READ, 100)])
def test_a_turn_has_a_limit_and_the_next_one_begins_anew(permission: Permission, most: int) -> None:
    limits = OperationCounter()
    assert charged(limits, permission) == most
    if most < 100:
        with pytest.raises(
            RateLimitedError, match=f'^rate limit exceeded for "{permission}": {most + 1}/{most} per turn$'
        ):
            limits.charge([grantee()], permission)
    limits.begin_turn()
    assert charged(limits, permission) == most


def test_zero_allows_none_and_null_any_number() -> None:
    assert charged(OperationCounter({SHELL: 0}), SHELL) == 0
    assert charged(OperationCounter({SHELL: None}), SHELL) == 100


def test_each_skill_has_its_own_counter_which_an_edit_does_not_reset() -> None:
    limits = OperationCounter({SHELL: 1})
    limits.charge([grantee()], SHELL)
    limits.charge([grantee("other")], SHELL)
    limits.charge([grantee(source=SkillSource.PROJECT)], SHELL)
    with pytest.raises(RateLimitedError):
        limits.charge([grantee(content="sha256:2")], SHELL)


def test_a_skill_that_calls_itself_is_charged_once() -> None:
    limits = OperationCounter({SHELL: 1})
    limits.charge([grantee(), grantee("other"), grantee()], SHELL)
    with pytest.raises(RateLimitedError):
        limits.charge([grantee()], SHELL)


def test_a_sliding_window_frees_one_operation_at_a_time() -> None:
    now = [1000.0]
    limits = OperationCounter({SHELL: 2}, window=60.0, clock=lambda: now[0])
    for second, allowed in ((1000.0, 1), (1030.0, 1), (1030.0, 0), (1059.9, 0), (1060.0, 1), (1060.0, 0), (1200.0, 2)):
        now[0] = second
        assert charged(limits, SHELL, max(allowed, 1)) == allowed, second


def test_a_workspace_can_only_make_limits_stricter() -> None:
    assert stricter(DEFAULTS, {SHELL: 5, FETCH: 100, ASK: None, READ: 3}) == {SHELL: 5, FETCH: 10, ASK: 10, READ: 3}
    assert stricter({SHELL: None}, {SHELL: 5}) == {SHELL: 5}
    assert stricter({SHELL: None}, {SHELL: None}) == {SHELL: None}
    assert stricter({SHELL: 5}, {SHELL: 0}) == {SHELL: 0}


def test_operations_have_the_time_that_the_specification_gives() -> None:
    assert HostLimits()[:2] == (30.0, 15.0)
