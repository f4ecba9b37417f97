"""`run --source`: one skill of any source is judged and printed, and nothing is installed."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import pytest

from tests.doors.cli.terminals import on_terminal
from tests.doors.cli.test_address_in_place_of_a_path import MALICE
from tests.rows import each_row
from tests.session.bags import context, parameters, skill_md
from tests.supply.install.worlds import ENTRYPOINT, skill_text, write
from tests.supply.sources.repositories import committed, git, make_repository
from tests.support import Run

pytestmark = pytest.mark.usefixtures("git_config")

TIDY = skill_md("tidy-up", "Tidies.", parameters("required:\n  - name: place", "Tidy {place} with scripts/work.sh."))
FILES = {"SKILL.md": TIDY, "scripts/work.sh": "ls\n"}
OTHER = {"skills/other/SKILL.md": skill_text("other")}


def under(folder: str) -> dict[str, str]:
    return {f"{folder}/{name}": text for name, text in FILES.items()}


FORMS = [
    ("git", under("skills/tidy-up") | OTHER, ""),
    ("git", under(".claude/skills/tidy-up"), ""),
    ("git", under("plugins/one/skills/tidy-up") | OTHER, ""),
    ("git", {"SKILLBAG.md": ENTRYPOINT, "AGENTS.md": "# Steps\n", **under(".skills/tidy-up")}, ""),
    ("zip", under("skills/tidy-up") | OTHER, ""),
    ("folder", under("skills/tidy-up") | OTHER, ""),
    ("folder", under("skills/named-otherwise"), ""),
    ("folder", under("skills/tidy-up") | OTHER, "/skills/tidy-up"),
    ("version", under("skills/tidy-up") | OTHER, "@v1"),
]


def address_of(form: str, folder: Path, files: dict[str, str]) -> str:
    if form == "git":
        return make_repository(folder / "repo.git", dict(files)).url
    if form == "zip":
        with zipfile.ZipFile(folder / "got.zip", "w") as packed:
            for name, text in files.items():
                packed.writestr(name, text)
        return str(folder / "got.zip")
    root = write(folder / "source", files)
    if form == "version":
        git(committed(root), "tag", "v1")
        write(root, {"skills/tidy-up/SKILL.md": skill_text("tidy-up", body="Later.")})
    return str(root)


@each_row(("form", "files", "more"), FORMS)
def test_the_skill_is_printed_with_its_files_and_nothing_is_written_here(
    tmp_path: Path, run: Run, form: str, files: dict[str, str], more: str
) -> None:
    here = write(tmp_path / "here", {"notes.md": "Nothing.\n"})
    address = address_of(form, tmp_path, files) + more
    done = run("run", "--source", address, "tidy_up", "--set", "place=docs", "--json", cwd=here)
    assert done.code == 0, done.err
    values = json.loads(done.out)
    assert "Tidy {place} with scripts/work.sh." in values["instructions"]
    assert [(item["name"], item["value"]) for item in values["parameters"]] == [("place", "docs")]
    (file,) = values["files"]
    assert Path(file).is_absolute()
    assert Path(file).read_text("utf-8") == "ls\n"
    assert "tidy-up of " in done.err
    assert "no signs of malware" in done.err
    assert "refuses" not in done.err
    assert os.listdir(here) == ["notes.md"]


def test_without_a_workspace_the_skills_in_the_folder_of_an_agent_are_run(tmp_path: Path, run: Run) -> None:
    here = write(tmp_path / "here", under(".claude/skills/tidy-up") | {"docs/a.md": ""})
    for folder in (here, here / "docs"):
        done = run("run", "tidy_up", "--set", "place=docs", cwd=folder)
        assert (done.code, "Tidy {place}" in done.out) == (0, True), done.err
    assert "did you mean `tidy-up`?" in run("run", "tidy", cwd=here).err
    assert "skillbag init makes one" in run("run", "tidy-up", cwd=tmp_path).err


def test_a_missing_value_is_a_question_and_a_workspace_around_gives_values(tmp_path: Path, run: Run) -> None:
    address = address_of("zip", tmp_path, under("skills/tidy-up"))
    assert run("run", "--source", address, "tidy-up", cwd=tmp_path).code == 3
    files = {"SKILLBAG.md": ENTRYPOINT, "CONTEXT.md": context("parameters: {tidy-up: {place: src}}")}
    done = run("run", "--source", address, "tidy-up", cwd=write(tmp_path / "w", files))
    assert (done.code, "place" in done.out, "src" in done.out) == (0, True, True)


@each_row(
    ("name", "code", "words"),
    [
        ("tidy", 2, "there is no skill `tidy`; it has `other`, `tidy-up`; did you mean `tidy-up`?"),
        ("zzzz", 2, "there is no skill `zzzz`; it has `other`, `tidy-up`"),
    ],
)
def test_an_unknown_skill_is_answered_with_those_that_are_there(
    tmp_path: Path, run: Run, name: str, code: int, words: str
) -> None:
    address = address_of("folder", tmp_path, under("skills/tidy-up") | OTHER)
    done = run("run", "--source", address, name, cwd=tmp_path)
    assert (done.code, done.out) == (code, "")
    assert words in " ".join(done.err.split())


def test_of_one_with_errors_about_security_nothing_is_printed_before_a_person_agrees(tmp_path: Path, run: Run) -> None:
    address = address_of("zip", tmp_path, MALICE)
    command = ("run", "--source", address, "tidy")
    done = run(*command, cwd=tmp_path)
    assert done.code == 3
    assert "tidy is withheld: skillbag check found an error about security in it: `scripts/setup.sh:3`" in done.out
    assert "the user leaves it; or reads these places" in done.out
    assert done.out.rstrip().endswith(f"skillbag run --source {address} tidy --accept secret-file-sent")
    assert "setup.sh` first" not in done.out
    assert on_terminal(tmp_path, *command, "--accept", "secret-file-sent").code == 0
    done = run(*command, cwd=tmp_path)
    assert (done.code, "Run `bash scripts/setup.sh` first." in done.out) == (0, True)
    assert "do not install it" in done.err


def test_what_can_not_be_fetched_is_said(tmp_path: Path, run: Run) -> None:
    assert run("run", "--source", "file:///nowhere.git", "tidy", cwd=tmp_path).code == 4
    assert run("run", "--source", "not an address", "tidy", cwd=tmp_path).code == 2
    for words in (("run", "tidy", "--source"), ("check",), ("capabilities",)):
        done = run(*words, "http://127.0.0.1:9/a.git", cwd=tmp_path)
        assert (done.code, "check the address and the network" in done.err) == (4, True)
        assert "--offline" not in done.err
