"""The command line that draws credentials of each kind, and counts how many are found and masked."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from secret_corpus import recalls

_RESULTS = Path(__file__).parent / "results" / "secrets.json"
_DRAWS = 30


def main(arguments: Sequence[str] | None = None) -> int:
    """Count and print; the kinds of which least is found come first."""
    parser = argparse.ArgumentParser(prog="benchmarks/recall", description="Credentials found and masked, by kind.")
    parser.add_argument("--save", action="store_true", help="write results/secrets.json, of which a page is made")
    options = parser.parse_args(arguments)
    rows = recalls(_DRAWS)
    for row in sorted(rows, key=lambda row: min(row.found, row.masked) / row.texts):
        print(f"{row.found / row.texts:7.1%} found {row.masked / row.texts:7.1%} masked {row.texts:6} {row.kind}")
    if options.save:
        lines = ",\n  ".join(json.dumps(row._asdict()) for row in rows)
        _RESULTS.write_text(f"[\n  {lines}\n]\n", "utf-8")
    return 0
