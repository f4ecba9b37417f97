"""`skillbag lsp` in a workspace of many skills: from a key to its diagnostics, requests, start and memory."""

from __future__ import annotations

import argparse
import glob
import os
import shutil
import statistics
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import corpora
import corpus
import quiet
import results
from lsp_client import Client
from measure import cores

_BODY, _DESCRIPTION = "in the text of a skill", "in its description, on which the catalog and other skills depend"
Figures = dict[str, list[float]]


class Counts(NamedTuple):
    """How many keys of each kind and requests are timed, and after how many further keys the memory is read again."""

    keys: int
    requests: int
    edits: int


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the tables, and write them with `--save`."""
    parser = argparse.ArgumentParser(prog="benchmarks/lsp", description=__doc__)
    parser.add_argument("--skills", type=int, default=2000)
    parser.add_argument("--keys", type=int, default=100, help="keys that are timed, of each kind")
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--edits", type=int, default=1000, help="further keys after which the memory is read again")
    parser.add_argument("--save", action="store_true", help="write results/lsp.md")
    options = parser.parse_args(arguments)
    program = os.path.join(os.path.dirname(sys.executable), "skillbag")
    root = os.path.join(corpora.WORK, f"lsp-{options.skills}")
    home = os.path.join(corpora.WORK, "lsp-home")
    for folder in (root, home):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
    corpus.write_corpus(root, options.skills, "workspace", program)
    before = quiet.now()
    environment = {"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8"}
    starts = [_start([program, "lsp"], root, environment) for _ in range(5)]
    counts = Counts(options.keys, options.requests, options.edits)
    figures, facts = _session([program, "lsp"], root, environment, counts)
    figures["the answer to `initialize`, from the start of the process"] = starts
    if corpora.has_archive():
        published = corpora.Corpus(corpora.PUBLISHED, published=True, purpose="lsp")
        keys, _ = _session([program, "lsp"], published.folder, environment, counts._replace(requests=4, edits=0))
        figures |= {f"{name}, of {published.label}": taken for name, taken in keys.items() if name.startswith("a key")}
    busy = {"cores that other work kept busy": f"{quiet.others(before, quiet.now()):.2f}"}
    table = _page(figures, options.skills, {**results.machine(len(cores()), {}), **busy}, facts)
    print(table)
    if options.save:
        with open(os.path.join(corpora.HERE, "results", "lsp.md"), "w", encoding="utf-8") as handle:
            handle.write(table)
    return 0


def _start(command: Sequence[str], root: str, environment: Mapping[str, str]) -> float:
    client = Client(command, root, environment)
    taken = client.begin()
    client.end()
    return taken


def _session(
    command: Sequence[str], root: str, environment: Mapping[str, str], counts: Counts
) -> tuple[Figures, dict[str, str]]:
    """Seconds by what was timed, and single facts."""
    client = Client(command, root, environment)
    begun = time.perf_counter()
    client.begin()
    client.settle()
    first = time.perf_counter() - begun
    uri = client.open(_some_skill(root))
    client.settle()
    with open(uri.removeprefix("file://"), encoding="utf-8") as handle:
        lines = handle.read().split("\n")
    last = len(lines) - 1
    described = next(number for number, line in enumerate(lines) if line.startswith("description: "))
    client.key(uri, last, 0, "[x](gone/.md)")
    at = len("[x](gone/")
    figures = {f"a key {_BODY}": [client.key(uri, last, at, "a") for _ in range(counts.keys)]}
    figures[f"a key {_DESCRIPTION}"] = [
        client.key(uri, described, len("description: "), "a") for _ in range(counts.keys)
    ]
    indexing = max(_requests(client, uri, described, 4))
    figures["a request"] = [*_requests(client, uri, described, counts.requests)]
    small = client.memory()
    for number in range(counts.edits // 2):
        # What is typed is deleted, so that the document does not grow.
        client.key(uri, last, at, piece := f"[{number}](gone/{number}.md) ")
        client.key(uri, last, at, "", len(piece))
    facts = {
        "requests a second, one after the other (hover, completion, code actions, definition)": (
            f"{counts.requests / sum(figures['a request']):,.0f}"
        ),
        "seconds until a new folder is checked for the first time": f"{first:.2f}",
        "seconds of the first request about symbols, for which all skills are read": f"{indexing:.2f}",
        "MiB of memory": f"{small:.0f}",
        f"MiB after {counts.edits:,} further keys": f"{client.memory():.0f}",
    }
    client.end()
    return figures, facts


def _some_skill(root: str) -> str:
    """The `SKILL.md` of a skill in the middle."""
    found = sorted(glob.glob(os.path.join(root, "**", "SKILL.md"), recursive=True, include_hidden=True))
    return found[len(found) // 2]


def _requests(client: Client, uri: str, line: int, count: int) -> Iterator[float]:
    """The seconds of each of a mix of requests."""
    place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": 2}}
    span = {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 5}}
    mix = (
        ("textDocument/hover", place),
        ("textDocument/completion", {**place, "position": {"line": line, "character": 0}}),
        ("textDocument/codeAction", {**place, "range": span, "context": {"diagnostics": []}}),
        ("textDocument/definition", {**place, "position": {"line": 1, "character": 8}}),
    )
    for number in range(count):
        begun = time.perf_counter()
        client.ask(*mix[number % len(mix)])
        yield time.perf_counter() - begun


def _page(figures: Figures, skills: int, facts: Mapping[str, object], single: Mapping[str, str]) -> str:
    lines = [
        "# The language server, timed",
        "",
        f"{skills:,} skills in a workspace; milliseconds, over pipes: from a change of an open document to the",
        "diagnostics of that version, and from a request to its answer.",
        "",
        ", ".join(f"{key.replace('_', ' ')}: {value}" for key, value in facts.items()),
        "",
        "| what | median | of ten nine within | slowest |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, times in figures.items():
        ordered = sorted(times)
        row = (statistics.median(ordered), ordered[int(0.9 * (len(ordered) - 1))], ordered[-1])
        lines.append(f"| {name} | {' | '.join(f'{figure * 1e3:.1f}' for figure in row)} |")
    lines += ["", "| | |", "| --- | ---: |", *(f"| {name} | {value} |" for name, value in single.items())]
    return "\n".join(lines) + "\n"
