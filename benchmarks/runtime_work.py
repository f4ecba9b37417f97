"""Runs the rounds of the runtime's benchmark in this process, and prints them as JSON: `FOLDER ROUNDS`."""

from __future__ import annotations

import json
import sys
from typing import Any

import quiet
from runtime_measures import measures

_SLOW = 3
"""Rounds of slow measures."""


def main(folder: str, rounds: int) -> None:
    """Run all measures in turn: in each round, one of each and what it is compared with."""
    rows: list[dict[str, Any]] = []
    every = list(measures(folder))
    for measure in every:
        # What is imported or cached is there before anything counts.
        if not measure.slow:
            measure.work()
        rows.append({"what": measure.what, "compared": measure.compared, "most": measure.most, "times": []})
    before = quiet.now()
    for number in range(rounds):
        for measure, row in zip(every, rows, strict=True):
            if number < _SLOW or not measure.slow:
                row["times"].append((measure.work(), measure.floor()))
    print(json.dumps({"rows": rows, "others": quiet.others(before, quiet.now())}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
