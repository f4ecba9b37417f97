"""The runs of the benchmark beside its peers, its picture and its table."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.trees import contents
from tests.support import CORPUS, PROJECT

_RESULTS = PROJECT / "benchmarks" / "results"
_DATA: dict[str, Any] = {
    "series": [
        {"contender": name, "skills": skills, "runs": [{"wall": wall * skills} for wall in walls]}
        for name, walls in {
            "skillbag": (0.001, 0.002, 0.004),
            "skillbag-warm": (0.0005, 0.0005, 0.001),
            "agnix": (0.002, 0.002, 0.002),
            "skillsaw": (0.02,),
        }.items()
        for skills in (17, 2000)
    ]
}


@pytest.fixture
def measured(tmp_path: Path) -> Callable[..., Any]:
    """Run a shell script as a contender in a corpus of `skills` skills."""
    import measure
    from contenders import Contender
    from measure import Wanted

    (tmp_path / "programs").mkdir()
    (tmp_path / "programs" / "sh").symlink_to("/bin/sh")
    (tmp_path / "corpus").mkdir()

    def run(script: str, *, words: str = "", codes: tuple[int, ...] = (0,), **fields: Any) -> Any:
        wanted = Wanted("3 skills", codes, 3)
        one = Contender("toy", (), ("sh", "-c", script), lambda output: output["skills"], **fields)
        cache = str(tmp_path / "cache")
        return measure.measure(
            one, str(tmp_path / "programs"), str(tmp_path / "corpus"), wanted, cache=cache, words=words
        )

    return run


def test_the_saved_picture_is_made_of_the_saved_runs() -> None:
    import headline

    data = json.loads((_RESULTS / "latest.json").read_text("utf-8"))
    assert (_RESULTS / "headline.svg").read_text("utf-8") == headline.as_svg(data, "skillbag")


def test_the_table_of_readme_is_made_of_the_runs(tmp_path: Path) -> None:
    table = importlib.import_module("benchmark_table")
    path = tmp_path / "latest.json"
    path.write_text(json.dumps(_DATA), "utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.benchmark_table(path).splitlines()]
    assert rows[0] == ["Seconds (× agnix)", "17 skills", "2,000 skills"]
    assert [row[0].split(",")[0] for row in rows[2:]] == ["**skillbag-warm**", "**skillbag**", "agnix", "skillsaw"]
    assert rows[3][1:] == ["0.034 (1.00)", "4.00 (1.00)"]
    # A slow one has runs of the first rounds only.
    assert rows[5][1:] == ["0.340 (10.00)", "40.00 (10.00)"]


def test_every_contender_is_pinned_and_told_apart() -> None:
    from contenders import CONTENDERS
    from contenders import PROJECT as OURS

    assert len({item.name for item in CONTENDERS}) == len(CONTENDERS)
    for item in CONTENDERS:
        assert all("==" in pin for pin in item.packages), item.name
        assert all("@" in pin for pin in item.npm), item.name
        assert item.skills or item.name == "python"
        assert (item.cache != "unused") <= (item.place == OURS)
    ours = {item.name: item for item in CONTENDERS if item.place == OURS}
    assert "--config=cache=false" in ours[OURS].command
    assert all("--config=cache=false" not in item.command for item in ours.values() if item.cache != "unused")


def test_a_run_that_failed_or_saw_other_skills_or_no_change_is_not_real(measured: Callable[..., Any]) -> None:
    from measure import NotRealError

    said = "echo '{\"skills\": 3}'"
    assert 0 < measured(said).wall < 60
    assert measured(f"{said}; exit 1", codes=(0, 1)).wall > 0
    for script, words, complaint in (
        (f"{said}; exit 1", "", "exit code 1, but 0 was expected"),
        ("echo '{\"skills\": 2}'", "", "it reports 2 of 3"),
        ("echo nothing", "", "not the JSON"),
        (said, "gone-1.md", "did not see a change: gone-1.md"),
    ):
        with pytest.raises(NotRealError, match=complaint):
            measured(script, words=words)


def test_a_cache_is_kept_emptied_or_never_named(measured: Callable[..., Any], tmp_path: Path) -> None:
    from contenders import Cache

    filled = 'test -e "$SKILLBAG_CACHE_DIR/full" && echo \'{"skills": 3}\''
    fill = f'mkdir -p "$SKILLBAG_CACHE_DIR"; touch "$SKILLBAG_CACHE_DIR/full"; {filled}'
    measured(fill, cache=Cache.KEPT)
    measured(filled, cache=Cache.KEPT)
    measured('test ! -e "$SKILLBAG_CACHE_DIR/full" && echo \'{"skills": 3}\'', cache=Cache.EMPTY)
    assert not (tmp_path / "cache" / "full").exists()


def test_slow_contenders_take_part_in_the_first_rounds_of_a_large_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    import quiet
    import race
    from contenders import Contender
    from corpora import Corpus
    from measure import Run

    ran: list[str] = []

    def run(contender: Contender, *_arguments: object, **_options: object) -> Run:
        ran.append(contender.name)
        return Run(1.0, 1.0, 1.0, 1.0)

    monkeypatch.setattr(race, "_run", run)
    monkeypatch.setattr(quiet, "LIMIT", 99.0)
    quick, slow = (Contender(name, (), (), None, slow=name == "slow") for name in ("quick", "slow"))
    for skills, rounds in ((17, 5), (2000, 3)):
        ran.clear()
        first, second = race.race([quick, slow], {}, Corpus(skills), 5)
        assert (len(first.runs), len(second.runs)) == (5, rounds)
        assert ran[2:6] == ["quick", "slow", "slow", "quick"]


def test_published_skills_are_a_corpus_of_their_own_with_their_own_facts(tmp_path: Path) -> None:
    import corpora
    import race
    from contenders import CONTENDERS, Published

    ours, peer, *_ = CONTENDERS
    published, generated = corpora.Corpus(559, published=True), corpora.Corpus(559)
    assert (published.label, generated.label) == ("559 published skills", "559 skills")
    for one in (ours, peer):
        assert isinstance(one.published, Published)
        wanted = race._wanted(one, published)
        assert (wanted.exit_codes, wanted.counted) == ((1,), one.published.counted)
    assert race._wanted(ours, generated) == ("559 skills", (0,), 559)
    series = [dict(one, published=one["skills"] == 17) for one in _DATA["series"]]
    table = importlib.import_module("benchmark_table")
    path = tmp_path / "latest.json"
    path.write_text(json.dumps({"series": [*_DATA["series"], *series[::2]]}), "utf-8")
    header = table.benchmark_table(path).splitlines()[0]
    assert header == "| Seconds (× agnix) | 17 published skills | 17 skills | 2,000 skills |"


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpora are not beside the project (../shared/corpus)")
def test_the_archive_is_unpacked_and_has_the_skills_that_are_counted_on(tmp_path: Path) -> None:
    import corpora

    corpora.unpack(str(tmp_path / "all"))
    assert len(list((tmp_path / "all").rglob("SKILL.md"))) == corpora.PUBLISHED
    corpora.unpack(str(tmp_path / "few"), 60)
    names = sorted(path.name for path in (tmp_path / "all/skills").iterdir() if path.is_dir())[:60]
    assert sorted(path.name for path in (tmp_path / "few/skills").iterdir()) == names
    assert contents(tmp_path / "few").items() <= contents(tmp_path / "all").items()
    words = corpora.change_published(str(tmp_path / "all"))
    assert words in (tmp_path / "all/skills/architecture-patterns/SKILL.md").read_text("utf-8")


def test_a_change_is_always_another_one_of_one_file(tmp_path: Path) -> None:
    import corpora
    import corpus

    corpus.write_corpus(str(tmp_path / "corpus"), 3)
    corpus.write_corpus(str(tmp_path / "plain"), 3)
    first, second = (corpora.change(str(tmp_path / "corpus"), 2) for _ in range(2))
    assert first != second
    plain = contents(tmp_path / "plain").items()
    changed = [name for name, content in contents(tmp_path / "corpus").items() if (name, content) not in plain]
    assert changed == ["skills/skill-00002/SKILL.md"]
    text = (tmp_path / "corpus" / changed[0]).read_text("utf-8")
    assert second in text
    assert first not in text
    assert not (tmp_path / "corpus" / second).exists()
