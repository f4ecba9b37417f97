"""The benchmark's corpora are what the benchmark says they are."""

import os
import re
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from tests.benchmarks.trees import contents
from tests.rows import each_row
from tests.support import PROJECT, Run

_MAKER = PROJECT / "benchmarks" / "corpus.py"
_SKILLS = 240
_LINK = re.compile(r"\[[^\]\n]+\]\(([^)\n]+)\)")


def _make(root: Path, skills: int = _SKILLS) -> Path:
    import corpus

    corpus.write_corpus(str(root), skills)
    return root


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    root = _make(tmp_path_factory.mktemp("corpus"))
    return sorted((root / "skills").iterdir())


def _anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_a_bigger_corpus_begins_with_the_smaller_one(tmp_path: Path) -> None:
    small, big = contents(_make(tmp_path / "small", 2)), contents(_make(tmp_path / "big", 3))
    assert small.items() < big.items()


def test_skills_are_numbered_from_one_and_no_two_files_are_equal(folders: list[Path]) -> None:
    assert [folder.name for folder in folders] == [f"skill-{number:05}" for number in range(1, _SKILLS + 1)]
    texts = [text for folder in folders for text, _ in contents(folder).values()]
    assert len(set(texts)) == len(texts) > 1.5 * _SKILLS


def test_front_matter_names_the_folder_and_says_when_to_use_it(folders: list[Path]) -> None:
    for folder in folders:
        front = (folder / "SKILL.md").read_text().split("---\n")[1]
        assert f"name: {folder.name}\n" in front
        assert re.search(r'^description: .*Use when .*\."?$', front, re.MULTILINE)


def test_links_of_every_kind_lead_to_what_exists(folders: list[Path]) -> None:
    kinds = set()
    for text in (path for folder in folders for path in folder.rglob("*.md")):
        body = text.read_text("utf-8")
        for link in _LINK.findall(body):
            kinds.add("https" if link.startswith("https://") else re.sub(r"[^/#]+", "", link))
            if not link.startswith("https://"):
                path, _, anchor = link.partition("#")
                target = (text.parent / path).read_text("utf-8") if path else body
                assert not anchor or anchor in _anchors(target), link
    assert kinds >= {"https", "/", "#"}


def test_scripts_are_executable_and_run(folders: list[Path]) -> None:
    scripts = [script for folder in folders for script in folder.glob("scripts/*")]
    assert all(os.access(script, os.X_OK) for script in scripts)
    programs = [script for script in scripts if script.suffix == ".py"]
    for program in programs:
        compile(program.read_text("utf-8"), program.name, "exec")
    small = min(programs, key=lambda program: program.stat().st_size)
    subprocess.run([sys.executable, str(small)], input=b"one\ntwo\n", check=True, stdout=subprocess.DEVNULL)


@each_row("length", [300, 2000, 8000])
def test_programs_are_as_long_as_is_asked_for_and_correct(length: int) -> None:
    import programs

    for make, check in ((programs.python_program, None), (programs.shell_program, ["bash", "-n"])):
        text = make(Random(length), "Sort the list", length, ["@one", "@two"])
        assert text.count("@") >= 2
        assert length - 400 < len(text) < length + 800
        if check:
            subprocess.run(check, input=text.encode(), check=True)
        else:
            compile(text, "program", "exec")


def test_generated_skills_are_without_a_finding(folders: list[Path], run: Run) -> None:
    done = run(
        "check", "--config=cache=false", "--strict", "--ignore", "listing-over-budget", str(folders[0].parent.parent)
    )
    assert (done.code, f"({_SKILLS} skills" in done.out) == (0, True), done.out


def test_many_skills_are_the_same_as_a_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import corpus

    few = contents(_make(tmp_path / "few", 12))
    monkeypatch.setattr(corpus, "_MANY", 10)
    assert contents(_make(tmp_path / "many", 12)) == few


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    done = subprocess.run([sys.executable, _MAKER, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "not empty" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_workspace_is_the_same_each_time_clean_and_has_a_catalog_of_every_skill(tmp_path: Path) -> None:
    import corpus

    for name in ("first", "second"):
        corpus.write_workspace(str(tmp_path / name), 3)
    assert contents(tmp_path / "first") == contents(tmp_path / "second")
    names = [line.split(": ")[0] for line in (tmp_path / "first/.skills/SKILLS.md").read_text().splitlines()]
    assert names == ["skill-00001", "skill-00002", "skill-00003", "skillbag-get-skills"]
    command = [sys.executable, "-m", "skillbag", "check", "--strict", str(tmp_path / "first")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, "(4 skills" in done.stdout) == (0, True), done.stdout
