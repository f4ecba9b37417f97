"""`skillbag install` from git, zip and HTTP: one source in four kinds, pins, upgrades, merges, offline."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.rows import each_row
from tests.supply.install.declared import need
from tests.supply.install.git_sources import commit, repository, zipped
from tests.supply.install.outcomes import checks, error_of, installed, lock_of, statuses, values_of
from tests.supply.install.worlds import call, make_workspace, skill_text, source_files
from tests.supply.sources.repositories import Repository, git, make_repository
from tests.supply.sources.servers import content, git_backend, serve
from tests.support import CORPUS, Run

pytestmark = pytest.mark.usefixtures("git_config")


@pytest.fixture
def kinds(tmp_path: Path) -> Iterator[Callable[[Repository], dict[str, str]]]:
    """The addresses of a repository's content in all kinds of source, served where need be."""
    with serve({}) as server:

        def addresses(repo: Repository) -> dict[str, str]:
            folder = tmp_path / "as-folder"
            git(tmp_path, "clone", "--quiet", str(repo.path), str(folder))
            plain = zipped(repo, tmp_path / "plain.zip")
            nested = zipped(repo, tmp_path / "nested.zip", "--prefix=repo-main/")
            made = tmp_path / "made.zip"
            subprocess.run(["zip", "-qr", str(made), ".", "-x", ".git/*"], cwd=folder, check=True)
            tar = zipped(repo, tmp_path / "made.tar.gz", "--prefix=repo-main/")
            server.table["/plain.zip"] = content(plain.read_bytes())
            server.table["/made.tar.gz"] = content(tar.read_bytes())
            server.table["/o/r/tarball/main"] = content(tar.read_bytes(), headers={"Content-Encoding": "x-gzip"})
            server.table["/"] = git_backend(tmp_path)
            return {
                "file": repo.url,
                "bare path": str(repo.path),
                "git over HTTP": f"{server.url}/repo.git",
                "HTTP zip": f"{server.url}/plain.zip",
                "zip of git archive": str(plain),
                "zip with one top folder": str(nested),
                "zip of zip": str(made),
                "folder": str(folder),
                "tar": str(tar),
                "HTTP tar": f"{server.url}/made.tar.gz",
                "HTTP tar without an ending": f"{server.url}/o/r/tarball/main",
            }

        yield addresses


def installs(run: Run, tmp_path: Path, addresses: dict[str, str]) -> set[tuple[object, ...]]:
    """What the lock's trees and the catalog are after an installation from each address."""
    found: set[tuple[object, ...]] = set()
    for kind, address in addresses.items():
        workspace = make_workspace(tmp_path / "work" / kind.replace(" ", "-"))
        code, values = call(run, workspace, "install", "--all", "--source", address)
        assert code == 0, (kind, values["problems"])
        assert checks(run, workspace).code == 0
        assert call(run, workspace, "verify")[0] == 0
        trees = tuple((name, locked["tree"]) for name, locked in lock_of(workspace).items())
        found.add((trees, (workspace / ".skills/SKILLS.md").read_bytes()))
    return found


@pytest.mark.proves("install", "source.kinds")
def test_all_kinds_of_source_give_the_same_result(
    run: Run, tmp_path: Path, kinds: Callable[[Repository], dict[str, str]]
) -> None:
    files: dict[str, str | bytes] = dict(source_files({"a": skill_text("a", ["b"]), "b": skill_text("b")}))
    files |= {".skills/a/scripts/run.sh": "#!/bin/sh\necho ran\n", ".skills/a/assets/logo.bin": bytes(range(256)) * 50}
    files |= {".skills/b/references/windows.md": "One.\r\nTwo.\r\n", ".skills/b/references/latest.md": "-> windows.md"}
    repo = make_repository(tmp_path / "repo.git", files, executable=[".skills/a/scripts/run.sh"])
    addresses = kinds(repo)
    # `zip` follows links by default: they become files.
    del addresses["zip of zip"]
    assert len(installs(run, tmp_path, addresses)) == 1
    for kind in addresses:
        skills = tmp_path / "work" / kind.replace(" ", "-") / ".skills"
        assert (skills / "a/scripts/run.sh").stat().st_mode & 0o100, kind
        assert (skills / "b/references/latest.md").is_symlink(), kind


def test_the_published_source_installs_verifies_and_upgrades_from_every_kind(
    run: Run, tmp_path: Path, corpus: Callable[[str], Path], kinds: Callable[[Repository], dict[str, str]]
) -> None:
    folder = corpus("skillbag-utils")
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    repo = make_repository(tmp_path / "repo.git", files)
    addresses = kinds(repo) | {"published": str(CORPUS / "skillbag-utils.zip")}
    assert len(installs(run, tmp_path, addresses)) == 1
    workspace = tmp_path / "work" / "file"
    assert len(lock_of(workspace)) == 9
    changed = b"\nOne line more.\n"
    repo.commit(
        files | {".skills/skillbag-supervisor/SKILL.md": files[".skills/skillbag-supervisor/SKILL.md"] + changed}
    )
    values = values_of(run, workspace, "update", "--yes", code=0)
    assert sorted(statuses(values).values()) == ["current"] * 8 + ["upgraded"]
    assert (workspace / ".skills/skillbag-supervisor/SKILL.md").read_bytes().endswith(changed)
    assert call(run, workspace, "verify")[0] == 0


@pytest.mark.proves("install", "bootstrap.default-head")
def test_without_a_version_the_head_of_the_default_branch_is_taken(run: Run, tmp_path: Path, workspace: Path) -> None:
    repo = repository(tmp_path, a="Main.")
    head = repo.tip("refs/heads/main")
    commit(repo, "other", a="Other.")
    assert call(run, workspace, "install", "a", "--source", repo.url)[0] == 0
    assert (lock_of(workspace)["a"]["resolved"], lock_of(workspace)["a"]["requested"]) == (head, None)
    assert "Main." in (workspace / ".skills/a/SKILL.md").read_text()


def test_tag_branch_and_commit_are_versions_and_an_unknown_one_fails_with_the_nearest(run: Run, tmp_path: Path) -> None:
    repo = repository(tmp_path, a="One.")
    first = repo.tip("refs/heads/main")
    repo.git("tag", "v1.0", first)
    commit(repo, a="Two.")
    commit(repo, "next", a="Three.")
    for version, body in (
        ("v1.0", "One."),
        ("main", "Two."),
        ("next", "Three."),
        (first, "One."),
        (first[:10], "One."),
    ):
        workspace = make_workspace(tmp_path / version)
        assert call(run, workspace, "install", "a", "--source", repo.url, "--version", version)[0] == 0
        assert body in (workspace / ".skills/a/SKILL.md").read_text()
        assert lock_of(workspace)["a"]["requested"] == version
    workspace = make_workspace(tmp_path / "unknown")
    assert "v1.0" in error_of(run, "install", "a", "--source", repo.url, "--version", "v1.1", code=4, cwd=workspace)


@each_row(
    ("source", "end"),
    [
        ("owner/name", "/owner/name; in a file write the full address, such as https://github.com/owner/name.git"),
        ("notes", "/notes; a repository's address begins with https://, ssh:// or git@"),
        ("notes.zip", "/notes.zip"),
        ("/none/notes", ": /none/notes"),
    ],
)
def test_a_declared_source_that_is_not_there_gets_a_hint(run: Run, tmp_path: Path, source: str, end: str) -> None:
    _, values = call(run, make_workspace(tmp_path / "w", [need("a", source, "v1")]), "install")
    assert values["problems"][0]["message"].endswith(end)


def test_one_repository_written_two_ways_is_one(run: Run, tmp_path: Path, git_config: Path) -> None:
    repo = repository(tmp_path, a="One.", b="One.")
    rewrite = f'[url "{repo.path.parent.as_uri()}/"]\n\tinsteadOf = git@git.example.com:Org/\n'
    git_config.write_text(rewrite + "\tinsteadOf = https://git.example.com/Org/\n")
    workspace = make_workspace(
        tmp_path / "work",
        [
            need("a", "git@git.example.com:Org/repo.git", "main"),
            need("a", "https://git.example.com/Org/repo", "main"),
            need("b", "https://git.example.com/Org/repo.git", "main"),
        ],
    )
    code, values = call(run, workspace, "install")
    assert code == 0, values["problems"]
    assert installed(workspace) == ["a", "b"]


def test_the_locked_commit_holds_until_an_update_is_asked_for(run: Run, tmp_path: Path) -> None:
    import shutil

    repo = repository(tmp_path, a="One.", b="One.")
    workspace = make_workspace(tmp_path / "work", [need("a", repo.url, "main")])
    assert call(run, workspace, "install")[0] == 0
    first = lock_of(workspace)["a"]["resolved"]
    second = commit(repo, a="Two.", b="Two.")
    shutil.rmtree(workspace / ".skills/a")
    assert call(run, workspace, "install")[0] == 0
    assert "One." in (workspace / ".skills/a/SKILL.md").read_text()
    assert statuses(call(run, workspace, "outdated")[1]) == {"a": "outdated"}
    code, values = call(run, workspace, "update", "--yes")
    (row,) = values["skills"]
    assert (code, row["status"], row["was"], row["resolved"]) == (0, "upgraded", first, second)
    assert "Two." in (workspace / ".skills/a/SKILL.md").read_text()


def test_a_declared_tar_archive_is_named_as_an_extension(run: Run, tmp_path: Path) -> None:
    archive = zipped(repository(tmp_path, tidy="One."), tmp_path / "made.tar.gz")
    workspace = make_workspace(tmp_path / "work")
    code, values = call(run, workspace, "add", "tidy", "--source", str(archive))

    assert code == 0
    assert "CONTEXT.md names a tar archive for tidy; other programs may only take zips." in values["notes"]
    assert lock_of(workspace)["tidy"]["kind"] == "tar"
    assert call(run, workspace, "install", "--frozen")[0] == 0
    assert call(run, workspace, "verify", "--source")[0] == 0
    assert checks(run, workspace).code == 0
