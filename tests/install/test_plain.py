"""`skillbag install --plain`: skills of plain Agent Skills repositories, from git, zip and folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.install.worlds import (
    AGENTS,
    call,
    checks,
    installed,
    lock_of,
    make_source,
    make_workspace,
    skill_text,
    snapshot,
    statuses,
    write,
)
from tests.sources.repositories import Repository, git, make_repository
from tests.support import CORPUS, Run

pytestmark = pytest.mark.usefixtures("git_config")

SCHEMA = Path(__file__).parents[2] / "schemas" / "lock.schema.json"
LINES = "".join(f"Line {number}.\n\n" for number in range(12))


def skills(*names: str, root: str = "skills", **bodies: str) -> dict[str, str | bytes]:
    """The files of skills below a skills root: by name, or with a body."""
    texts = {name: skill_text(name) for name in names} | {
        name: skill_text(name, body=body) for name, body in bodies.items()
    }
    return {f"{root}/{name}/SKILL.md": text for name, text in texts.items()}


PLAIN: Mapping[str, str | bytes] = {
    "README.md": "Skills for everybody.\n",
    "AGENTS.md": "How to work on this repository: run `make ready` first.\n",
    "src/large.bin": b"\0" * 5000,
    ".claude-plugin/marketplace.json": "{}\n",
    **skills("tidy", "sweep"),
    "skills/tidy/scripts/tidy.sh": "#!/bin/sh\necho tidy\n",
    **skills("mend", root=".claude/skills"),
    **skills("dust", root="skills/house"),
}
"""A repository with skills in three roots, beside what is none of theirs."""


def addresses(tmp_path: Path, repo: Repository) -> dict[str, str]:
    """The content of a repository as git, as two kinds of zip, and as a folder."""
    folder = tmp_path / "as-folder"
    git(tmp_path, "clone", "--quiet", str(repo.path), str(folder))
    repo.git("archive", "--format=zip", "-o", str(tmp_path / "flat.zip"), "main")
    repo.git("archive", "--format=zip", "--prefix=repo-main/", "-o", str(tmp_path / "top.zip"), "main")
    return {
        "git": repo.url,
        "flat zip": str(tmp_path / "flat.zip"),
        "zip with a top folder": str(tmp_path / "top.zip"),
        "folder": str(folder),
    }


def take(run: Run, workspace: Path, source: object, *names: str, code: int = 0) -> dict[str, Any]:
    """Install from a plain repository, which ends with this exit code."""
    found, values = call(run, workspace, "install", *names, "--source", source, "--plain")
    assert found == code, values
    return values


def messages(values: Mapping[str, object]) -> str:
    """All that the problems say."""
    return json.dumps(values["problems"], ensure_ascii=False)


def test_git_zip_and_folder_give_the_same_trees(tmp_path: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git", PLAIN, executable=["skills/tidy/scripts/tidy.sh"])
    trees = {}
    for kind, address in addresses(tmp_path, repo).items():
        workspace = make_workspace(tmp_path / kind)
        take(run, workspace, address, "--all")
        assert installed(workspace) == ["dust", "mend", "sweep", "tidy"]
        assert (workspace / ".skills/tidy/scripts/tidy.sh").stat().st_mode & 0o100
        assert checks(run, workspace).code == 0
        lock = json.loads((workspace / "skillbag.lock").read_text("utf-8"))
        Draft202012Validator(json.loads(SCHEMA.read_text("utf-8"))).validate(lock)
        trees[kind] = {name: locked["tree"] for name, locked in lock["skills"].items()}
        assert {locked["layout"] for locked in lock["skills"].values()} == {"plain"}
    assert len({json.dumps(tree, sort_keys=True) for tree in trees.values()}) == 1


def test_of_a_git_repository_only_the_skills_are_fetched(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
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
def test_without_plain_it_is_refused_and_told_that_there_is_plain(tmp_path: Path, run: Run, kind: str) -> None:
    repo = make_repository(tmp_path / "repo.git", skills("tidy"))
    address = addresses(tmp_path, repo)[kind]
    workspace = make_workspace(tmp_path / "w")
    before = snapshot(workspace)
    code, values = call(run, workspace, "install", "tidy", "--source", address)
    assert code == 1
    assert "--plain takes them" in messages(values)
    assert snapshot(workspace) == before
    code, values = call(run, workspace, "install", "--all", "--source", address)
    assert code != 0
    assert "--plain takes them" in json.dumps(values)


def test_a_repository_with_agents_of_its_own_is_told_of_plain_too(tmp_path: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git", PLAIN)
    code, values = call(run, make_workspace(tmp_path / "w"), "install", "tidy", "--source", repo.url)
    assert code == 1
    assert "--plain takes them" in messages(values)


def test_a_source_without_plain_skills_is_told_of_nothing(tmp_path: Path, run: Run) -> None:
    write(tmp_path / "notes", {"README.md": "Nothing.\n"})
    repo = make_repository(tmp_path / "repo.git", {"README.md": "Nothing.\n"})
    for address in (tmp_path / "notes", repo.url):
        code, values = call(run, make_workspace(tmp_path / "w"), "install", "tidy", "--source", address)
        assert code == 1
        assert "--plain" not in messages(values)
        values = take(run, tmp_path / "w", address, "tidy", code=1)
        assert "no Agent Skills" in messages(values)


def test_a_skillbag_source_stays_one_and_is_held_to_its_rules(tmp_path: Path, run: Run) -> None:
    source = make_source(tmp_path / "source", ["tidy"])
    write(source, skills("other"))
    workspace = make_workspace(tmp_path / "w")
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


def test_what_is_in_the_cache_as_a_source_is_not_taken_for_plain(tmp_path: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git", PLAIN)
    workspace = make_workspace(tmp_path / "w")
    for address in addresses(tmp_path, repo).values():
        for options in ([], ["--plain"], []):
            code, values = call(run, workspace, "list", "--source", address, *options)
            assert code == 0
            assert list(statuses(values)) == (["dust", "mend", "sweep", "tidy"] if options else [])
            assert bool(values["notes"]) is not bool(options)


def test_locks_of_skillbag_sources_have_no_layout(tmp_path: Path, run: Run) -> None:
    workspace = make_workspace(tmp_path / "w")
    assert call(run, workspace, "install", "tidy", "--source", make_source(tmp_path / "s", ["tidy"]))[0] == 0
    expected = ["asked_by", "executable", "kind", "requested", "resolved", "source", "tree"]
    assert sorted(lock_of(workspace)["tidy"]) == expected


@pytest.mark.parametrize("layout", ["null", '"Plain"', "true", "[]"])
def test_a_lock_with_another_layout_is_refused(tmp_path: Path, run: Run, layout: str) -> None:
    workspace = make_workspace(tmp_path / "w")
    take(run, workspace, write(tmp_path / "plain", skills("tidy")), "tidy")
    lock = workspace / "skillbag.lock"
    lock.write_text(lock.read_text("utf-8").replace('"layout": "plain"', f'"layout": {layout}'), "utf-8")
    code, values = call(run, workspace, "install")
    assert code == 2
    assert "layout" in json.dumps(values)


def test_after_a_new_commit_update_takes_it_without_plain(tmp_path: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git", skills(tidy="One."))
    workspace = make_workspace(tmp_path / "w")
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


def test_what_has_gone_or_become_invalid_upstream_is_not_taken(tmp_path: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git", skills("tidy", "sweep"))
    workspace = make_workspace(tmp_path / "w")
    take(run, workspace, repo.url, "tidy", "sweep")
    repo.commit({**skills("sweep"), "skills/tidy/SKILL.md": "---\nname: tidy\n---\n"})
    before = snapshot(workspace / ".skills")
    assert call(run, workspace, "update", "--yes")[0] == 1
    repo.commit(skills("sweep"))
    assert statuses(call(run, workspace, "outdated")[1]) == {"sweep": "current", "tidy": "outdated"}
    assert call(run, workspace, "update", "--yes")[0] == 1
    assert snapshot(workspace / ".skills") == before


def test_a_repository_that_becomes_a_skillbag_source_is_one_from_then_on(tmp_path: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git", skills(tidy="One."))
    workspace = make_workspace(tmp_path / "w")
    take(run, workspace, repo.url, "tidy")
    folder = make_source(tmp_path / "source", {"tidy": skill_text("tidy", body="Two.")})
    repo.commit({str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()})
    assert call(run, workspace, "update", "--yes")[0] == 0
    assert "layout" not in lock_of(workspace)["tidy"]


def test_local_edits_are_kept_overwritten_or_merged(tmp_path: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git", skills(tidy=LINES))
    workspace = make_workspace(tmp_path / "w")
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


def test_a_folder_that_has_moved_on_is_drift_when_frozen(tmp_path: Path, run: Run) -> None:
    folder = write(tmp_path / "plain", skills(tidy="One."))
    workspace = make_workspace(tmp_path / "w")
    take(run, workspace, folder, "tidy")
    shutil.rmtree(workspace / ".skills/tidy")
    write(folder, skills(tidy="Two."))
    assert call(run, workspace, "install", "--frozen")[0] == 1
    assert installed(workspace) == []


def test_one_invalid_skill_stops_all_that_are_asked_for(tmp_path: Path, run: Run) -> None:
    folder = write(
        tmp_path / "plain", {**skills("tidy", "sweep"), "skills/bad/SKILL.md": "---\nname: bad\n---\n\nX.\n"}
    )
    workspace = make_workspace(tmp_path / "w")
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


def test_a_skill_is_installed_under_the_name_that_it_declares(tmp_path: Path, run: Run) -> None:
    files = {"skills/Tidy_Up/SKILL.md": skill_text("tidy"), "skills/tidy-old/SKILL.md": skill_text("sweep")}
    repo = make_repository(tmp_path / "repo.git", files)
    for number, address in enumerate(addresses(tmp_path, repo).values()):
        workspace = make_workspace(tmp_path / f"w{number}")
        values = take(run, workspace, address, "tidy-old", code=1)
        assert "The folder `tidy-old` holds the skill `sweep`." in messages(values)
        take(run, workspace, address, "--all")
        assert installed(workspace) == ["sweep", "tidy"]
        assert checks(run, workspace).code == 0


def test_a_repository_that_is_one_skill_is_installed_by_its_declared_name(tmp_path: Path, run: Run) -> None:
    files = {"SKILL.md": skill_text("tidy"), "scripts/tidy.sh": "#!/bin/sh\n", ".github/x.yaml": "a: 1\n"}
    repo = make_repository(tmp_path / "my-repository.git", files)
    trees = set()
    for number, address in enumerate(addresses(tmp_path, repo).values()):
        workspace = make_workspace(tmp_path / f"w{number}")
        take(run, workspace, address, "--all")
        assert installed(workspace) == ["tidy"]
        assert (workspace / ".skills/tidy/scripts/tidy.sh").is_file()
        assert not (workspace / ".skills/tidy/.git").exists()
        trees.add(lock_of(workspace)["tidy"]["tree"])
        assert call(run, workspace, "verify")[0] == 0
    assert len(trees) == 1


def test_two_different_skills_of_one_name_are_told_and_not_taken(tmp_path: Path, run: Run) -> None:
    files = {**skills(tidy="One."), **skills(tidy="Two.", root=".claude/skills"), **skills("sweep")}
    repo = make_repository(tmp_path / "repo.git", files)
    for number, address in enumerate(addresses(tmp_path, repo).values()):
        workspace = make_workspace(tmp_path / f"w{number}")
        for names in (["tidy"], ["--all"]):
            values = take(run, workspace, address, *names, code=1)
            assert ".claude/skills/tidy, skills/tidy" in messages(values)
        _, values = call(run, workspace, "list", "--source", address, "--plain")
        assert list(statuses(values)) == ["sweep"]
        assert ".claude/skills/tidy, skills/tidy" in values["notes"][0]
        take(run, workspace, address, "sweep")


def test_two_equal_copies_and_links_to_a_skill_are_one_skill(tmp_path: Path, run: Run) -> None:
    files = {
        **skills("tidy"),
        **skills("tidy", root=".agents/skills"),
        "source/sweep/SKILL.md": skill_text("sweep"),
        ".claude/skills/tidy": "-> ../../skills/tidy",
        ".claude/skills/sweep": "-> ../../source/sweep",
    }
    repo = make_repository(tmp_path / "repo.git", files)
    trees = set()
    for number, address in enumerate(addresses(tmp_path, repo).values()):
        workspace = make_workspace(tmp_path / f"w{number}")
        take(run, workspace, address, "--all")
        assert installed(workspace) == ["sweep", "tidy"]
        assert not (workspace / ".skills/sweep").is_symlink()
        trees.add(tuple(locked["tree"] for locked in lock_of(workspace).values()))
    assert len(trees) == 1


def test_what_has_no_name_is_told_and_stops_only_who_takes_everything(tmp_path: Path, run: Run) -> None:
    files = {**skills("tidy"), "skills/My Template/SKILL.md": "---\nname: Your Name Here\ndescription: x\n---\n\nX.\n"}
    folder = write(tmp_path / "plain", files)
    workspace = make_workspace(tmp_path / "w")
    values = take(run, workspace, folder, "--all", code=1)
    assert "skills/My Template" in messages(values)
    _, values = call(run, workspace, "list", "--source", folder, "--plain")
    assert "skills/My Template" in values["notes"][0]
    take(run, workspace, folder, "tidy")


def test_a_declared_name_wins_over_a_folder_of_that_name(tmp_path: Path, run: Run) -> None:
    files = {"skills/tidy/SKILL.md": "No front matter.\n", "skills/other/SKILL.md": skill_text("tidy")}
    workspace = make_workspace(tmp_path / "w")
    take(run, workspace, write(tmp_path / "plain", files), "tidy")
    assert "# tidy" in (workspace / ".skills/tidy/SKILL.md").read_text("utf-8")


@pytest.mark.parametrize("kind", ["git", "folder"])
def test_a_bare_dependency_is_found_in_the_same_plain_repository(tmp_path: Path, run: Run, kind: str) -> None:
    files = {"skills/tidy/SKILL.md": skill_text("tidy", ["sweep"]), **skills("sweep", "other")}
    address = addresses(tmp_path, make_repository(tmp_path / "repo.git", files))[kind]
    workspace = make_workspace(tmp_path / "w")
    take(run, workspace, address, "tidy")
    assert installed(workspace) == ["sweep", "tidy"]
    assert lock_of(workspace)["sweep"]["layout"] == "plain"
    assert lock_of(workspace)["sweep"]["asked_by"] == ["tidy"]


def test_a_dependency_with_a_source_is_held_to_the_rules_of_sources(tmp_path: Path, run: Run) -> None:
    sound = make_source(tmp_path / "sound", ["sweep"])
    plain = write(tmp_path / "plain", skills("mend"))
    needs = {"name": "sweep", "source": str(sound), "version": "latest"}
    folder = write(tmp_path / "one", {"skills/tidy/SKILL.md": skill_text("tidy", [needs])})
    workspace = make_workspace(tmp_path / "w")
    take(run, workspace, folder, "tidy")
    assert "layout" not in lock_of(workspace)["sweep"]
    needs = {"name": "mend", "source": str(plain), "version": "latest"}
    folder = write(tmp_path / "two", {"skills/dust/SKILL.md": skill_text("dust", [needs])})
    values = take(run, workspace, folder, "dust", code=1)
    assert "--plain takes them" in messages(values)
    # What is installed as plain has settled it.
    take(run, workspace, plain, "mend")
    take(run, workspace, folder, "dust")
    assert installed(workspace) == ["dust", "mend", "sweep", "tidy"]


def test_a_dependency_that_names_its_own_plain_repository_is_found_there(tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "plain"
    needs = {"name": "sweep", "source": str(folder), "version": "latest"}
    write(folder, {"skills/tidy/SKILL.md": skill_text("tidy", [needs]), **skills("sweep")})
    workspace = make_workspace(tmp_path / "w")
    take(run, workspace, folder, "tidy")
    assert lock_of(workspace)["sweep"]["layout"] == "plain"


def test_plain_is_not_declared(tmp_path: Path, run: Run) -> None:
    folder = write(tmp_path / "plain", skills("tidy"))
    workspace = make_workspace(tmp_path / "w")
    code, values = call(run, workspace, "add", "tidy", "--source", folder, "--plain")
    assert code == 2
    assert "CONTEXT.md has no word for it" in messages(values)
    take(run, workspace, folder, "tidy")
    code, values = call(run, workspace, "add", "tidy")
    assert code == 2
    assert "has no word" in messages(values)
    assert not (workspace / "CONTEXT.md").exists()


def test_a_declaration_that_the_lock_knows_as_plain_is_met_by_it(tmp_path: Path, run: Run) -> None:
    folder = write(tmp_path / "plain", skills("tidy"))
    workspace = make_workspace(tmp_path / "w")
    take(run, workspace, folder, "tidy")
    make_workspace(workspace, [{"name": "tidy", "source": str(folder), "version": "latest"}])
    shutil.rmtree(workspace / ".skills/tidy")
    assert call(run, workspace, "install")[0] == 0
    assert lock_of(workspace)["tidy"]["layout"] == "plain"
    shutil.rmtree(workspace / ".skills/tidy")
    (workspace / "skillbag.lock").unlink()
    code, values = call(run, workspace, "install")
    assert code == 1
    assert "--plain" in messages(values)


def test_pins_of_a_skill_that_is_locked_as_plain_are_compared_there(tmp_path: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git")
    needs = {"name": "sweep", "source": repo.url, "version": "v1"}
    repo.commit({"skills/tidy/SKILL.md": skill_text("tidy", [needs]), **skills("sweep")})
    repo.git("tag", "v1", "main")
    workspace = make_workspace(tmp_path / "w")
    take(run, workspace, repo.url, "tidy")
    make_workspace(workspace, [{"name": "sweep", "source": repo.url, "version": "main"}])
    shutil.rmtree(workspace / ".skills/sweep")
    code, values = call(run, workspace, "install")
    assert code == 0, values
    repo.commit(
        {**skills("sweep"), "skills/sweep/more.md": "More.\n", "skills/tidy/SKILL.md": skill_text("tidy", [needs])}
    )
    assert call(run, workspace, "update", "--yes")[0] == 3


def test_a_declaration_of_another_skill_of_a_plain_folder_is_refused(tmp_path: Path, run: Run) -> None:
    folder = write(tmp_path / "plain", skills("tidy", "sweep"))
    workspace = make_workspace(tmp_path / "w")
    take(run, workspace, folder, "tidy")
    shutil.rmtree(workspace / ".skills/tidy")
    declared = [{"name": name, "source": str(folder), "version": "latest"} for name in ("tidy", "sweep")]
    code, values = call(run, make_workspace(workspace, declared), "install")
    assert code == 1
    assert "there is no skill `sweep` in this source" in messages(values)
    assert "It holds plain Agent Skills: --plain takes them." in messages(values)


@pytest.mark.parametrize("arguments", [["install", "tidy", "--plain"], ["list", "--plain"], ["install", "--plain"]])
def test_plain_needs_a_source(tmp_path: Path, run: Run, arguments: list[str]) -> None:
    code, values = call(run, make_workspace(tmp_path / "w"), *arguments)
    assert code == 2
    assert "--source" in messages(values)


def test_the_agents_file_of_a_plain_repository_asks_for_no_steps(tmp_path: Path, run: Run) -> None:
    workspace = make_workspace(tmp_path / "w")
    take(run, workspace, make_repository(tmp_path / "repo.git", PLAIN).url, "tidy")
    linked = {**skills("tidy"), "CLAUDE.md": AGENTS, "AGENTS.md": "-> CLAUDE.md"}
    take(run, make_workspace(tmp_path / "w2"), make_repository(tmp_path / "linked.git", linked).url, "tidy")


def test_an_unknown_name_is_told_with_what_there_is(tmp_path: Path, run: Run) -> None:
    folder = write(tmp_path / "plain", skills("tidy", "sweep"))
    values = take(run, make_workspace(tmp_path / "w"), folder, "tidi", code=1)
    assert "Did you mean `tidy`?" in messages(values)
    values = take(run, tmp_path / "w", folder, "zzz", code=1)
    assert "It offers sweep, tidy." in messages(values)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpora are not beside the project (../shared/corpus)")
def test_the_published_corpora_install_and_the_workspace_passes_the_check(
    tmp_path: Path, run: Run, corpus: Callable[[str], Path]
) -> None:
    for name in ("agent-skills-superpowers", "skillbag-utils"):
        for number, source in enumerate((CORPUS / f"{name}.zip", corpus(name))):
            workspace = make_workspace(tmp_path / f"{name}-{number}")
            code, values = call(run, workspace, "install", "--all", "--source", source, "--plain", "--accept-steps")
            assert code == 0, values
            assert len(installed(workspace)) > 5
            assert checks(run, workspace).code == 0
            assert call(run, workspace, "verify")[0] == 0
