"""The README's table of verdicts, from the saved figures of `benchmarks/verdicts`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tables import table

OURS = "skillbag"
_COLUMNS = ("faults in good skills", "malicious edits", "malicious skills", "ms a skill")


def verdicts_table(results: Path) -> str:
    """The share that each tool finds, the best first. An earlier commit of `skillbag` is left out."""
    data: Mapping[str, Any] = json.loads(results.read_text("utf-8"))
    tools = {name: figures for name, figures in data["tools"].items() if not name.startswith(f"{OURS} ")}
    rows = [(name, *_shares(figures), figures["seconds"] / figures["skills"] * 1000) for name, figures in tools.items()]
    rows.sort(key=lambda row: (row[1] is None, -(row[1] or 0)))
    cells = ([f"**{name}**" if name == OURS else name, *map(_cell, shares), f"{ms:.1f}"] for name, *shares, ms in rows)
    return table(["Found as a warning or an error", *_COLUMNS], *cells)


def _shares(figures: Mapping[str, Any]) -> tuple[float | None, float | None, float | None]:
    families = figures["mutations"]["families"]
    faults = [pair for name, pair in families.items() if not name.startswith("security")]
    malicious = [pair for name, pair in families.items() if name.startswith("security")]
    return _share(faults), _share(malicious), _share(list(figures["malice"]["families"].values()))


def _share(pairs: list[list[int]]) -> float | None:
    """None where the tool was not shown any."""
    return sum(found for found, _ in pairs) / sum(of for _, of in pairs) if pairs else None


def _cell(share: float | None) -> str:
    return "" if share is None else f"{share:.0%}"
