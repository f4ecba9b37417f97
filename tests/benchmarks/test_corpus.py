"""The benchmark's corpora are what the benchmark says they are."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks.trees import contents
from tests.support import PROJECT

_MAKER = PROJECT / "benchmarks" / "corpus.py"
_SKILLS = 6
_LINK = re.compile(r"\[[^\]\n]+\]\(([^)\n]+)\)")


def _make(root: Path, skills: int = _SKILLS) -> Path:
    import corpus

    corpus.write_corpus(str(root), skills)
    return root


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    root = _make(tmp_path_factory.mktemp("corpus"))
    return sorted((root / "skills").iterdir())


def _one(folder: Path, kind: str) -> Path:
    (path,) = (folder / kind).iterdir()
    return path


def _anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_a_bigger_corpus_begins_with_the_smaller_one(tmp_path: Path) -> None:
    small, big = contents(_make(tmp_path / "small", 2)), contents(_make(tmp_path / "big", 3))
    assert small.items() < big.items()


def test_skills_are_numbered_from_one_and_no_two_files_are_equal(folders: list[Path]) -> None:
    assert [folder.name for folder in folders] == [f"skill-{number:05}" for number in range(1, _SKILLS + 1)]
    texts = [text for folder in folders for text, _ in contents(folder).values()]
    assert len(texts) == len(set(texts)) == 3 * _SKILLS


def test_front_matter_names_the_folder_and_says_when_to_use_it(folders: list[Path]) -> None:
    for folder in folders:
        front = (folder / "SKILL.md").read_text().split("---\n")[1]
        assert f"name: {folder.name}\n" in front
        assert re.search(r'^description: .*Use when .*\."?$', front, re.MULTILINE)


def test_each_body_has_40_links_of_every_kind_and_their_targets_exist(folders: list[Path]) -> None:
    for folder in folders:
        body = (folder / "SKILL.md").read_text().split("---\n", 2)[2]
        links = _LINK.findall(body)
        assert len(links) == 40
        kinds = {"https" if link.startswith("https://") else re.sub(r"[^/#]+", "", link) for link in links}
        assert kinds == {"https", "/", "/#", "#"}
        for link in links:
            if not link.startswith("https://"):
                path, _, anchor = link.partition("#")
                text = (folder / path).read_text() if path else body
                assert not anchor or anchor in _anchors(text), link


def test_references_have_headings_and_some_twenty_lines_of_prose(folders: list[Path]) -> None:
    for folder in folders:
        lines = _one(folder, "references").read_text().splitlines()
        assert sum(line.startswith("## ") for line in lines) == 6
        assert 18 <= sum(line.endswith(".") for line in lines) <= 26


def test_scripts_alternate_are_executable_and_run(folders: list[Path]) -> None:
    scripts = [_one(folder, "scripts") for folder in folders]
    assert [script.suffix for script in scripts] == [".py", ".sh"] * (_SKILLS // 2)
    for script in scripts:
        assert os.access(script, os.X_OK)
        text = script.read_text()
        if script.suffix == ".py":
            assert text.startswith("#!/usr/bin/env python3\n")
            compile(text, script.name, "exec")
            subprocess.run([sys.executable, script, "--help"], check=True, stdout=subprocess.DEVNULL)
        else:
            assert text.startswith("#!/bin/sh\n")
            subprocess.run(["bash", "-n", script], check=True)


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
