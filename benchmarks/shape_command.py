"""The command line that measures skills: published beside generated ones, or any folder."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence

import corpora
from shape import FIGURES, FILE, as_json
from shape_measure import Measured, measure_folder, summary

_PAGE = os.path.join(corpora.HERE, "README.md")
_TABLE = re.compile(r"(<!-- table: shape -->\n\n)[\s\S]*?(\n<!-- end of table -->)")
_GENERATED = 2000
"""Generated skills that are measured."""
_NAMES = {
    "references": "references per skill",
    "python": "Python scripts per skill",
    "shell": "shell scripts per skill",
}
_NAMES |= {"other": "other files per skill"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 with a sentence where there is nothing to measure."""
    parser = argparse.ArgumentParser(prog="benchmarks/shape", description="What skills are made of, in figures.")
    parser.add_argument("folder", nargs="?", help="a folder of skills (default: published beside generated ones)")
    parser.add_argument("--save", action="store_true", help="write shape.json and the table of benchmarks/README.md")
    options = parser.parse_args(arguments)
    if options.save and options.folder:
        parser.error("--save measures the published skills")
    if options.folder:
        print(table({"": measure_folder(options.folder)}))
        return 0
    if not corpora.has_archive():
        print(corpora.NO_ARCHIVE, file=sys.stderr)
        return 1
    published = measure_folder(corpora.published_corpus())
    if options.save:
        with open(FILE, "w", encoding="utf-8") as handle:
            handle.write(as_json(published.shape()))
    shown = table({"published": published, "generated": measure_folder(corpora.corpus_of(_GENERATED))})
    print(shown)
    if options.save:
        _write_table(shown)
    return 0


def table(columns: dict[str, Measured]) -> str:
    """Median, nine tenths and mean of every figure, of each column."""
    names = [f"{kind} {name}".strip() for name in columns for kind in ("median", "p90", "mean")]
    lines = [["figure", *names], ["---", *["---:"] * len(names)]]
    for figure in FIGURES:
        cells = [_shown(value) for one in columns.values() for value in summary(one.values[figure])]
        lines.append([_NAMES.get(figure, figure.replace(".", ": ")), *cells])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def _write_table(shown: str) -> None:
    with open(_PAGE, encoding="utf-8") as handle:
        text = handle.read()
    with open(_PAGE, "w", encoding="utf-8") as handle:
        handle.write(_TABLE.sub(lambda found: f"{found[1]}{shown}{found[2]}", text))
