"""A version that should never change, and has, is a question of every command: tags, releases and archives."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from skillbag.kernel.workspace.lock_file import Locked
from skillbag.kernel.workspace.source_kind import SourceKind
from skillbag.supply.install.changed_versions import has_version
from skillbag.supply.sources.source import Source
from tests.rows import each_row
from tests.supply.install.git_sources import commit, repository, zipped
from tests.supply.install.outcomes import lock_of, statuses
from tests.supply.install.worlds import call, contents, make_workspace
from tests.supply.sources.registries import LoopbackRegistry, packed, serve_registry, skill_files
from tests.support import Run

pytestmark = pytest.mark.usefixtures("git_config")


class Changing(NamedTuple):
    """How `tidy` is named, and what gives its version another content."""

    named: tuple[str, ...]
    change: Callable[[], object]


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackRegistry]:
    with serve_registry() as served:
        served.add("tidy", "1.0.0")
        monkeypatch.setenv("SKILLBAG_REGISTRY", served.url)
        yield served


def replace_release(registry: LoopbackRegistry) -> None:
    registry.skills["tidy"]["1.0.0"] = packed(skill_files("tidy", "1.0.0", "Two."))


@pytest.fixture(params=["tag", "registry", "range", "archive", "versioned archive"])
def changing(request: pytest.FixtureRequest, tmp_path: Path, registry: LoopbackRegistry) -> Changing:
    """A skill of each kind of source whose version will change."""
    if request.param in ("registry", "range"):
        wanted = {"registry": "1.0.0", "range": "^1"}[request.param]
        return Changing((f"registry:tidy@{wanted}",), lambda: replace_release(registry))
    repo = repository(tmp_path, tidy="One.")
    path = zipped(repo, tmp_path / ("tidy-1.0.zip" if request.param == "archive" else "tidy.zip"))
    repo.git("tag", "v1", "main")

    def change() -> None:
        commit(repo, tidy="Two.")
        repo.git("tag", "--force", "v1", "main")
        zipped(repo, path)

    version = () if request.param == "archive" else ("--version", "v1")
    return Changing(("tidy", "--source", repo.url if request.param == "tag" else str(path), *version), change)


@pytest.fixture
def changed(run: Run, tmp_path: Path, changing: Changing) -> Path:
    """A workspace with the skill, whose version has changed, and a machine that knows neither."""
    workspace = make_workspace(tmp_path / "w")
    assert call(run, workspace, "install", *changing.named, "--yes")[0] == 0
    changing.change()
    shutil.rmtree(os.environ["SKILLBAG_CACHE_DIR"])
    return workspace


COMMANDS = (("update", "--yes"), ("update", "tidy", "--yes"), ("install", "--accept=newer", "--yes"))
QUERIES = (("outdated",), ("outdated", "--strict"), ("verify", "--source"))


@each_row("command", [*COMMANDS, *QUERIES], ids=" ".join)
def test_it_is_a_question(run: Run, changed: Path, command: tuple[str, ...]) -> None:
    shutil.rmtree(os.environ["SKILLBAG_CACHE_DIR"], ignore_errors=True)
    before = contents(changed)
    code, values = call(run, changed, *command)
    (problem,) = values["problems"]
    assert (code, problem["kind"]) == (3, "question"), values
    assert "tampered with" in problem["message"]
    assert "--accept moved" in problem["fix"]
    assert contents(changed) == before


def test_it_is_a_question_where_the_cache_has_the_old_content(run: Run, tmp_path: Path, changing: Changing) -> None:
    workspace = make_workspace(tmp_path / "w")
    assert call(run, workspace, "install", *changing.named, "--yes")[0] == 0
    changing.change()
    # A release of a registry is downloaded once.
    is_release = changing.named[0].startswith("registry:")
    for command in (*COMMANDS, *QUERIES):
        assert call(run, workspace, *command)[0] == (0 if is_release else 3), command


class Sibling(NamedTuple):
    """A workspace with `tidy` of a version that has changed since, and the options that name that version."""

    workspace: Path
    named: tuple[str, ...]


@pytest.fixture(params=["tag", "archive", "versioned archive", "branch", "unversioned archive"])
def sibling(request: pytest.FixtureRequest, run: Run, tmp_path: Path) -> Sibling:
    repo = repository(tmp_path, tidy="One.", doc="One.")
    repo.git("tag", "v1", "main")
    path = zipped(repo, tmp_path / ("tidy-1.0.zip" if request.param == "archive" else "tidy.zip"))
    source = str(path) if "archive" in request.param else repo.url
    version = {"tag": "v1", "versioned archive": "v1", "branch": "main"}.get(request.param)
    named = ("--source", source, *(("--version", version) if version else ()))
    workspace = make_workspace(tmp_path / "w")
    assert call(run, workspace, "install", "tidy", *named)[0] == 0
    commit(repo, tidy="One.", doc="Two.")
    repo.git("tag", "--force", "v1", "main")
    zipped(repo, path)
    return Sibling(workspace, named)


FIXED = pytest.mark.parametrize("sibling", ["tag", "archive", "versioned archive"], indirect=True)
MOVES = pytest.mark.parametrize("sibling", ["branch", "unversioned archive"], indirect=True)


@FIXED
def test_another_skill_of_a_version_that_has_changed(run: Run, sibling: Sibling) -> None:
    before = contents(sibling.workspace)
    for command in ("add", "install"):
        code, values = call(run, sibling.workspace, command, "doc", *sibling.named, "--yes")
        (problem,) = values["problems"]
        assert (code, problem["kind"]) == (3, "question"), values
        assert "when tidy was installed" in problem["message"]
        assert "(for doc)" in problem["message"]
        assert "skillbag diff tidy --upstream" in problem["fix"]
    assert call(run, sibling.workspace, "install", "--all", *sibling.named, "--yes")[0] == 3
    assert contents(sibling.workspace) == before
    assert call(run, sibling.workspace, "add", "doc", *sibling.named, "--accept=moved")[0] == 0
    assert "Two." in (sibling.workspace / ".skills/doc/SKILL.md").read_text("utf-8")
    assert call(run, sibling.workspace, "install")[0] == 0


@pytest.mark.parametrize("spelt", ["tags/v1", "refs/tags/v1"])
@pytest.mark.parametrize("sibling", ["tag"], indirect=True)
def test_a_tag_in_another_spelling(run: Run, sibling: Sibling, spelt: str) -> None:
    assert call(run, sibling.workspace, "add", "doc", *sibling.named[:3], spelt)[0] == 3


@FIXED
def test_a_declared_skill_of_a_version_that_has_changed(run: Run, sibling: Sibling) -> None:
    # Of an archive whose address names its version, any text is that version.
    version = sibling.named[3] if sibling.named[2:] else "stable"
    make_workspace(sibling.workspace, [{"name": "doc", "source": sibling.named[1], "version": version}])
    before = contents(sibling.workspace)
    assert call(run, sibling.workspace, "install")[0] == 3
    assert contents(sibling.workspace) == before


@MOVES
def test_another_skill_of_what_may_change(run: Run, sibling: Sibling) -> None:
    assert call(run, sibling.workspace, "add", "doc", *sibling.named)[0] == 0


def test_what_is_added_again_stays_as_it_is_locked(run: Run, changing: Changing, changed: Path) -> None:
    before, skill = lock_of(changed)["tidy"]["resolved"], contents(changed / ".skills")
    call(run, changed, "add", *changing.named, "--yes")
    assert (lock_of(changed)["tidy"]["resolved"], contents(changed / ".skills")) == (before, skill)


@pytest.mark.parametrize("changing", ["registry"], indirect=True)
def test_a_release_is_the_same_one_for_every_range(run: Run, changed: Path) -> None:
    before = contents(changed)
    code, values = call(run, changed, "add", "registry:tidy@^1", "--yes")
    assert (code, values["problems"][0]["kind"]) == (3, "question")
    assert contents(changed) == before


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_an_option_accepts_it(run: Run, changed: Path, command: tuple[str, ...]) -> None:
    before = lock_of(changed)["tidy"]
    code, values = call(run, changed, *command, "--accept=moved")
    assert (code, statuses(values)["tidy"]) == (0, "upgraded"), values
    after = lock_of(changed)["tidy"]
    assert after["resolved"] != before["resolved"]
    assert (after["source"], after["requested"]) == (before["source"], before["requested"])
    assert "Two." in (changed / ".skills/tidy/SKILL.md").read_text("utf-8")
    for query in QUERIES:
        assert call(run, changed, *query)[0] == 0, query


@pytest.mark.parametrize("changing", ["registry", "archive"], indirect=True)
def test_a_skill_that_is_brought_back(run: Run, changed: Path) -> None:
    shutil.rmtree(changed / ".skills/tidy")
    code, values = call(run, changed, "install")
    assert (code, values["problems"][0]["kind"]) == (3, "question")
    assert call(run, changed, "install", "--frozen")[0] == 3
    assert not (changed / ".skills/tidy").exists()
    assert call(run, changed, "install", "--accept=moved")[0] == 0
    assert call(run, changed, "verify", "--source")[0] == 0


@pytest.mark.parametrize("changing", ["registry"], indirect=True)
def test_agents_can_t_accept_it(run: Run, changed: Path) -> None:
    shutil.rmtree(changed / ".skills/tidy")
    before = contents(changed)
    done = run("marketplace", "install", "registry:tidy@1.0.0", cwd=changed)
    assert (done.code, "tampered with" in done.out) == (3, True), done
    assert contents(changed) == before


@pytest.mark.usefixtures("a_person")
@pytest.mark.parametrize("lost", [("archives", "trees"), ("",)], ids=["archives", "all"])
def test_a_personal_skill_is_a_question_too(
    run: Run, tmp_path: Path, registry: LoopbackRegistry, lost: tuple[str, ...]
) -> None:
    add = ("personal", "add", "registry:tidy@1.0.0", "--personal", tmp_path / "personal")
    assert run(*add).code == 0
    replace_release(registry)
    for kind in lost:
        shutil.rmtree(Path(os.environ["SKILLBAG_CACHE_DIR"]) / kind)
    before = contents(tmp_path / "personal")
    for command in (add, (*add, "--dry-run"), ("personal", "add", "registry:tidy", *add[3:])):
        done = run(*command)
        assert (done.code, "--accept moved" in done.err) == (3, True), done
    assert contents(tmp_path / "personal") == before
    assert run(*add, "--accept=moved", "--dry-run").code == 0
    assert run(*add).code == 3
    assert run(*add, "--accept=moved").code == 0
    assert "Two." in (tmp_path / "personal/tidy/SKILL.md").read_text("utf-8")
    assert run(*add).code == 0


@each_row(
    ("name", "requested", "is_one"),
    [
        ("skills.zip", None, False),
        ("skills.zip", "latest", False),
        ("skills.zip", "main", False),
        ("skills.zip", "v1", True),
        ("skills-1.2.tar.gz", None, True),
        ("v1.2.0/skills.zip", None, True),
        ("python3.11/skills.zip", None, False),
        ("o/r/archive/refs/tags/v1.zip", None, True),
        ("o/r/archive/refs/heads/main.zip", None, False),
        ("o/r/releases/download/v1/skills.zip", None, True),
        ("o/r/releases/latest/download/skills.zip", None, False),
        ("skills-1.0.zip?raw=1", None, True),
        ("skills-1.0rc1.zip", None, True),
        ("skills@1.0.0.tar", None, True),
        ("api/archive.zip?sha=v1.2.0", None, True),
        ("api/archive.zip?sha=main", None, False),
        (f"o/r/archive/{'3f' * 20}.zip", None, True),
    ],
)
def test_which_archives_are_one_version(name: str, requested: str | None, is_one: bool) -> None:
    address = f"https://example.com/{name}"
    source = Source(SourceKind.HTTP_ZIP, address, address, address, remote=True)
    assert has_version(source, Locked(address, "zip", requested, None, "", ())) == is_one
