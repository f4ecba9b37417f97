"""The corpus and the runs of the benchmark of installers are what it says they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.benchmarks.trees import contents

_BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
_SKILLBAG = Path(sys.executable).with_name("skillbag")


def _make(root: Path, *options: str) -> str:
    command = [sys.executable, str(_BENCHMARKS / "install_corpus.py"), str(root), *options]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


class _Made(NamedTuple):
    folder: Path
    repository: Path
    commit: str


_SMALL = ("--skills", "3", "--files", "20", "--bytes", "200000")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> _Made:
    root = tmp_path_factory.mktemp("source")
    commit = _make(root / "source", *_SMALL, "--repository", str(root / "source.git"))
    return _Made(root / "source", root / "source.git", commit)


def test_the_corpus_is_20_skills_430_files_12_mb_and_conforms(tmp_path: Path) -> None:
    _make(tmp_path / "source")
    skills = contents(tmp_path / "source" / ".skills")
    del skills["SKILLS.md"]
    assert len({name.split("/")[0] for name in skills}) == 20
    assert len(skills) == 430
    assert sum(len(data) for data, _ in skills.values()) == pytest.approx(12_000_000, rel=0.01)
    done = subprocess.run([_SKILLBAG, "check", "--strict", "--target", "source", tmp_path / "source"], check=False)
    assert done.returncode == 0


def test_two_makes_are_the_same_byte_for_byte_down_to_the_commit(tmp_path: Path, small: _Made) -> None:
    commit = _make(tmp_path / "again", *_SMALL, "--repository", str(tmp_path / "again.git"))
    assert len(commit) == 40
    assert commit == small.commit
    assert contents(tmp_path / "again") == contents(small.folder)


def test_the_plain_layout_has_the_same_skills(tmp_path: Path, small: _Made) -> None:
    _make(tmp_path / "plain", *_SMALL, "--layout", "skills")
    ours, plain = contents(small.folder / ".skills"), contents(tmp_path / "plain" / "skills")
    del ours["SKILLS.md"]
    assert len(plain) == 20
    assert plain == ours


def test_there_are_documents_tables_and_pictures_and_no_two_alike(small: _Made) -> None:
    files = {name: data for name, (data, _) in contents(small.folder / ".skills").items()}
    assert {Path(name).suffix for name in files} == {".md", ".csv", ".png", ".py", ".sh"}
    assert len(set(files.values())) == len(files)
    for name, data in files.items():
        assert (b"\0" in data) == name.endswith(".png")


def test_the_repository_is_packed_and_a_clone_of_it_is_the_source(tmp_path: Path, small: _Made) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", small.repository.as_uri(), clone], check=True)
    log = subprocess.run(["git", "-C", clone, "log", "--format=%H"], check=True, capture_output=True, text=True).stdout
    assert log.split()[0] == small.commit
    assert len(log.split()) == 2
    subprocess.run(["rm", "-r", clone / ".git"], check=True)
    assert contents(clone) == contents(small.folder)
    assert [path.suffix for path in small.repository.glob("objects/pack/*.pack")] == [".pack"]
    assert not (small.folder / ".git").exists()


@pytest.mark.parametrize(
    ("options", "words"), [(("--skills", "3", "--files", "8"), "at least 9 files"), ((), "not empty")]
)
def test_what_can_t_be_made_is_said(tmp_path: Path, options: tuple[str, ...], words: str) -> None:
    (tmp_path / "mine").touch()
    with pytest.raises(subprocess.CalledProcessError) as caught:
        _make(tmp_path, *options)
    assert caught.value.returncode == 2
    assert words in caught.value.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_the_floor_really_installs_from_folder_and_git(tmp_path: Path, small: _Made) -> None:
    from install_contenders import INSTALLERS, Task
    from install_run import Corpus, measure

    plain = tmp_path / "plain"
    _make(plain, *_SMALL, "--layout", "skills", "--repository", f"{plain}.git")
    corpus = Corpus({"skills": str(plain)}, {"skills": f"{plain}.git"})
    (floor,) = (installer for installer in INSTALLERS if installer.name == "floor")
    for task in (Task.FOLDER, Task.FOLDER_AGAIN, Task.GIT, Task.GIT_AGAIN):
        run = measure(floor, task, "", corpus, str(tmp_path / "work"))
        assert 0 < run.wall < 60
    assert not (tmp_path / "work" / "stage").exists()


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("true", "did not arrive whole"),
        ('mkdir .skills; cp -r "$0"/.skills/skill-0000[12] .skills', "skill-00003/"),
        ('cp -r "$0/.skills" .; echo >>.skills/skill-00002/SKILL.md', "skill-00002/SKILL.md did not arrive whole"),
        ("echo because >&2; exit 3", "exit code 3 of sh -c .*\nbecause"),
    ],
)
def test_a_run_that_did_not_do_its_work_stops_the_benchmark(
    tmp_path: Path, small: _Made, script: str, words: str
) -> None:
    from install_contenders import Installer, Task, Way
    from install_run import Corpus, measure
    from measure import NotRealError

    way = Way(("sh", "-c", script, "SOURCE"))
    liar = Installer("liar", ("true",), way, way, layout="skillbag", lands=".skills")
    corpus = Corpus({"skillbag": str(small.folder)}, {"skillbag": str(small.repository)})
    with pytest.raises(NotRealError, match=words):
        measure(liar, Task.FOLDER, "", corpus, str(tmp_path))


def test_each_run_begins_without_what_an_earlier_one_left(tmp_path: Path, small: _Made) -> None:
    from install_contenders import Installer, Task, Way
    from install_run import Corpus, measure

    script = 'test ! -e ~/cache && test ! -e .skills && touch ~/cache && cp -r "$0/.skills" .'
    again = ("sh", "-c", "test -e ~/cache && test -e .skills")
    way = Way(("sh", "-c", script, "SOURCE"), again=again)
    clean = Installer("clean", ("true",), way, way, layout="skillbag", lands=".skills")
    corpus = Corpus({"skillbag": str(small.folder)}, {"skillbag": str(small.repository)})
    for task in (Task.FOLDER, Task.FOLDER, Task.FOLDER_AGAIN):
        measure(clean, task, "", corpus, str(tmp_path))


def test_the_table_compares_runs_of_the_same_round() -> None:
    from install_results import Series, as_markdown
    from measure import Run

    def series(name: str, *walls: float) -> Series:
        return Series(name, "folder", tuple(Run(wall, wall, 10.0, 0.0, others=0.5 * (wall > 9)) for wall in walls))

    table = as_markdown({"cores_used": 2}, [series("skillbag", 2.0, 4.0, 10.0), series("floor", 1.0, 1.0, 5.0)])
    assert "cores used: 2" in table
    assert "**1 runs were disturbed" in table
    assert "| folder | skillbag | 4.000 | 2.000 | 10.000 | 4.000 | 10.0 | 2.00 |  |" in table
    assert "| folder | floor | 1.000 | 1.000 | 5.000 | 1.000 | 10.0 |  | 0.50 |" in table
