"""`skillbag search`: what is found, in which order, how fast, and whatever somebody types."""

from __future__ import annotations

import itertools
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.agents.marketplace.marketplace import list_offered, search
from tests.agents.marketplace.markets import Files, found, indexed, skill
from tests.once import once
from tests.rows import each_row
from tests.support import Run

_SKILLS: Files = {
    "skills/pdf-forms/SKILL.md": skill("pdf-forms", "Fill out documents.", "Open the form and type into it. " * 9),
    "skills/describes/SKILL.md": skill("describes", "Read PDF files and their forms.", "Open it."),
    "skills/mentions/SKILL.md": skill("mentions", "Convert anything.", "It can convert pdf forms as well."),
    "skills/translate-page/SKILL.md": skill("translate-page", "Übersetze eine Seite über Cafés.", "Naïve façade."),
    "skills/release-notes/SKILL.md": skill(
        "release-notes", "Write what has changed.", "Converting commits into prose."
    ),
    **{f"skills/other-{n}/SKILL.md": skill(f"other-{n}", f"Something else {n}.", "Nothing here.") for n in range(30)},
}


@pytest.fixture
def index(run: Run, tmp_path: Path) -> None:
    indexed(run, tmp_path / "source", _SKILLS)


@pytest.mark.usefixtures("index")
def test_a_name_counts_more_than_a_description_and_that_more_than_a_body(run: Run) -> None:
    assert found(run, "pdf") == ["team/pdf-forms", "team/describes", "team/mentions"]


@pytest.mark.usefixtures("index")
@each_row(
    ("query", "first"),
    [
        ("release", "release-notes"),
        ("notes of a release", "release-notes"),
        ("conver", "mentions"),
        ("CONVERT commit", "release-notes"),
        ("cafe", "translate-page"),
        ("café", "translate-page"),
        ("cafe\u0301", "translate-page"),
        ("ubersetze", "translate-page"),
        ("naive facade", "translate-page"),
        ("ｔｒａｎｓｌａｔｅ", "translate-page"),
        ("forms pdf type", "pdf-forms"),
        ("pdf-forms", "pdf-forms"),
        ('"pdf forms"', "pdf-forms"),
    ],
)
def test_words_are_found_in_any_form_and_the_last_by_its_beginning(run: Run, query: str, first: str) -> None:
    assert found(run, query)[0] == f"team/{first}"


@pytest.mark.usefixtures("index")
def test_any_word_matches_and_a_skill_with_more_of_them_comes_first(run: Run) -> None:
    assert found(run, "pdf zebra") == ["team/pdf-forms", "team/describes", "team/mentions"]
    assert found(run, "form commits prose")[0] == "team/release-notes"


def test_an_exact_name_comes_first_whatever_else_matches_better(run: Run, tmp_path: Path) -> None:
    long = skill("pdf", "One of many things.", "Nothing about the word in its name. " * 200)
    others = {f"skills/pdf-pdf-{n}/SKILL.md": skill(f"pdf-pdf-{n}", "PDF, PDF.", "PDF.") for n in range(5)}
    indexed(run, tmp_path / "source", {"skills/pdf/SKILL.md": long, **others})

    assert found(run, "PDF")[0] == "team/pdf"
    assert found(run, "pdf pdfs")[0] != "team/pdf"


@pytest.mark.usefixtures("index")
@pytest.mark.parametrize("query", ["tranlsate-paeg", "tranlsate", "relaese notse"])
def test_where_nothing_is_found_the_name_that_may_be_meant_is_reported(run: Run, query: str) -> None:
    outcome = run("search", query)

    assert outcome.code == 0
    assert "Did you mean" in outcome.out
    assert ("translate-page" if "tran" in query else "release-notes") in outcome.out


@pytest.mark.usefixtures("index")
def test_a_search_is_limited_in_number_and_to_a_source(run: Run, tmp_path: Path) -> None:
    indexed(run, tmp_path / "two", {"skills/pdf-two/SKILL.md": skill("pdf-two", "PDF.")}, "other")

    assert len(found(run, "something", "--limit", 3)) == 3
    assert found(run, "pdf", "--source", "other") == ["other/pdf-two"]
    assert "other/pdf-two" in found(run, "pdf")
    assert "other/pdf-two" not in found(run, "pdf", "--source", "team")


@pytest.mark.usefixtures("index")
def test_a_result_is_a_reference_and_one_line_of_description(run: Run, tmp_path: Path) -> None:
    indexed(run, tmp_path / "two", {"skills/long/SKILL.md": skill("long", "Zebra " + "word " * 150)}, "other")

    lines = run("search", "zebra").out.splitlines()

    assert lines[0] == "other/long"
    assert lines[1:] == [f"    Zebra {'word ' * 150}".rstrip()]


@pytest.mark.usefixtures("index")
def test_search_and_list_give_real_values_to_python(tmp_path: Path) -> None:
    (first,) = search("pdf", 1).skills

    assert first[:4] == ("pdf-forms", "Fill out documents.", "team", str(tmp_path / "source"))
    assert first.ref == "team/pdf-forms"
    assert len(list_offered()) == len(_SKILLS)
    assert [item.name for item in list_offered(2)] == ["describes", "mentions"]


HOSTILE = [
    *json.loads(Path(__file__).with_name("hostile_queries.json").read_text("utf-8")),
    *("x" * 100_000, "pdf " * 30_000, '"' * 100_000, "(" * 10_000),
]


@pytest.mark.usefixtures("index")
@each_row("query", HOSTILE, ids=range(len(HOSTILE)))
def test_a_query_is_words_and_nothing_else(run: Run, query: str) -> None:
    result = search(query)

    assert isinstance(result.skills, tuple)
    if "pdf" in query and query.strip("\0") == query:
        assert any(item.name == "pdf-forms" for item in result.skills)
    if "\0" not in query and len(query) < 1000 and not query.startswith("-"):
        assert run("search", query).code == 0


@given(query=st.text(max_size=200))
@pytest.mark.usefixtures("index")
def test_no_query_makes_a_search_fail(query: str) -> None:
    search(query)
    search(query, 5, "team")


@pytest.mark.usefixtures("index")
def test_stop_words_count_only_where_there_are_no_others() -> None:
    assert search("How to find THE pdf, or a PDF").skills == search("find pdf").skills
    assert {item.name for item in search("and the").skills} == {"describes", "pdf-forms"}


_MANY = 50_000
_COMMON = ("use", "skill", "file", "when")


def _make_many(folder: Path) -> str:
    """An index of very many skills, of which all have the common words, in the cache at `folder`."""
    from skillbag.agents.marketplace.index_builder import IndexedSkill, rewriting
    from skillbag.agents.settings.user_settings import MarketSource

    chance = random.Random(7)
    words = [*_COMMON, *("".join(chance.choices("abdeiklmnorstu", k=chance.randint(4, 9))) for _ in range(5000))]
    weights = list(itertools.accumulate(1 / (rank + 1) for rank in range(len(words))))

    def text(size: int) -> str:
        return " ".join(chance.choices(words, cum_weights=weights, k=size))

    address = "https://example.com/x.git"
    # Drawing words takes longer than indexing them.
    bodies = [text(25) for _ in range(1000)]
    about = [f"Use this skill when a file is there. {text(6)}" for _ in range(1000)]

    def offers() -> Iterator[IndexedSkill]:
        for number in range(_MANY // 5):
            yield IndexedSkill(f"skill-{number}", chance.choice(about), chance.choice(bodies), address, None)

    with rewriting() as writer:
        for number in range(5):
            writer.replace(MarketSource(f"source-{number}", address), None, offers())
        needle = IndexedSkill("fill-pdf-forms", "Fill PDF forms.", "", address, None)
        writer.replace(MarketSource("small", address), None, [needle])
    return str(folder)


@pytest.fixture
def many(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    def build(folder: Path) -> str:
        with monkeypatch.context() as patch:
            patch.setenv("SKILLBAG_CACHE_DIR", str(folder))
            return _make_many(folder)

    monkeypatch.setenv("SKILLBAG_CACHE_DIR", once(tmp_path_factory, "many-skills", build))


@pytest.mark.nightly
@pytest.mark.usefixtures("many")
def test_fifty_thousand_skills_are_searched_at_once_even_for_words_that_stand_everywhere() -> None:
    queries = ["fill pdf forms", "use skill file", "use", "us", "skill when file use this", "zzyzx", "use skilx fi"]
    for query in queries:
        taken = []
        for source in (None, "source-3", None):
            began = time.process_time()
            search(query, 20, source)
            taken.append(time.process_time() - began)
        # A tenth of it is what it takes: the benchmark has the figure.
        assert min(taken) < 0.5, query

    assert search("fill pdf forms").skills[0].name == "fill-pdf-forms"
    assert len(search("use skill file").skills) == 20


@pytest.mark.slow
@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("query", ["use", "use skill file", "fill use skill"])
def test_only_a_bounded_part_of_very_many_matches_is_ranked(query: str) -> None:
    assert 0 < len(search(query, _MANY).skills) < _MANY / 5
