"""Hostile plain repositories: nothing of them is written, whichever way they come."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path

import pytest

from skillbag.supply.sources import git_unpack
from skillbag.supply.sources.agent_skills_layout import plain_parts
from skillbag.supply.sources.entry import EntryKind
from tests.rows import each_row
from tests.sampling import sample
from tests.supply.install.outcomes import installed
from tests.supply.install.worlds import call, make_workspace, skill_text, snapshot, write
from tests.supply.sources.repositories import Entry, Repository, make_repository
from tests.supply.sources.zips import Packed, link, pack
from tests.support import Run

pytestmark = pytest.mark.usefixtures("git_config")

TIDY = skill_text("tidy")


def refused(run: Run, tmp_path: Path, source: object, *names: str) -> str:
    """The problems of a source of which nothing is taken; the workspace stays as it was."""
    workspace = make_workspace(tmp_path / "w")
    (tmp_path / "secret.txt").write_text("secret\n", "utf-8")
    before = snapshot(workspace)
    code, values = call(run, workspace, "install", *(names or ["tidy"]), "--source", source)
    assert code == 1, values
    assert snapshot(workspace) == before
    return json.dumps(values["problems"], ensure_ascii=False)


def as_folder(tmp_path: Path, files: Mapping[str, str]) -> str:
    """A folder with these files; a value `-> target` makes a link."""
    for name, text in files.items():
        path = tmp_path / "plain" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("-> "):
            path.symlink_to(text[3:])
        else:
            path.write_text(text, "utf-8")
    return str(tmp_path / "plain")


def as_git(tmp_path: Path, files: Mapping[str, str]) -> str:
    """A git repository with these files and links."""
    return make_repository(tmp_path / "repo.git", files).url


def as_zip(tmp_path: Path, files: Mapping[str, str]) -> str:
    """A zip with these files and links."""
    links = [link(name, text[3:]) for name, text in files.items() if text.startswith("-> ")]
    plain = [Packed(name, text.encode()) for name, text in files.items() if not text.startswith("-> ")]
    (tmp_path / "plain.zip").write_bytes(pack([*plain, *links]))
    return str(tmp_path / "plain.zip")


Make = Callable[[Path, Mapping[str, str]], str]
MAKES = (as_folder, as_git, as_zip)
KINDS = pytest.mark.parametrize("make", MAKES)

LINKS = {
    "out of the source": ("skills/tidy/notes.txt", "../../../secret.txt"),
    "to another skill": ("skills/tidy/notes.txt", "../sweep/SKILL.md"),
    "to the root of the source": ("skills/tidy/notes.txt", "../../README.md"),
    "to an absolute path": ("skills/tidy/notes.txt", "/etc/hostname"),
    "from an inner folder": ("skills/tidy/references/deep/x.md", "../../../sweep/SKILL.md"),
    "to its own folder's parent": ("skills/tidy/all", ".."),
}


@each_row(("make", "place"), sample("link", product(MAKES, LINKS), 9))
def test_a_link_that_leaves_its_skill_is_refused(tmp_path: Path, run: Run, make: Make, place: str) -> None:
    path, target = LINKS[place]
    files = {"README.md": "x\n", "skills/tidy/SKILL.md": TIDY, "skills/sweep/SKILL.md": skill_text("sweep")}
    assert path in refused(run, tmp_path, make(tmp_path, {**files, path: f"-> {target}"}))


@KINDS
def test_a_link_in_place_of_the_text_of_a_skill_is_refused(tmp_path: Path, run: Run, make: Make) -> None:
    files = {"shared/tidy.md": TIDY, "skills/tidy/SKILL.md": "-> ../../shared/tidy.md"}
    assert "skills/tidy/SKILL.md" in refused(run, tmp_path, make(tmp_path, files))


@KINDS
def test_links_in_two_steps_out_of_a_skill_are_refused(tmp_path: Path, run: Run, make: Make) -> None:
    files = {
        "skills/tidy/SKILL.md": TIDY,
        "skills/tidy/a/file.txt": "x",
        "skills/tidy/a/up": "-> ..",
        "skills/tidy/out": "-> a/up/../x",
    }
    assert "skills/tidy/out" in refused(run, tmp_path, make(tmp_path, files))


def test_a_link_by_way_of_an_unchecked_folder_is_refused(tmp_path: Path, run: Run) -> None:
    files = {"skills/tidy/SKILL.md": TIDY, "skills/tidy/node_modules/up": "-> ../../../.."}
    files["skills/tidy/x"] = "-> node_modules/up/secret.txt"
    assert "skills/tidy/x" in refused(run, tmp_path, as_folder(tmp_path, files))


@KINDS
def test_a_link_within_a_skill_is_taken_as_it_is(tmp_path: Path, workspace: Path, run: Run, make: Make) -> None:
    files = {"skills/tidy/SKILL.md": TIDY, "skills/tidy/a/b.txt": "b", "skills/tidy/c.txt": "-> a/b.txt"}
    assert call(run, workspace, "install", "tidy", "--source", make(tmp_path, files))[0] == 0
    assert os.readlink(workspace / ".skills/tidy/c.txt") == "a/b.txt"


@KINDS
def test_a_skill_that_is_a_link_out_of_the_source_is_none(tmp_path: Path, run: Run, make: Make) -> None:
    write(tmp_path / "beyond/tidy", {"SKILL.md": TIDY})
    files = {"skills/sweep/SKILL.md": skill_text("sweep"), "skills/tidy": f"-> {tmp_path}/beyond/tidy"}
    assert "tidy" in refused(run, tmp_path, make(tmp_path, files))


NAMES = {
    "of git's own folder": "skills/tidy/.GIT/config",
    "kept for a device": "skills/tidy/aux.txt",
    "with a colon": "skills/tidy/a:b.txt",
    "that ends with a dot": "skills/tidy/a.",
    "that is another but for case": "skills/tidy/skill.MD",
    "of an alternate form": "skills/tidy/ma\u0301rk.txt",
}


@each_row(("make", "kind"), sample("name", product(MAKES, NAMES), 9))
def test_names_that_are_something_else_elsewhere_are_refused(tmp_path: Path, run: Run, make: Make, kind: str) -> None:
    files = {"skills/tidy/SKILL.md": TIDY, "skills/tidy/m\u00e1rk.txt": "x\n", NAMES[kind]: "x\n"}
    assert "skills/tidy/" in refused(run, tmp_path, make(tmp_path, files))


@pytest.mark.parametrize("name", ["../skills/tidy/SKILL.md", "/skills/tidy/SKILL.md", "skills\\tidy\\SKILL.md"])
def test_an_archive_that_climbs_is_refused(tmp_path: Path, run: Run, name: str) -> None:
    path = tmp_path / "plain.zip"
    path.write_bytes(pack([Packed("skills/tidy/SKILL.md", TIDY.encode()), Packed(name, b"x")]))
    refused(run, tmp_path, path)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path, run: Run) -> None:
    folder = write(tmp_path / "plain", {"skills/tidy/SKILL.md": TIDY})
    with open(folder / "skills/tidy/huge.bin", "wb") as file:
        file.truncate((64 << 20) + 1)
    assert "huge.bin" in refused(run, tmp_path, folder)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_in_a_skill_is_refused(tmp_path: Path, run: Run) -> None:
    folder = write(tmp_path / "plain", {"skills/tidy/SKILL.md": TIDY})
    os.mkfifo(folder / "skills/tidy/pipe")
    assert "named pipe" in refused(run, tmp_path, folder)


def hostile_tree(repo: Repository, *entries: Entry) -> Repository:
    """The repository with `skills/tidy` that holds these entries beside its `SKILL.md`."""
    text = Entry("100644", "SKILL.md", repo.blob(TIDY.encode()))
    tidy = repo.tree(*sorted((text, *entries), key=lambda entry: os.fsencode(entry.name)))
    skills = repo.tree(Entry("40000", "tidy", tidy))
    repo.point("main", repo.tree(Entry("40000", "skills", skills)))
    return repo


@pytest.mark.parametrize("name", ["..", ".git", "a\\b", "\x1b[2J"])
def test_a_tree_of_git_with_a_hostile_name_is_refused(tmp_path: Path, run: Run, name: str) -> None:
    repo = make_repository(tmp_path / "repo.git")
    refused(run, tmp_path, hostile_tree(repo, Entry("100644", name, repo.blob(b"x"))).url)


def test_a_submodule_in_a_skill_is_refused_and_one_beside_it_is_not(tmp_path: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git")
    module = Entry("160000", "module", "1" * 40)
    assert "submodule" in refused(run, tmp_path, hostile_tree(repo, module).url)
    repo = hostile_tree(make_repository(tmp_path / "other.git"))
    skills = Entry("40000", "skills", repo.git("rev-parse", "main:skills"))
    link = Entry("120000", "abroad", repo.blob(b"/etc/hostname"))
    repo.point("main", repo.tree(link, module, skills))
    assert call(run, tmp_path / "w", "install", "tidy", "--source", repo.url)[0] == 0
    assert installed(tmp_path / "w") == ["tidy"]


def test_a_tree_that_multiplies_itself_is_refused(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_unpack, "MAX_LISTED", 10_000)
    repo = make_repository(tmp_path / "repo.git")
    tree = repo.tree(*(Entry("100644", f"f{number:03}", repo.blob(b"x")) for number in range(3)))
    for _ in range(12):
        tree = repo.tree(*(Entry("40000", f"d{number:03}", tree) for number in range(60)))
    repo.point("main", repo.tree(Entry("40000", "skills", tree)))
    assert "more than 10,000" in refused(run, tmp_path, repo.url)


@pytest.mark.parametrize("name", ["../../evil", "/etc", "Tidy", "a--b", "x" * 65, "tidy\u202e"])
def test_a_declared_name_that_no_skill_can_have_is_refused(tmp_path: Path, run: Run, name: str) -> None:
    text = TIDY.replace("name: tidy", f'name: "{name}"')
    reported = refused(run, tmp_path, write(tmp_path / "plain", {"skills/tidy/SKILL.md": text}))
    assert "skills/tidy/SKILL.md" in reported


def test_a_description_that_hides_something_is_refused(tmp_path: Path, run: Run) -> None:
    text = TIDY.replace("Tidy a folder.", "Tidy \u202ea folder.")
    reported = refused(run, tmp_path, write(tmp_path / "plain", {"skills/tidy/SKILL.md": text}))
    assert "U+202E" in reported


@KINDS
def test_the_target_of_a_link_is_reported_at_its_own_path(tmp_path: Path, run: Run, make: Make) -> None:
    files = {"source/tidy/SKILL.md": "---\nname: tidy\n---\n", "skills/tidy": "-> ../source/tidy"}
    assert "source/tidy/SKILL.md" in refused(run, tmp_path, make(tmp_path, files))


def test_many_skills_are_checked_at_once(tmp_path: Path, run: Run) -> None:
    files: dict[str, str | bytes] = {f"skills/s-{number}/SKILL.md": skill_text(f"s-{number}") for number in range(600)}
    folder = write(tmp_path / "plain", {**files, "skills/s-599/SKILL.md": "---\nname: s-599\n---\n"})
    assert "skills/s-599/SKILL.md" in refused(run, tmp_path, folder, "--all")


def test_a_bad_neighbour_does_not_block_the_others(tmp_path: Path, workspace: Path, run: Run) -> None:
    files: dict[str, str | bytes] = {f"skills/bad-{number}/SKILL.md": "---\n: [\n---\n" for number in range(300)}
    folder = write(tmp_path / "plain", {**files, "skills/tidy/SKILL.md": TIDY})
    assert call(run, workspace, "install", "tidy", "--source", folder)[0] == 0
    code, values = call(run, workspace, "install", "bad-7", "--source", folder)
    assert code == 1
    assert {problem["path"] for problem in values["problems"]} == {"skills/bad-7/SKILL.md"}


@pytest.mark.parametrize(("make", "place"), sample("neighbour", product(MAKES, LINKS), 6))
def test_a_bad_link_in_a_neighbour_does_not_block_the_others(
    tmp_path: Path, workspace: Path, run: Run, make: Make, place: str
) -> None:
    path, target = LINKS[place]
    files = {"README.md": "x\n", "skills/tidy/SKILL.md": TIDY, "skills/sweep/SKILL.md": skill_text("sweep")}
    source = make(tmp_path, {**files, path: f"-> {target}"})
    code, values = call(run, workspace, "list", "--source", source)
    assert (code, [row["name"] for row in values["skills"]]) == (0, ["sweep"])
    assert any(note.startswith("skills/tidy can't be installed: ") for note in values["notes"])
    # Twice: the second run finds the refused skills recorded in the cache.
    for _ in range(2):
        code, values = call(run, workspace, "install", "--all", "--source", source)
        assert (code, (workspace / ".skills").exists()) == (1, False)
        assert {problem["path"] for problem in values["problems"]} == {"skills/tidy"}
    assert call(run, workspace, "install", "--all", "--source", source, "--accept=failures")[0] == 1
    assert installed(workspace) == ["sweep"]
    assert call(run, workspace, "install", "--frozen")[0] == 0


@KINDS
def test_a_skill_around_one_with_a_bad_link_is_refused_with_it(tmp_path: Path, run: Run, make: Make) -> None:
    files = {"skills/house/tidy/SKILL.md": TIDY, "skills/house/tidy/skills/mop/SKILL.md": skill_text("mop")}
    files |= {"skills/house/tidy/skills/mop/x": "-> /etc/hostname", "skills/sweep/SKILL.md": skill_text("sweep")}
    source = make(tmp_path, files)
    reported = refused(run, tmp_path, source, "tidy", "mop")
    assert "skills/house/tidy/skills/mop/x" in reported
    assert call(run, tmp_path / "w", "install", "sweep", "--source", source)[0] == 0


@KINDS
def test_a_repository_that_is_a_skill_with_a_bad_link_is_refused(tmp_path: Path, run: Run, make: Make) -> None:
    files = {"SKILL.md": TIDY, "x": "-> /etc/hostname", ".skillbag-refused.json": "[]"}
    assert "absolute path" in refused(run, tmp_path, make(tmp_path, files))


def test_folders_of_other_programs_are_no_place_for_skills(tmp_path: Path, run: Run) -> None:
    files = {
        "skills/sweep/SKILL.md": skill_text("sweep"),
        "node_modules/x/skills/tidy/SKILL.md": TIDY,
        "node_modules/x/skills/tidy/a:b.txt": "x\n",
    }
    for make in MAKES:
        source = make(tmp_path, files)
        assert "there is no skill `tidy`" in refused(run, tmp_path, source)
        workspace = make_workspace(tmp_path / make.__name__)
        assert call(run, workspace, "install", "sweep", "--source", source)[0] == 0


@pytest.mark.parametrize("make", [as_folder, as_git])
def test_a_link_in_a_folder_of_other_programs_is_ignored(tmp_path: Path, workspace: Path, run: Run, make: Make) -> None:
    source = make(tmp_path, {"skills/sweep/SKILL.md": skill_text("sweep"), "node_modules/x/skills/up": "-> /etc"})
    assert call(run, workspace, "install", "sweep", "--source", source)[0] == 0


def test_one_skill_within_another_is_taken_whole(tmp_path: Path, run: Run) -> None:
    files = {"skills/house/tidy/SKILL.md": TIDY, "skills/house/tidy/skills/sweep/SKILL.md": skill_text("sweep")}
    for make in MAKES:
        workspace = make_workspace(tmp_path / make.__name__)
        code, values = call(run, workspace, "install", "--all", "--source", make(tmp_path, files))
        assert code == 0, values
        assert installed(workspace) == ["sweep", "tidy"]
        assert (workspace / ".skills/tidy/skills/sweep/SKILL.md").is_file()


def test_an_absolute_path_lies_in_no_skill() -> None:
    parts = plain_parts([("skills/a/SKILL.md", EntryKind.FILE), ("/etc/evil", EntryKind.FILE)])
    assert not parts.taken("/etc/evil")
    assert parts.taken("skills/a/x")
