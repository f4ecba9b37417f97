"""An index of very many made-up skills, and the time of searches in it; run by the interpreter that has the program.

`search_index.py make SKILLS` fills the index of the cache that the environment names, `search_index.py time RUNS`
searches in it and prints JSON: milliseconds of each run, by query.
"""

from __future__ import annotations

import itertools
import json
import random
import sys
import time
from collections.abc import Callable, Iterator

SOURCES = 10
QUERIES = {
    "three words of one skill": "fill pdf forms",
    "one rare word": "pdf",
    "words that stand in nearly all": "use skill file",
    "one that stands in nearly all": "use",
    "rare and common words": "pdf use skill file when",
    "the beginning of a word": "conv",
    "many common words": "use skill file when with from into each then only",
    "some of the words": "pdf use skilll flie",
    "nothing, and what may be meant": "tranlsate paeg",
}

_COMMON = (
    "the",
    "a",
    "use",
    "skill",
    "file",
    "when",
    "with",
    "from",
    "into",
    "each",
    "then",
    "only",
    "convert",
    "page",
)
_VOCABULARY = 30_000
_ADDRESS = "https://example.com/team/skills.git"


def make(skills: int) -> None:
    """Fill the index; the words of the texts have the frequencies that words have (Zipf), bodies 200 to 900 of them."""
    from skillbag.agents.marketplace.index_builder import IndexedSkill, rewriting
    from skillbag.agents.settings.user_settings import MarketSource

    chance = random.Random(2026)
    text = _writer(chance)

    def offers(count: int) -> Iterator[IndexedSkill]:
        for number in range(count):
            name = f"{text(1)}-{text(1)}-{number}"
            about = f"Use this skill when a file is there. {text(18)}"
            yield IndexedSkill(name, about, text(chance.randint(200, 900)), _ADDRESS, None)

    with rewriting() as writer:
        for source in range(SOURCES):
            writer.replace(MarketSource(f"source-{source}", _ADDRESS), None, offers(skills // SOURCES))
        known = [
            IndexedSkill("fill-pdf-forms", "Fill PDF forms from a table.", text(300), _ADDRESS, None),
            IndexedSkill("translate-page", "Translate a page.", text(300), _ADDRESS, None),
        ]
        writer.replace(MarketSource("small", _ADDRESS), None, known)


def _writer(chance: random.Random) -> Callable[[int], str]:
    """What writes a text of so many words."""
    made: set[str] = set()
    while len(made) < _VOCABULARY:
        made.add("".join(chance.choice("bcdfglmnprstv") + chance.choice("aeiou") for _ in range(chance.randint(2, 5))))
    words = [*_COMMON, *chance.sample(sorted(made), len(made)), "pdf", "forms"]
    weights = list(itertools.accumulate(1 / (rank + 1) for rank in range(len(words))))

    def text(count: int) -> str:
        return " ".join(chance.choices(words, cum_weights=weights, k=count))

    return text


def time_searches(runs: int) -> dict[str, list[float]]:
    """Milliseconds of each run of each query, its index opened anew; the queries take turns."""
    from skillbag.agents.marketplace.marketplace import search

    taken: dict[str, list[float]] = {query: [] for query in QUERIES.values()}
    for _ in range(runs):
        for query, times in taken.items():
            began = time.perf_counter()
            search(query)
            times.append((time.perf_counter() - began) * 1000)
    return taken


if __name__ == "__main__":
    what, number = sys.argv[1:]
    if what == "make":
        make(int(number))
    else:
        print(json.dumps(time_searches(int(number))))
