"""Workflows that invoke others: how deep, and whose limits count."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag.kernel.manifest.names import Permission
from skillbag.runtime.broker.limits import DEFAULTS
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.triggers.settings import RuntimeSettings
from tests.runtime.worlds_active import active, opened
from tests.supply.install.worlds import write

AGAIN = 'register_workflow("again", lambda input: invoke_skill("again-NEXT", input + 1) if input < LAST else input)\n'
INNER = 'register_workflow("inner", lambda input: [exec("true")["exit_code"] for _ in range(input)])\n'
OUTER = 'register_workflow("outer", lambda input: invoke_skill("inner", input))\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "ws", {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})


@pytest.mark.parametrize(("last", "ends"), [(8, True), (9, False)])
def test_skills_invoke_each_other_at_most_eight_deep(root: Path, last: int, ends: bool) -> None:
    fields = {"types": "[workflow]", "permissions": '["skill:invoke"]'}
    for number in (0, 1):
        code = AGAIN.replace("NEXT", str(1 - number)).replace("LAST", str(last))
        active(root, f"again-{number}", code, **fields)
    with opened(root) as runtime:
        for number in (0, 1):
            runtime.activate(f"again-{number}")
        if ends:
            assert runtime.run_workflow("again-0", 0) == last
        else:
            with pytest.raises(RuntimeFaultError, match="8"):
                runtime.run_workflow("again-0", 0)


def test_what_the_inner_one_does_counts_for_the_outer_one(root: Path) -> None:
    active(root, "inner", INNER, types="[workflow]", permissions='["shell:exec"]')
    active(root, "outer", OUTER, types="[workflow]", permissions='["skill:invoke", "shell:exec"]')
    with opened(root, settings=RuntimeSettings(per_turn={**DEFAULTS, Permission.SHELL_EXEC: 3})) as runtime:
        for name in ("inner", "outer"):
            runtime.activate(name)
        runtime.begin("")
        assert runtime.run_workflow("outer", 3) == [0, 0, 0]
        with pytest.raises(RuntimeFaultError, match="rate limit exceeded"):
            runtime.run_workflow("outer", 1)
        runtime.begin("")
        assert runtime.run_workflow("inner", 1) == [0]
