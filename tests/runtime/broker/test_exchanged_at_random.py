"""What was approved is what runs, at whatever moment the skill's files are exchanged for others."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.runtime.faults.exchanges import approved, exchanging, said


@pytest.mark.nightly
def test_exchanged_a_thousand_times(tmp_path: Path) -> None:
    main = approved(tmp_path / "w") / "main.star"
    counts: Counter[str] = Counter()
    for seed in range(1000):
        with exchanging(main, seed):
            counts[said(tmp_path / "w")] += 1
    assert counts["good"] > 100
    assert counts["evil"] == 0
