"""Skills of plain Agent Skills repositories: installed from git, zip and folder, then updated."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.supply.install.outcomes import checks, installed, lock_of, statuses, values_of
from tests.supply.install.plain_sources import PLAIN, addresses, messages, skills, take
from tests.supply.install.worlds import call, make_source, make_workspace, skill_text, snapshot, unchanged, write
from tests.supply.sources.repositories import git, make_repository
from tests.support import Run

pytestmark = pytest.mark.usefixtures("git_config")


SCHEMA = Path(__file__).parents[3] / "schemas" / "lock.schema.json"


def test_git_zip_and_folder_give_the_same_trees(tmp_path: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git", PLAIN, executable=["skills/tidy/scripts/tidy.sh"])
    trees = {}
    for kind, address in addresses(tmp_path, repo).items():
        workspace = make_workspace(tmp_path / kind)
        take(run, workspace, address, "--all", "--plain")
        assert installed(workspace) == ["dust", "mend", "sweep", "tidy"]
        assert (workspace / ".skills/tidy/scripts/tidy.sh").stat().st_mode & 0o100
        assert checks(run, workspace).code == 0
        lock = json.loads((workspace / "skillbag.lock").read_text("utf-8"))
        Draft202012Validator(json.loads(SCHEMA.read_text("utf-8"))).validate(lock)
        trees[kind] = {name: locked["tree"] for name, locked in lock["skills"].items()}
        assert {locked["layout"] for locked in lock["skills"].values()} == {"plain"}
    assert len({json.dumps(tree, sort_keys=True) for tree in trees.values()}) == 1


def test_only_skills_are_fetched_from_git(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBAG_CACHE_DIR", str(tmp_path / "cache"))
    repo = make_repository(tmp_path / "repo.git", PLAIN)
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
    take(run, make_workspace(tmp_path / "w"), repo.url, "tidy")
    (cached,) = (tmp_path / "cache/git").iterdir()
    known = git(cached, "cat-file", "--batch-all-objects", "--batch-check")
    assert repo.git("rev-parse", "main:skills/tidy/SKILL.md") in known
    assert repo.git("rev-parse", "main:src/large.bin") not in known
    assert repo.git("rev-parse", "main:README.md") not in known


@pytest.mark.parametrize("kind", ["git", "flat zip", "folder"])
def test_the_standards_dependencies_take_no_plain_skills(tmp_path: Path, run: Run, kind: str) -> None:
    repo = make_repository(tmp_path / "repo.git", skills("tidy"))
    address = str(addresses(tmp_path, repo)[kind])
    workspace = make_workspace(tmp_path / "w", [{"name": "tidy", "source": address, "version": "main"}])
    with unchanged(workspace):
        values = values_of(run, workspace, "install", code=1)
        assert "which are declared apart" in messages(values)


def test_for_a_source_without_skills_the_message_says_so(tmp_path: Path, run: Run) -> None:
    write(tmp_path / "notes", {"README.md": "Nothing.\n"})
    repo = make_repository(tmp_path / "repo.git", {"README.md": "Nothing.\n"})
    for address in (tmp_path / "notes", repo.url):
        values = take(run, make_workspace(tmp_path / "w"), address, "tidy", code=1)
        assert "no Agent Skills" in messages(values)


def test_a_skillbag_source_stays_one_and_is_held_to_its_rules(tmp_path: Path, workspace: Path, run: Run) -> None:
    source = make_source(tmp_path / "source", ["tidy"])
    write(source, skills("other"))
    take(run, workspace, source, "tidy")
    assert "layout" not in lock_of(workspace)["tidy"]
    values = take(run, workspace, source, "other", code=1)
    assert "there is no skill `other` in this source" in messages(values)
    (source / ".skills/SKILLS.md").unlink()
    take(run, make_workspace(tmp_path / "w2"), source, "tidy", code=1)


def test_a_skillbag_repository_that_is_asked_for_as_plain_is_fetched_as_what_it_is(tmp_path: Path, run: Run) -> None:
    folder = make_source(tmp_path / "source", ["tidy"])
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    repo = make_repository(tmp_path / "repo.git", files | skills("other"))
    for number, address in enumerate(addresses(tmp_path, repo).values()):
        workspace = make_workspace(tmp_path / f"w{number}")
        take(run, workspace, address, "tidy")
        assert "layout" not in lock_of(workspace)["tidy"]


def test_what_is_in_the_cache_as_a_source_is_not_taken_for_plain(tmp_path: Path, workspace: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git", PLAIN)
    for address in addresses(tmp_path, repo).values():
        declared = [{"name": "tidy", "source": str(address), "version": "main"}]
        assert call(run, make_workspace(workspace, declared), "install")[0] == 1
        values = values_of(run, workspace, "list", "--source", address, code=0)
        assert list(statuses(values)) == ["dust", "mend", "sweep", "tidy"]
        assert call(run, workspace, "install")[0] == 1


@pytest.mark.parametrize("layout", ["null", '"Plain"', "true", "[]"])
def test_a_lock_with_another_layout_is_refused(tmp_path: Path, workspace: Path, run: Run, layout: str) -> None:
    take(run, workspace, write(tmp_path / "plain", skills("tidy")), "tidy")
    lock = workspace / "skillbag.lock"
    lock.write_text(lock.read_text("utf-8").replace('"layout": "plain"', f'"layout": {layout}'), "utf-8")
    values = values_of(run, workspace, "install", code=2)
    assert "layout" in json.dumps(values)


LINES = "".join(f"Line {number}.\n\n" for number in range(12))


def test_after_a_new_commit_update_takes_it_without_plain(tmp_path: Path, workspace: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git", skills(tidy="One."))
    take(run, workspace, repo.url, "tidy")
    assert statuses(call(run, workspace, "outdated")[1]) == {"tidy": "current"}
    second = repo.commit(skills(tidy="Two."))
    assert statuses(call(run, workspace, "outdated")[1]) == {"tidy": "outdated"}
    _, values = call(run, workspace, "diff", "tidy", "--upstream")
    assert "+Two." in values["text"]
    code, values = call(run, workspace, "update", "--yes")
    assert (code, statuses(values)) == (0, {"tidy": "upgraded"})
    assert "Two." in (workspace / ".skills/tidy/SKILL.md").read_text("utf-8")
    assert lock_of(workspace)["tidy"]["resolved"] == second
    assert lock_of(workspace)["tidy"]["layout"] == "plain"
    assert call(run, workspace, "verify")[0] == 0


def test_what_has_gone_or_become_invalid_upstream_is_not_taken(tmp_path: Path, workspace: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git", skills("tidy", "sweep"))
    take(run, workspace, repo.url, "tidy", "sweep")
    repo.commit({**skills("sweep"), "skills/tidy/SKILL.md": "---\nname: tidy\n---\n"})
    with unchanged(workspace / ".skills"):
        assert call(run, workspace, "update", "--yes")[0] == 1
        repo.commit(skills("sweep"))
        assert statuses(call(run, workspace, "outdated")[1]) == {"sweep": "current", "tidy": "outdated"}
        assert call(run, workspace, "update", "--yes")[0] == 1


def test_a_repository_may_become_a_skillbag_source(tmp_path: Path, workspace: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git", skills(tidy="One."))
    take(run, workspace, repo.url, "tidy")
    folder = make_source(tmp_path / "source", {"tidy": skill_text("tidy", body="Two.")})
    repo.commit({str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()})
    assert call(run, workspace, "update", "--yes")[0] == 0
    assert "layout" not in lock_of(workspace)["tidy"]


def test_local_edits_are_kept_overwritten_or_merged(tmp_path: Path, workspace: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git", skills(tidy=LINES))
    take(run, workspace, repo.url, "tidy")
    file = workspace / ".skills/tidy/SKILL.md"
    file.write_text(file.read_text("utf-8") + "\nMine.\n", "utf-8")
    repo.commit(skills(tidy=LINES.replace("Line 0.", "Line nought.")))
    assert statuses(call(run, workspace, "update", "--yes")[1]) == {"tidy": "edited"}
    assert file.read_text("utf-8").endswith("Mine.\n")
    code, values = call(run, workspace, "update", "--merge", "tidy", "--yes")
    assert (code, statuses(values)) == (0, {"tidy": "merged"})
    assert "Line nought." in file.read_text("utf-8")
    assert file.read_text("utf-8").endswith("Mine.\n")
    assert lock_of(workspace)["tidy"]["layout"] == "plain"
    code, values = call(run, workspace, "install", "--overwrite", "tidy")
    assert (code, statuses(values)) == (0, {"tidy": "overwritten"})
    assert "Mine." not in file.read_text("utf-8")
    assert values["backups"]


def test_a_frozen_install_restores_what_the_lock_says(tmp_path: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git", skills(tidy="One."))
    for address in addresses(tmp_path, repo).values():
        workspace = make_workspace(tmp_path / "w")
        take(run, workspace, address, "tidy")
        before = (workspace / "skillbag.lock").read_bytes()
        shutil.rmtree(workspace / ".skills/tidy")
        assert call(run, workspace, "install", "--frozen")[0] == 0
        assert installed(workspace) == ["tidy"]
        shutil.rmtree(workspace / ".skills/tidy")
        assert call(run, workspace, "install")[0] == 0
        assert (workspace / "skillbag.lock").read_bytes() == before
        shutil.rmtree(workspace)


def test_one_invalid_skill_stops_all_that_are_asked_for(tmp_path: Path, workspace: Path, run: Run) -> None:
    folder = write(
        tmp_path / "plain", {**skills("tidy", "sweep"), "skills/bad/SKILL.md": "---\nname: bad\n---\n\nX.\n"}
    )
    before = snapshot(workspace)
    for names in (["tidy", "bad"], ["--all"]):
        values = take(run, workspace, folder, *names, code=1)
        assert "skills/bad/SKILL.md" in messages(values)
        assert snapshot(workspace) == before
    take(run, workspace, folder, "tidy", "sweep")
    assert installed(workspace) == ["sweep", "tidy"]


def test_keys_of_vendors_are_no_fault(tmp_path: Path, run: Run) -> None:
    text = skill_text("tidy").replace(
        "---\n\n#", "model: opus\nallowed-tools: Read, Bash(git:*)\ncontext: fork\n---\n\n#"
    )
    assert "model" in text
    take(run, make_workspace(tmp_path / "w"), write(tmp_path / "plain", {"skills/tidy/SKILL.md": text}), "tidy")
