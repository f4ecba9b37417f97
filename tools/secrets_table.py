"""The table of the page about credentials, from the saved figures of `benchmarks/recall`."""

from __future__ import annotations

import json
from pathlib import Path

from tables import table


def secrets_table(results: Path) -> str:
    """The kinds by name, each with the shares that are found and masked."""
    rows = json.loads(results.read_text("utf-8"))
    rows.sort(key=lambda row: row["kind"].lower())
    shares = ([row["kind"], *(f"{row[part] / row['texts']:.1%}" for part in ("found", "masked"))] for row in rows)
    return table(("Kind", "Found", "Masked"), *shares)
