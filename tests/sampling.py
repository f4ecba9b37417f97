"""How much a run tries: of many cases of one kind those that the commit's hash draws, or all of them every night."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TypeVar

from tests.support import PROJECT

NIGHTLY = bool(os.environ.get("SKILLBAG_NIGHTLY"))
"""Whether everything is tried, as `make nightly` has it."""
EXAMPLES = 500 if NIGHTLY else 25
"""What hypothesis tries of each property."""

T = TypeVar("T")


def sample(name: str, cases: Iterable[T], count: int = 5) -> list[T]:
    """`count` of the cases in their order, or all of them every night.

    Every process draws the same ones for a commit, so a failure can be repeated; the next commit draws others.
    """
    cases = list(cases)
    if NIGHTLY or len(cases) <= count:
        return cases
    chosen = random.Random(f"{_commit()} {name}").sample(range(len(cases)), count)
    return [cases[number] for number in sorted(chosen)]


def sample_calls(name: str, numbers: Sequence[int]) -> list[int]:
    """Five of the calls at which something happens, the first and the last among them; all of them every night."""
    return [*numbers[:1], *sample(name, numbers[1:-1], 3), *numbers[-1:]]


@cache
def _commit() -> str:
    command = ["git", "-C", str(PROJECT), "rev-parse", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
