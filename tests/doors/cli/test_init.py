"""`skillbag init` and `skillbag new` as commands: what they write passes the strict check."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from skillbag import __version__
from skillbag.supply.bootstrap.skill import PLACEHOLDER
from tests.rows import each_row
from tests.supply.sources.repositories import Repository, make_repository, use_own_git_settings
from tests.supply.sources.servers import content, redirect, serve
from tests.support import PROJECT, Run, Tree, skill

pytestmark = pytest.mark.boundary


def listing(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


GITHUB = ["--github", "--repo", "team/skillbag", "--rev", "0123456789" * 4]


@pytest.mark.parametrize("flags", [[], ["--source"], ["--agents", "claude,cursor,copilot", "--pre-commit", *GITHUB]])
def test_fresh_ones_pass_the_strict_check(tmp_path: Path, run: Run, flags: list[str]) -> None:
    assert run("init", tmp_path, *flags).code == 0
    assert run("check", tmp_path, "--strict").code == 0
    for name in ("convert-to-pdf", "invoice-tools", "a", "x1-2"):
        assert run("new", name, "--description", f"Does {name}. Use when asked to.", cwd=tmp_path).code == 0
    assert run("new", "last", "--description", 'It\'s: "odd" #run/last', cwd=tmp_path / ".skills").code == 0
    outcome = run("check", tmp_path, "--strict")
    assert (outcome.code, outcome.out.count("conforms")) == (0, 1)


def test_a_second_init_says_so_and_changes_nothing(tmp_path: Path, run: Run) -> None:
    run("init", cwd=tmp_path)
    before = {name: (tmp_path / name).read_bytes() for name in listing(tmp_path)}
    assert "Everything is in place" in run("init", cwd=tmp_path).out
    assert {name: (tmp_path / name).read_bytes() for name in listing(tmp_path)} == before


def test_a_dry_run_writes_nothing(tmp_path: Path, run: Run) -> None:
    outcome = run("init", "--dry-run", *GITHUB, cwd=tmp_path)
    assert outcome.code == 0
    assert ".skills/skillbag-get-skills/SKILL.md" in outcome.out
    assert listing(tmp_path) == set()


@each_row(
    ("arguments", "words"),
    [
        (["new", "My Skill"], "my-skill"),
        (["new", "skillbag-get-skills"], "skillbag-get-skills"),
        (["init", "--agents", "nobody"], "known agents are claude"),
        (["init", "--entrypoint", "missing.md"], "missing"),
        (["init", "--source", "--entrypoint", "published.md"], "not both"),
        (["init", "--repo", "; rm -rf /"], "--repo"),
        (["init", "--pre-commit", "--rev", "v1"], "that --repo names; give both"),
        (["initt"], "Did you mean `skillbag init`?"),
        (["rule", "catalog-unsort"], "did you mean 'catalog-unsorted'?"),
    ],
)
def test_mistakes_are_exit_2(tree: Tree, run: Run, arguments: list[str], words: str) -> None:
    root = tree({"published.md": "SkillBag v0.3.0\n\nText.\n"})
    run("init", cwd=root)
    before = listing(root)
    outcome = run(*arguments, cwd=root)
    assert outcome.code == 2
    assert words in outcome.err
    assert listing(root) == before


PAGE = b"SkillBag v0.3.0\n\nThe published text.\n"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "page.md").write_bytes(PAGE)
    large = content(PAGE + b"x" * (1 << 20))
    local = redirect((tmp_path / "page.md").as_uri())
    with serve({"/SKILLBAG.md": content(PAGE), "/large.md": large, "/redirect.md": local}) as server:
        yield server.url


def test_a_published_entrypoint_is_fetched(tmp_path: Path, run: Run, server: str) -> None:
    assert run("init", tmp_path / "w", "--entrypoint", f"{server}/SKILLBAG.md").code == 0
    assert (tmp_path / "w/SKILLBAG.md").read_bytes() == PAGE
    assert run("check", tmp_path / "w", "--strict").code == 0


@pytest.mark.parametrize(("page", "code"), [("missing.md", 4), ("large.md", 2), ("redirect.md", 4)])
def test_a_page_that_cannot_be_had_leaves_nothing(tmp_path: Path, run: Run, server: str, page: str, code: int) -> None:
    outcome = run("init", tmp_path / "w", "--entrypoint", f"{server}/{page}")
    assert outcome.code == code
    assert "--entrypoint" in outcome.err
    assert not (tmp_path / "w").exists()


@pytest.fixture
def published(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository as this project could be published in, with tags of other versions."""
    folder = tmp_path_factory.mktemp("published")
    use_own_git_settings(monkeypatch, folder)
    repository = make_repository(folder / "skillbag.git")
    repository.commit({".pre-commit-hooks.yaml": (PROJECT / ".pre-commit-hooks.yaml").read_bytes()})
    for tag in ("v0.0.9", "v0.0.10", "1.10"):
        repository.git("tag", tag)
    return repository


def revisions(root: Path) -> list[object]:
    """The revisions that the hook and the workflow name, as their readers read them."""
    hook = yaml.safe_load((root / ".pre-commit-config.yaml").read_bytes())["repos"][-1]["rev"]
    steps = yaml.safe_load((root / ".github/workflows/skillbag.yml").read_bytes())["jobs"]["check"]["steps"]
    (installed,) = [step["run"] for step in steps if "pip install" in step.get("run", "")]
    return [hook, installed.rpartition("@")[2]]


BOTH = ("init", "--pre-commit", "--github", "--repo")


def test_a_version_that_is_not_published_is_not_named(tmp_path: Path, run: Run, published: Repository) -> None:
    for options in (BOTH, ("init", "--pre-commit", "--repo"), ("init", "--github", "--repo")):
        outcome = run(*options, published.url, cwd=tmp_path)
        assert outcome.code == 2
        assert f"there is no tag v{__version__}" in outcome.err
        assert "--rev" in outcome.err
        assert "v0.0.10, v0.0.9" in outcome.err
        assert listing(tmp_path) == set()
        assert run(*options, published.url, "--dry-run", cwd=tmp_path).code == 2


def test_this_version_is_named_where_it_is_published(tmp_path: Path, run: Run, published: Repository) -> None:
    published.git("tag", "--annotate", "--message=x", f"v{__version__}")
    assert run(*BOTH, published.url, cwd=tmp_path).code == 0
    assert revisions(tmp_path) == [f"v{__version__}"] * 2


@pytest.mark.parametrize("tag", ["v0.0.9", "1.10"])
def test_another_version_is_named_if_it_is_there(tmp_path: Path, run: Run, published: Repository, tag: str) -> None:
    outcome = run(*BOTH, published.url, "--rev", "v9", cwd=tmp_path)
    assert (outcome.code, "there is no tag v9" in outcome.err) == (2, True)
    assert listing(tmp_path) == set()
    assert run(*BOTH, published.url, "--rev", tag, cwd=tmp_path).code == 0
    assert revisions(tmp_path) == [tag, tag]


def test_a_commit_is_named_without_a_look_at_the_repository(tmp_path: Path, run: Run) -> None:
    for commit in ("0123456789abcdef" * 2 + "01234567", "1" * 40):
        root = tmp_path / commit
        assert run(*BOTH, (tmp_path / "gone.git").as_uri(), "--rev", commit, root).code == 0
        assert revisions(root) == [commit, commit]


def test_a_repository_that_cannot_be_asked_is_exit_4(tmp_path: Path, run: Run, published: Repository) -> None:
    outcome = run(*BOTH, f"{published.url}/gone", cwd=tmp_path)
    assert outcome.code == 4
    assert "--rev" in outcome.err
    assert listing(tmp_path) == set()


def test_what_is_there_is_not_asked_about(tmp_path: Path, run: Run, published: Repository) -> None:
    assert run(*BOTH, published.url, "--rev", "v0.0.9", cwd=tmp_path).code == 0
    outcome = run(*BOTH, f"{published.url}/gone", cwd=tmp_path)
    assert (outcome.code, "Everything is in place" in outcome.out) == (0, True)


def test_a_workflow_needs_to_know_where_it_gets_the_program(tmp_path: Path, run: Run) -> None:
    outcome = run("init", "--github", cwd=tmp_path)
    assert outcome.code == 2
    assert "--repo" in outcome.err
    assert listing(tmp_path) == set()
    (tmp_path / ".github/workflows").mkdir(parents=True)
    (tmp_path / ".github/workflows/skillbag.yml").write_text("# mine\n")
    assert run("init", "--github", cwd=tmp_path).code == 0


@pytest.mark.parametrize("rev", ["", "-x", "v1; id", "$(id)", "v1\nrun: id", "é"])
def test_what_could_be_no_revision_is_refused(tmp_path: Path, run: Run, published: Repository, rev: str) -> None:
    outcome = run(*BOTH, published.url, "--rev", rev, cwd=tmp_path)
    assert (outcome.code, "give a tag of the repository, or a whole commit" in outcome.err) == (2, True)
    assert listing(tmp_path) == set()


TEXT = "Count the words of a file. Use when a limit is near."


@pytest.mark.parametrize("flags", [[], ["--source"]])
@pytest.mark.parametrize("where", [".", ".skills", "docs/deep"])
def test_new_in_a_workspace_and_in_a_source(tmp_path: Path, run: Run, flags: list[str], where: str) -> None:
    run("init", tmp_path, *flags)
    (tmp_path / "docs/deep").mkdir(parents=True)
    outcome = run("new", "count-words", "--description", TEXT, cwd=tmp_path / where)
    assert (outcome.code, "placeholder" in outcome.out) == (0, False)
    assert (tmp_path / ".skills/count-words/SKILL.md").read_text().startswith("---\nname: count-words\n")
    assert f"count-words: {TEXT}\n" in (tmp_path / ".skills/SKILLS.md").read_text()
    assert run("check", tmp_path, "--strict").code == 0


@pytest.mark.parametrize("folder", ["skills", ".claude/skills", ".agents/skills"])
def test_new_in_a_plain_tree(tree: Tree, run: Run, folder: str) -> None:
    root = tree({f"{folder}/a/SKILL.md": skill("a")})
    assert run("new", "count-words", "--description", TEXT, cwd=root).code == 0
    assert sorted(path.name for path in (root / folder).iterdir()) == ["a", "count-words"]
    assert run("check", root, "--strict").code == 0
    outcome = run("new", "other", cwd=root)
    assert f"Replace the placeholder description in {folder}/other/SKILL.md" in outcome.out
    assert "catalog" not in outcome.out


def test_without_a_description_the_check_warns_until_it_is_written(tmp_path: Path, run: Run) -> None:
    run("init", tmp_path)
    outcome = run("new", "count-words", cwd=tmp_path)
    assert "Replace the placeholder description in .skills/count-words/SKILL.md" in outcome.out
    assert "skillbag check --fix copies it to the catalog" in outcome.out
    assert run("check", tmp_path).code == 0
    report = json.loads(run("check", tmp_path, "--strict", "--format=json").out)
    assert [(finding["rule"], finding["line"]) for finding in report["findings"]] == [("placeholder-description", 3)]

    path = tmp_path / ".skills/count-words/SKILL.md"
    path.write_text(path.read_text("utf-8").replace(f"'{PLACEHOLDER}'", TEXT), "utf-8")
    assert run("check", tmp_path, "--fix", "--strict").code == 0
    assert f"count-words: {TEXT}\n" in (tmp_path / ".skills/SKILLS.md").read_text("utf-8")


def test_new_as_a_dry_run_and_a_second_time(tmp_path: Path, run: Run) -> None:
    run("init", tmp_path)
    before = (tmp_path / ".skills/SKILLS.md").read_bytes()
    outcome = run("new", "count-words", "--dry-run", cwd=tmp_path)
    assert (outcome.code, ".skills/count-words/SKILL.md" in outcome.out) == (0, True)
    assert "placeholder" not in outcome.out
    assert not (tmp_path / ".skills/count-words").exists()
    assert (tmp_path / ".skills/SKILLS.md").read_bytes() == before
    assert run("new", "count-words", "--path", tmp_path).code == 0
    after = (tmp_path / ".skills/count-words/SKILL.md").read_bytes()
    outcome = run("new", "count-words", "--description", "Other words.", cwd=tmp_path)
    assert (outcome.code, "exists already" in outcome.err) == (2, True)
    assert (tmp_path / ".skills/count-words/SKILL.md").read_bytes() == after


def test_new_without_a_place_for_it(tmp_path: Path, run: Run) -> None:
    outcome = run("new", "count-words", cwd=tmp_path)
    assert outcome.code == 2
    assert "skillbag init makes a workspace" in outcome.err
    assert list(tmp_path.iterdir()) == []
