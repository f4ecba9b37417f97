"""Names and dependencies of skills in plain repositories of Agent Skills."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.rows import each_row
from tests.supply.install.outcomes import checks, installed, lock_of, statuses, values_of
from tests.supply.install.plain_sources import PLAIN, addresses, messages, skills, take
from tests.supply.install.worlds import AGENTS, call, make_source, make_workspace, skill_text, write
from tests.supply.sources.repositories import make_repository
from tests.support import CORPUS, Run

pytestmark = pytest.mark.usefixtures("git_config")


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


def test_different_skills_of_one_name_are_reported_and_not_installed(tmp_path: Path, run: Run) -> None:
    files = {**skills(tidy="One.", root="one"), **skills(tidy="Two.", root="two"), **skills("sweep")}
    repo = make_repository(tmp_path / "repo.git", files)
    for number, address in enumerate(addresses(tmp_path, repo).values()):
        workspace = make_workspace(tmp_path / f"w{number}")
        for names in (["tidy"], ["--all"]):
            values = take(run, workspace, address, *names, code=1)
            assert "`one/tidy`, `two/tidy`" in messages(values)
        _, values = call(run, workspace, "list", "--source", address)
        assert list(statuses(values)) == ["sweep"]
        assert "it can't be installed: `one/tidy`, `two/tidy`" in values["notes"][0]
        take(run, workspace, address, "sweep")


@each_row(
    ("roots", "taken"),
    [
        (("skills", ".claude/skills", ".codex/skills"), "skills"),
        ((".codex/skills", ".claude/skills", ".zed/skills", "cli/skills"), ".claude/skills"),
        ((".codex/skills", "cli/skills"), ".codex/skills"),
    ],
)
def test_of_variants_for_agents_the_first_is_taken_and_said(
    tmp_path: Path, run: Run, roots: tuple[str, ...], taken: str
) -> None:
    workspace = make_workspace(tmp_path / "work")
    files = {path: text for root in roots for path, text in skills(tidy=f"For {root}.", root=root).items()}
    repo = make_repository(tmp_path / "repo.git", files)
    (row,) = take(run, workspace, repo.url, "tidy")["skills"]
    assert row["why"] == f"its source has different skills of this name; this is the one in `{taken}/tidy`"
    assert f"For {taken}." in (workspace / ".skills/tidy/SKILL.md").read_text("utf-8")
    assert lock_of(workspace)["tidy"]["folder"] == f"{taken}/tidy"
    _, values = call(run, workspace, "list", "--source", repo.url)
    assert (list(statuses(values)), f"so `{taken}/tidy` is taken" in values["notes"][0]) == (["tidy"], True)
    repo.commit({**files, **skills(tidy="Newer.", root=taken)})
    (row,) = values_of(run, workspace, "update", "--yes")["skills"]
    assert (row["status"], row["why"]) == ("upgraded", "")


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


def test_nameless_skills_stop_only_all(tmp_path: Path, workspace: Path, run: Run) -> None:
    files = {**skills("tidy"), "skills/My Template/SKILL.md": "---\nname: Your Name Here\ndescription: x\n---\n\nX.\n"}
    folder = write(tmp_path / "plain", files)
    values = take(run, workspace, folder, "--all", code=1)
    assert "skills/My Template" in messages(values)
    _, values = call(run, workspace, "list", "--source", folder)
    assert "skills/My Template" in values["notes"][0]
    take(run, workspace, folder, "tidy")


def test_a_declared_name_wins_over_a_folder_of_that_name(tmp_path: Path, workspace: Path, run: Run) -> None:
    files = {"skills/tidy/SKILL.md": "No front matter.\n", "skills/other/SKILL.md": skill_text("tidy")}
    take(run, workspace, write(tmp_path / "plain", files), "tidy")
    assert "# tidy" in (workspace / ".skills/tidy/SKILL.md").read_text("utf-8")


@pytest.mark.parametrize("kind", ["git", "folder"])
def test_a_bare_dependency_comes_from_the_same_repository(tmp_path: Path, workspace: Path, run: Run, kind: str) -> None:
    files = {"skills/tidy/SKILL.md": skill_text("tidy", ["sweep"]), **skills("sweep", "other")}
    address = addresses(tmp_path, make_repository(tmp_path / "repo.git", files))[kind]
    take(run, workspace, address, "tidy")
    assert installed(workspace) == ["sweep", "tidy"]
    assert lock_of(workspace)["sweep"]["layout"] == "plain"
    assert lock_of(workspace)["sweep"]["asked_by"] == ["tidy"]


def test_a_dependency_with_a_source_is_held_to_the_rules_of_sources(tmp_path: Path, workspace: Path, run: Run) -> None:
    sound = make_source(tmp_path / "sound", ["sweep"])
    plain = write(tmp_path / "plain", skills("mend"))
    needs = {"name": "sweep", "source": str(sound), "version": "latest"}
    folder = write(tmp_path / "one", {"skills/tidy/SKILL.md": skill_text("tidy", [needs])})
    take(run, workspace, folder, "tidy")
    assert "layout" not in lock_of(workspace)["sweep"]
    needs = {"name": "mend", "source": str(plain), "version": "latest"}
    folder = write(tmp_path / "two", {"skills/dust/SKILL.md": skill_text("dust", [needs])})
    values = take(run, workspace, folder, "dust", code=1)
    assert "which are declared apart" in messages(values)
    # What is installed as plain has settled it.
    take(run, workspace, plain, "mend")
    take(run, workspace, folder, "dust")
    assert installed(workspace) == ["dust", "mend", "sweep", "tidy"]


def test_a_dependency_may_name_its_own_plain_repository(tmp_path: Path, workspace: Path, run: Run) -> None:
    folder = tmp_path / "plain"
    needs = {"name": "sweep", "source": str(folder), "version": "latest"}
    write(folder, {"skills/tidy/SKILL.md": skill_text("tidy", [needs]), **skills("sweep")})
    take(run, workspace, folder, "tidy")
    assert lock_of(workspace)["sweep"]["layout"] == "plain"


def test_plain_skills_are_declared_apart_and_go_through_the_whole_life(
    tmp_path: Path, workspace: Path, run: Run
) -> None:
    folder = write(tmp_path / "plain", skills("tidy", "dust"))
    sound = make_source(tmp_path / "sound", ["sweep"])
    values_of(run, workspace, "add", folder, "tidy", code=0)
    values_of(run, workspace, "add", sound, "sweep", code=0)
    values_of(run, workspace, "add", "dust", "--source", folder, code=0)
    text = (workspace / "CONTEXT.md").read_text()
    plain, standard = text.split("## Dependencies")
    assert ("plain-dependencies:" in plain, plain.count("name:"), standard.count("name:")) == (True, 2, 1)
    assert lock_of(workspace)["tidy"]["asked_by"] == ["CONTEXT.md"]
    # Without lock and skills, the declaration alone brings them back.
    shutil.rmtree(workspace / ".skills")
    (workspace / "skillbag.lock").unlink()
    values_of(run, workspace, "install", code=0)
    assert installed(workspace) == ["dust", "sweep", "tidy"]
    values_of(run, workspace, "verify", code=0)
    values_of(run, workspace, "remove", "tidy", code=0)
    assert "tidy" not in (workspace / "CONTEXT.md").read_text()
    values_of(run, workspace, "install", "--frozen", code=0)


def test_a_plain_source_that_becomes_one_of_the_standard_is_declared_as_such(
    tmp_path: Path, workspace: Path, run: Run
) -> None:
    folder = write(tmp_path / "source", skills("tidy"))
    values_of(run, workspace, "add", folder, "tidy", code=0)
    shutil.rmtree(folder)
    make_source(folder, ["tidy"])
    values_of(run, workspace, "add", folder, "tidy", "--yes", code=0)
    text = (workspace / "CONTEXT.md").read_text()
    assert text.count("name: tidy") == 1
    assert "\ndependencies:\n  - name: tidy" in text


def test_a_malformed_declaration_of_a_plain_skill_is_reported(workspace: Path, run: Run) -> None:
    (workspace / "CONTEXT.md").write_text("```yaml\nplain-dependencies:\n  - name: tidy\n```\n", "utf-8")
    assert "a dependency has no `version`" in messages(values_of(run, workspace, "install", code=2))
    done = run("check", cwd=workspace)
    assert (done.code, "a dependency has no `version`" in done.out) == (1, True)


def test_a_declaration_that_the_lock_knows_as_plain_is_met_by_it(tmp_path: Path, workspace: Path, run: Run) -> None:
    folder = write(tmp_path / "plain", skills("tidy"))
    take(run, workspace, folder, "tidy")
    make_workspace(workspace, [{"name": "tidy", "source": str(folder), "version": "latest"}])
    shutil.rmtree(workspace / ".skills/tidy")
    assert call(run, workspace, "install")[0] == 0
    assert lock_of(workspace)["tidy"]["layout"] == "plain"
    shutil.rmtree(workspace / ".skills/tidy")
    (workspace / "skillbag.lock").unlink()
    values = values_of(run, workspace, "install", code=1)
    assert "which are declared apart" in messages(values)


def test_pins_of_a_skill_that_is_locked_as_plain_are_compared_there(tmp_path: Path, workspace: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git")
    needs = {"name": "sweep", "source": repo.url, "version": "v1"}
    repo.commit({"skills/tidy/SKILL.md": skill_text("tidy", [needs]), **skills("sweep")})
    repo.git("tag", "v1", "main")
    take(run, workspace, repo.url, "tidy")
    make_workspace(workspace, [{"name": "sweep", "source": repo.url, "version": "main"}])
    shutil.rmtree(workspace / ".skills/sweep")
    code, values = call(run, workspace, "install")
    assert code == 0, values
    repo.commit(
        {**skills("sweep"), "skills/sweep/more.md": "More.\n", "skills/tidy/SKILL.md": skill_text("tidy", [needs])}
    )
    assert call(run, workspace, "update", "--yes")[0] == 3


def test_a_declaration_of_another_skill_of_a_plain_folder_is_refused(tmp_path: Path, workspace: Path, run: Run) -> None:
    folder = write(tmp_path / "plain", skills("tidy", "sweep"))
    take(run, workspace, folder, "tidy")
    shutil.rmtree(workspace / ".skills/tidy")
    declared = [{"name": name, "source": str(folder), "version": "latest"} for name in ("tidy", "sweep")]
    values = values_of(run, make_workspace(workspace, declared), "install", code=1)
    assert "this is no SkillBag source" in messages(values)
    assert f"`skillbag add sweep --source {folder} --version latest`" in messages(values)


def test_the_agents_file_of_a_plain_repository_asks_for_no_steps(tmp_path: Path, workspace: Path, run: Run) -> None:
    take(run, workspace, make_repository(tmp_path / "repo.git", PLAIN).url, "tidy")
    linked = {**skills("tidy"), "CLAUDE.md": AGENTS, "AGENTS.md": "-> CLAUDE.md"}
    take(run, make_workspace(tmp_path / "w2"), make_repository(tmp_path / "linked.git", linked).url, "tidy")


def test_an_unknown_name_is_reported_with_what_is_offered(tmp_path: Path, run: Run) -> None:
    folder = write(tmp_path / "plain", skills("tidy", "sweep"))
    values = take(run, make_workspace(tmp_path / "w"), folder, "tidi", code=1)
    assert "Did you mean `tidy`?" in messages(values)
    values = take(run, tmp_path / "w", folder, "zzz", code=1)
    assert "It offers `sweep`, `tidy`." in messages(values)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpora are not beside the project (../shared/corpus)")
def test_the_published_corpora_install(tmp_path: Path, run: Run, corpus: Callable[[str], Path]) -> None:
    for name in ("agent-skills-superpowers", "skillbag-utils"):
        for number, source in enumerate((CORPUS / f"{name}.zip", corpus(name))):
            workspace = make_workspace(tmp_path / f"{name}-{number}")
            code, values = call(run, workspace, "install", "--all", "--source", source, "--accept=steps")
            assert code == 0, values
            assert len(installed(workspace)) > 5
            assert checks(run, workspace).code == 0
            assert call(run, workspace, "verify")[0] == 0


def test_a_list_of_a_plain_folder_says_how_to_see_its_skills(tmp_path: Path, workspace: Path, run: Run) -> None:
    folder = write(tmp_path / "plain", skills("tidy"))
    shown = run("list", "--source", str(folder), cwd=workspace)
    assert f"skillbag add {folder} NAME" in shown.out


def test_skills_of_one_name_from_two_sources_live_side_by_side(tmp_path: Path, workspace: Path, run: Run) -> None:
    first = make_repository(tmp_path / "first.git", skills(tidy="One."))
    second = make_repository(tmp_path / "second.git", skills(tidy="Two."))
    values_of(run, workspace, "add", first.url, "tidy", code=0)
    values_of(run, workspace, "add", second.url, "tidy", "--as", "tidy-two", code=0)
    assert "name: tidy-two" in (workspace / ".skills/tidy-two/SKILL.md").read_text()
    assert "One." in (workspace / ".skills/tidy/SKILL.md").read_text()
    assert lock_of(workspace)["tidy-two"]["folder"] == "skills/tidy"
    assert run("check", cwd=workspace).code == 0
    # Without lock and skills, the declarations alone bring both back.
    before = {path: path.read_bytes() for path in (workspace / ".skills").rglob("*.md")}
    shutil.rmtree(workspace / ".skills")
    (workspace / "skillbag.lock").unlink()
    values_of(run, workspace, "install", code=0)
    assert {path: path.read_bytes() for path in (workspace / ".skills").rglob("*.md")} == before
    values_of(run, workspace, "verify", "--source", code=0)
    shutil.rmtree(workspace / ".skills/tidy-two")
    values_of(run, workspace, "install", "--frozen", code=0)
    second.commit(skills(tidy="Three."))
    (row,) = (row for row in values_of(run, workspace, "update", "--yes", code=0)["skills"] if row["name"] != "tidy")
    assert row["status"] == "upgraded"
    text = (workspace / ".skills/tidy-two/SKILL.md").read_text()
    assert ("Three." in text, "name: tidy-two" in text) == (True, True)
    values_of(run, workspace, "remove", "tidy-two", code=0)
    assert "folder:" not in (workspace / "CONTEXT.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("tidy", "dust", "--as", "x"), "--as gives one skill"),
        (("tidy", "--as", "Bad Name"), "is not a skill's name"),
        (("--all", "--as", "x"), "--as gives one skill"),
        (("nope", "--as", "x"), "nope"),
    ],
)
def test_another_name_that_can_not_be_given(
    tmp_path: Path, workspace: Path, run: Run, arguments: tuple[str, ...], words: str
) -> None:
    folder = write(tmp_path / "plain", skills("tidy", "dust"))
    code, values = call(run, workspace, "add", folder, *arguments)
    assert (code in (1, 2), words in json.dumps(values)) == (True, True)
    sound = make_source(tmp_path / "sound", ["sweep"])
    assert "SkillBag source" in json.dumps(call(run, workspace, "add", sound, "sweep", "--as", "x")[1])
