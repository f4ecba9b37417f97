"""Copies and near-copies among skills: found where they are, and nowhere else."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from itertools import combinations
from pathlib import Path

import pytest

from skillbag.fleet.audit import minhash
from skillbag.fleet.audit.similarity import LEAST, Likeness
from skillbag.fleet.audit.summary_values import SimilarSkills
from skillbag.fleet.audit.values import AuditedSkill
from tests.fleet.audit.audits import records, source, summary
from tests.rows import each_row
from tests.supply.install.worlds import write
from tests.support import Run

pytestmark = pytest.mark.usefixtures("in_process")

WORDS = [f"{a}{b}" for a in ("read", "sort", "tidy", "move", "find", "name") for b in range(200)]


def text(random_: random.Random, size: int) -> str:
    """So many words, drawn by chance."""
    return " ".join(random_.choices(WORDS, k=size))


def changed(random_: random.Random, words: str, count: int) -> str:
    """The text with so many of its words changed."""
    parts = words.split()
    for at in random_.sample(range(len(parts)), count):
        parts[at] = "changed"
    return " ".join(parts)


def exact(one: str, other: str) -> float:
    """The Jaccard index of the runs of words of two texts."""
    sets = [
        set(zip(*(words[start:] for start in range(minhash.WORDS)), strict=False))
        for words in map(_words, (one, other))
    ]
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


def _words(of: str) -> list[str]:
    return minhash._WORD.findall(of.lower())


def estimated(one: str, other: str) -> float:
    first, second = minhash.sketch(one), minhash.sketch(other)
    assert first
    assert second
    return minhash.likeness(first, second)


def grouped(texts: Iterable[tuple[int, str]]) -> list[SimilarSkills]:
    """The groups of near-copies among numbered texts; the path of each is its number."""
    with Likeness() as likeness:
        for number, words in texts:
            generated = minhash.sketch(words)
            sketch = minhash.to_text(generated) if generated else None
            likeness.add(f"source {number}", AuditedSkill("n", str(number), None, True, f"t{number}", sketch, 0))
        likeness.group()
        return list(likeness.near(100, 100).listed)


@each_row("size", [20, 60, 300, 3000])
def test_the_estimate_is_near_the_exact_likeness(size: int) -> None:
    random_ = random.Random(size)
    errors = []
    for share in (0.0, 0.01, 0.03, 0.1, 0.3):
        for _ in range(10):
            one = text(random_, size)
            other = changed(random_, one, int(size * share))
            errors.append(estimated(one, other) - exact(one, other))
    # Standard errors are at most 0.045, of short texts somewhat more.
    assert max(map(abs, errors)) < (0.25 if size < 60 else 0.17)
    assert abs(sum(errors) / len(errors)) < 0.03


def test_near_copies_are_found_and_others_not() -> None:
    random_ = random.Random(7)
    texts: list[str] = []
    wanted: list[set[str]] = []
    for number in range(30):
        one = text(random_, 400)
        wanted.append({str(3 * number), str(3 * number + 1)})
        # The second is a near-copy, the third has half of the text in common.
        texts += [one, changed(random_, one, 6), changed(random_, one, 60)]
    assert all(
        exact(*texts[3 * n : 3 * n + 2]) > 0.85 and exact(texts[3 * n], texts[3 * n + 2]) < 0.7 for n in range(30)
    )
    found = [{place.path for place in group.places} for group in grouped(enumerate(texts))]
    assert sorted(found, key=min) == sorted(wanted, key=min)


def test_groups_do_not_depend_on_the_order_of_the_records() -> None:
    random_ = random.Random(3)
    one = text(random_, 300)
    texts = [one, *(changed(random_, one, 4) for _ in range(20)), *(text(random_, 300) for _ in range(20))]
    rows = [*enumerate(texts)]
    found = []
    for _ in range(3):
        random_.shuffle(rows)
        found.append(grouped(rows))
    assert found[0] == found[1] == found[2]
    assert found[0][0].skills == 21


def test_very_many_that_are_alike_take_little_time() -> None:
    import time

    random_ = random.Random(5)
    one = text(random_, 60)
    began = time.process_time()
    found = grouped(enumerate(changed(random_, one, 1) for _ in range(500)))
    assert max(len(group.places) for group in found) > 60
    assert time.process_time() - began < 20


@each_row("words", ["", "one", "one two three", "\ud800 \0"])
def test_a_text_with_too_few_words_has_no_sketch(words: str) -> None:
    assert minhash.sketch(words) is None


def test_a_sketch_survives_its_text_and_others_are_refused() -> None:
    generated = minhash.sketch("read the file and say what it holds")
    assert generated
    assert minhash.from_text(minhash.to_text(generated)) == generated
    for bad in ("", "AAAA", "ß", "=" * 336):
        with pytest.raises(ValueError):  # noqa: PT011 - any message
            minhash.from_text(bad)


def test_copies_and_near_copies_are_reported_across_sources(run: Run, tmp_path: Path) -> None:
    random_ = random.Random(1)
    body = text(random_, 300)
    sources = []
    for number in range(3):
        files = source("tidy", "sort")
        for name, words in (("tidy", body), ("sort", changed(random_, body, number))):
            files[f".skills/{name}/SKILL.md"] = f"---\nname: {name}\ndescription: Tidy.\n---\n\n{words}\n"
        files[".skills/tidy/scripts/x.txt"] = f"{number // 2}\n"
        sources.append(write(tmp_path / f"s{number}", files))
    out = run("team", "audit", *sources, "--out", tmp_path / "out").out
    found = summary(tmp_path / "out")
    (copies,) = found["copies"]["listed"]
    assert [place["source"] for place in copies["places"]] == [str(sources[0]), str(sources[1])]
    assert copies["likeness"] == 1
    (near,) = found["near_copies"]["listed"]
    assert (near["skills"], near["sources"]) == (6, 3)
    assert near["likeness"] >= LEAST
    assert "6 skills in 1 group, each of nearly the same text." in out


def test_the_corpora_have_the_near_copies_that_exact_comparison_finds(
    run: Run, tmp_path: Path, corpus: Callable[[str], Path]
) -> None:
    folders = [corpus(name) for name in ("agent-skills-superpowers", "skillbag-utils")]
    run("team", "audit", *folders, "--out", tmp_path / "out", "--quiet")
    texts = {}
    for record in records(tmp_path / "out"):
        for row in record["skills"]:
            place = (record["source"], row["path"])
            texts[place] = Path(record["source"], row["path"], "SKILL.md").read_text("utf-8")
    alike = {frozenset(pair) for pair in combinations(texts, 2) if exact(texts[pair[0]], texts[pair[1]]) >= LEAST}
    listed = summary(tmp_path / "out")["near_copies"]["listed"]
    groups = [{(place["source"], place["path"]) for place in group["places"]} for group in listed]
    assert {frozenset(pair) for group in groups for pair in combinations(group, 2)} == alike
    for one, other in combinations(texts.values(), 2):
        assert abs(estimated(one, other) - exact(one, other)) < 0.17
