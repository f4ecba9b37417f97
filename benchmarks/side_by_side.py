"""The command line of the benchmark: environments, races, table and picture."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence

import environments
import headline
import measure
import results
from contenders import CONTENDERS, LITERALS, PROJECT, Contender
from corpora import HERE, NO_ARCHIVE, PUBLISHED, WORK, Corpus, has_archive
from literals import write_literals
from race import LARGE, race, tell
from results import Series

_HUGE = 10_000
"""Skills from which a corpus has fewer rounds: a round takes minutes, and its times are steady."""
_FEW_ROUNDS = 5


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; 1 with a sentence when a run was not real."""
    options = _options(arguments)
    chosen = [one for one in CONTENDERS if not options.only or one.name in options.only]
    try:
        programs = _installed(chosen)
        write_literals(LITERALS)
        series: list[Series] = []
        for corpus in _corpora(options):
            racing = [one for one in chosen if _takes_part(one, corpus, bool(options.only), options.quick)]
            rounds = min(options.runs, _FEW_ROUNDS) if corpus.skills >= _HUGE else options.runs
            series += race(racing, programs, corpus, rounds)
    except (environments.InstallError, measure.NotRealError) as error:
        print(f"benchmark stopped: {error}", file=sys.stderr)
        return 1
    facts = results.machine(len(measure.cores()), environments.versions(chosen, programs))
    table = results.as_markdown(facts, series)
    print(table)
    if options.save:
        _save(table, json.dumps(results.as_json(facts, series), indent=1))
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    names = [one.name for one in CONTENDERS]
    parser = argparse.ArgumentParser(prog="benchmarks/run", description="Time skillbag beside its peers.")
    parser.add_argument("--sizes", type=int, nargs="+", metavar="N", help="skills per corpus (default: 17 2000 20000)")
    parser.add_argument("--no-published", action="store_true", help="leave out the published skills")
    parser.add_argument(
        "--runs", type=int, metavar="N", help="measured rounds after the warm-up (default: 7, and 5 at 20,000 skills)"
    )
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help=f"at every size: {', '.join(names)}")
    parser.add_argument("--save", action="store_true", help="write results/latest.md, latest.json and the picture")
    parser.add_argument("--quick", action="store_true", help="no 20,000 skills, 3 rounds, the slow ones at 17 only")
    options = parser.parse_args(arguments)
    options.sizes = options.sizes or ([17, 2000] if options.quick else [17, 2000, 20000])
    options.runs = (3 if options.quick else 7) if options.runs is None else options.runs
    if min(*options.sizes, options.runs, 1) < 1:
        parser.error("sizes and runs are 1 or more")
    return options


def _installed(chosen: Sequence[Contender]) -> dict[str, str]:
    """The folder of programs of each environment that is needed."""
    programs: dict[str, str] = {}
    for one in chosen:
        if one.place not in programs:
            tell(f"installing {one.place}")
            programs[one.place] = environments.prepare(one, WORK)
    return programs


def _corpora(options: argparse.Namespace) -> Iterator[Corpus]:
    """What is measured: the published skills, if they are there, then generated ones."""
    if not options.no_published:
        if has_archive():
            yield Corpus(PUBLISHED, published=True)
        else:
            tell(NO_ARCHIVE)
    for skills in options.sizes:
        yield Corpus(skills)


def _takes_part(one: Contender, corpus: Corpus, is_named: bool, quick: bool) -> bool:
    if corpus.published and one.published is None:
        return False
    if is_named:
        return True
    if quick and one.slow and corpus.skills >= LARGE:
        return False
    return one.largest is None or corpus.skills <= one.largest


def _save(table: str, data: str) -> None:
    written = {
        "latest.md": f"# Side by side\n\n{table}",
        "latest.json": f"{data}\n",
        "headline.svg": headline.as_svg(json.loads(data), PROJECT),
    }
    for name, text in written.items():
        with open(os.path.join(HERE, "results", name), "w", encoding="utf-8") as handle:
            handle.write(text)
    tell("saved; `make generate` brings README up to date")
