"""No text costs more than time in proportion to its length: every rule is held to that, on texts made to be slow."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from skillbag.kernel.fs.read import LIMIT
from skillbag.lint.engine.request import CheckRequest
from skillbag.lint.engine.timing import TimedChecker
from tests.sampling import sample
from tests.supply.install.worlds import write
from tests.support import skill, table

pytestmark = pytest.mark.boundary

_HOSTILE = table(__file__, "hostile.toml")
_DATA = ("SKILL.md", "references/x.md", "scripts/a.py", "scripts/a.sh", "a.json", "a.yaml", "a.toml", "a.txt")
_FENCE = "```bash\n{}\n```\n"
_QUICK = 0.3
"""Seconds within which it does not matter how a time grows."""
_LINEAR = 8
"""Time for four times the text, at most; a quadratic predicate takes sixteen times as long."""
_MAX = 20
"""Seconds of the processor for a file of the largest size that is read, on a slow and busy machine."""


def repeated(unit: str, size: int) -> str:
    # Odd, whatever the size: of an even number of quotes or backticks a script may be valid, which costs less.
    return unit * (size // len(unit.encode("utf-8", "surrogatepass")) - 1 | 1)


def fenced(unit: str, size: int) -> str:
    return _FENCE.format(repeated(unit, size))


def numbered(unit: str, size: int) -> str:
    return "".join(map(unit.format, range(size // (len(unit) + 4))))


def stretched(unit: str, size: int) -> str:
    return unit.format(" " * size)


CASES: list[tuple[str, Callable[[str, int], str], str]] = [
    *((name, repeated, unit) for name in _DATA for unit in _HOSTILE["units"]),
    *(("SKILL.md", fenced, unit) for unit in _HOSTILE["fenced"]),
    *(("SKILL.md", numbered, unit) for unit in _HOSTILE["numbered"]),
    *(("SKILL.md", stretched, unit) for unit in _HOSTILE["stretched"]),
]


def seconds(root: Path, name: str, text: str) -> dict[str, float]:
    """What each rule costs in the check of a skill that has this text in one of its files."""
    write(root, {"skills/s/SKILL.md": skill("s"), "skills/s/scripts/run.sh": "#!/bin/sh\n"})
    path = root / "skills/s" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(((skill("s") if name == "SKILL.md" else "") + text).encode("utf-8", "surrogatepass"))
    checker = TimedChecker(CheckRequest((str(root),)))
    checker.check()
    assert checker.timing
    return {rule.rule: rule.seconds for rule in checker.timing.rules}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "form", "unit"),
    sample("hostile texts", CASES, 20),
    ids=lambda value: getattr(value, "__name__", ascii(value)),
)
def test_the_time_of_every_rule_is_in_proportion_to_the_text(
    tmp_path: Path, name: str, form: Callable[[str, int], str], unit: str
) -> None:
    size = LIMIT - 200
    begun = time.process_time()
    whole = seconds(tmp_path, name, form(unit, size))
    assert time.process_time() - begun < _MAX
    slow = [rule for rule, spent in whole.items() if spent > _QUICK]
    # Other work on the machine can slow down one measurement, hardly three.
    for _ in range(3):
        quarter = seconds(tmp_path, name, form(unit, size // 4)) if slow else {}
        slow = [rule for rule in slow if whole[rule] > _LINEAR * quarter[rule]]
        whole = seconds(tmp_path, name, form(unit, size)) if slow else whole
    assert not slow
