"""`skillbag install` from git, zip and HTTP: one source in four kinds, pins, upgrades, merges, offline."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.install.worlds import (
    call,
    checks,
    installed,
    lock_of,
    make_workspace,
    skill_text,
    snapshot,
    source_files,
    statuses,
    write,
)
from tests.sources.repositories import Repository, git, make_repository
from tests.sources.servers import (
    authenticated,
    content,
    git_backend,
    make_certificate,
    serve,
)
from tests.support import CORPUS, Run

pytestmark = pytest.mark.usefixtures("git_config")

LINES = "".join(f"Line {number}.\n\n" for number in range(12))


def repository(tmp_path: Path, **skills: str) -> Repository:
    """A bare repository `repo.git` with these skills (name to body)."""
    return make_repository(tmp_path / "repo.git", source_files({n: skill_text(n, body=b) for n, b in skills.items()}))


def commit(repo: Repository, branch: str = "main", **skills: str) -> str:
    """Another commit with these skills alone."""
    return repo.commit(source_files({n: skill_text(n, body=b) for n, b in skills.items()}), branch)


def zipped(repo: Repository, path: Path, *arguments: str) -> Path:
    """The zip that `git archive` makes of the repository's head."""
    repo.git("archive", "--format=zip", "-o", str(path), *arguments, "main")
    return path


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
            server.table["/plain.zip"] = content(plain.read_bytes())
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
def test_all_kinds_of_source_give_the_same_trees_and_the_same_catalog(
    run: Run, tmp_path: Path, kinds: Callable[[Repository], dict[str, str]]
) -> None:
    files: dict[str, str | bytes] = dict(source_files({"a": skill_text("a", ["b"]), "b": skill_text("b")}))
    files |= {".skills/a/scripts/run.sh": "#!/bin/sh\necho ran\n", ".skills/a/assets/logo.bin": bytes(range(256)) * 50}
    files |= {".skills/b/references/windows.md": "One.\r\nTwo.\r\n", ".skills/b/references/latest.md": "-> windows.md"}
    repo = make_repository(tmp_path / "repo.git", files, executable=[".skills/a/scripts/run.sh"])
    addresses = kinds(repo)
    # `zip` follows links unless it is told otherwise: to it they are files.
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
    code, values = call(run, workspace, "update", "--yes")
    assert code == 0
    assert sorted(statuses(values).values()) == ["current"] * 8 + ["upgraded"]
    assert (workspace / ".skills/skillbag-supervisor/SKILL.md").read_bytes().endswith(changed)
    assert call(run, workspace, "verify")[0] == 0


@pytest.mark.proves("install", "bootstrap.default-head")
def test_without_a_version_the_head_of_the_default_branch_is_taken(run: Run, tmp_path: Path) -> None:
    repo = repository(tmp_path, a="Main.")
    head = repo.tip("refs/heads/main")
    commit(repo, "other", a="Other.")
    workspace = make_workspace(tmp_path / "work")
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
    outcome = run("install", "a", "--source", repo.url, "--version", "v1.1", cwd=workspace)
    assert outcome.code == 4
    assert "v1.0" in outcome.err


@pytest.mark.proves("install", "resolution.dependency-conflict")
def test_pins_compare_by_commit(run: Run, tmp_path: Path) -> None:
    repo = repository(tmp_path, a="One.")
    repo.git("tag", "v1", "refs/heads/main")
    commit(repo, a="Two.")
    repo.git("tag", "v2", "refs/heads/main")
    two = [{"name": "a", "version": version, "source": repo.url} for version in ("v2", "main")]
    assert call(run, make_workspace(tmp_path / "same", two), "install")[0] == 0
    workspace = make_workspace(
        tmp_path / "work", [{"name": "a", "version": version, "source": repo.url} for version in ("v1", "v2")]
    )
    before = snapshot(workspace)
    code, values = call(run, workspace, "install")
    assert (code, values["problems"][0]["kind"]) == (3, "conflict")
    assert [chain[-1] for chain in values["problems"][0]["chains"]] == [f"{repo.url} v1", f"{repo.url} v2"]
    assert snapshot(workspace) == before


def test_one_repository_written_two_ways_is_one(run: Run, tmp_path: Path, git_config: Path) -> None:
    repo = repository(tmp_path, a="One.", b="One.")
    rewrite = f'[url "{repo.path.parent.as_uri()}/"]\n\tinsteadOf = git@git.example.com:Org/\n'
    git_config.write_text(rewrite + "\tinsteadOf = https://git.example.com/Org/\n")
    workspace = make_workspace(
        tmp_path / "work",
        [
            {"name": "a", "version": "main", "source": "git@git.example.com:Org/repo.git"},
            {"name": "a", "version": "main", "source": "https://git.example.com/Org/repo"},
            {"name": "b", "version": "main", "source": "https://git.example.com/Org/repo.git"},
        ],
    )
    code, values = call(run, workspace, "install")
    assert code == 0, values["problems"]
    assert installed(workspace) == ["a", "b"]


def test_the_locked_commit_holds_until_an_update_is_asked_for(run: Run, tmp_path: Path) -> None:
    import shutil

    repo = repository(tmp_path, a="One.", b="One.")
    workspace = make_workspace(tmp_path / "work", [{"name": "a", "version": "main", "source": repo.url}])
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


def test_a_sibling_comes_from_the_commit_of_whoever_asks_for_it(run: Run, tmp_path: Path) -> None:
    repo = make_repository(
        tmp_path / "repo.git", source_files({"a": skill_text("a", ["b"]), "b": skill_text("b", body="One.")})
    )
    repo.git("tag", "v1", "refs/heads/main")
    repo.commit(source_files({"a": skill_text("a"), "b": skill_text("b", body="Two.")}))
    workspace = make_workspace(tmp_path / "work", [{"name": "a", "version": "v1", "source": repo.url}])
    assert call(run, workspace, "install")[0] == 0
    assert "One." in (workspace / ".skills/b/SKILL.md").read_text()
    assert lock_of(workspace)["b"]["resolved"] == lock_of(workspace)["a"]["resolved"]


def test_a_merge_joins_edits_with_the_new_version(run: Run, tmp_path: Path) -> None:
    repo = repository(tmp_path, a=LINES)
    workspace = make_workspace(tmp_path / "work", [{"name": "a", "version": "main", "source": repo.url}])
    assert call(run, workspace, "install")[0] == 0
    skill = workspace / ".skills/a/SKILL.md"
    skill.write_text(skill.read_text().replace("Line 1.", "My line."))
    second = commit(repo, a=LINES.replace("Line 10.", "Their line."))
    assert statuses(call(run, workspace, "update", "--yes")[1]) == {"a": "edited"}
    code, values = call(run, workspace, "update", "--merge", "a")
    assert (code, statuses(values)) == (0, {"a": "merged"})
    assert "My line." in skill.read_text()
    assert "Their line." in skill.read_text()
    assert lock_of(workspace)["a"]["resolved"] == second
    assert "My line." in (workspace / values["backups"][0] / "SKILL.md").read_text()
    assert statuses(call(run, workspace, "list")[1])["a"] == "edited"
    assert run("diff", "a", cwd=workspace).out.count("\n+") == 2


def test_a_merge_that_can_t_be_made_writes_nothing_unless_markers_are_asked_for(run: Run, tmp_path: Path) -> None:
    repo = repository(tmp_path, a=LINES)
    workspace = make_workspace(tmp_path / "work", [{"name": "a", "version": "main", "source": repo.url}])
    assert call(run, workspace, "install")[0] == 0
    skill = workspace / ".skills/a/SKILL.md"
    skill.write_text(skill.read_text().replace("Line 5.", "My line."))
    commit(repo, a=LINES.replace("Line 5.", "Their line."))
    before = snapshot(workspace)
    code, values = call(run, workspace, "update", "--merge", "a")
    assert (code, values["problems"][0]["path"]) == (3, ".skills/a/SKILL.md")
    assert snapshot(workspace) == before
    code, values = call(run, workspace, "update", "--merge", "a", "--markers")
    assert (code, statuses(values)) == (0, {"a": "merged"})
    assert "<<<<<<<" in skill.read_text()
    assert ">>>>>>>" in skill.read_text()


def test_what_was_fetched_once_installs_again_without_a_network(run: Run, tmp_path: Path) -> None:
    repo = repository(tmp_path, a="One.")
    archive = zipped(repo, tmp_path / "source.zip").read_bytes()
    with serve({"/source.zip": content(archive), "/": git_backend(tmp_path)}) as server:
        addresses = [f"{server.url}/source.zip", f"{server.url}/repo.git"]
        for number, address in enumerate(addresses):
            workspace = make_workspace(tmp_path / f"first-{number}")
            assert call(run, workspace, "install", "a", "--source", address)[0] == 0
            lock = workspace / "skillbag.lock"
    for number, address in enumerate(addresses):
        workspace = make_workspace(tmp_path / f"second-{number}")
        assert call(run, workspace, "install", "a", "--source", address)[0] == 4
        assert call(run, workspace, "install", "a", "--source", address, "--offline")[0] == 0
        assert installed(workspace) == ["a"]
    third = make_workspace(tmp_path / "third")
    write(third, {"skillbag.lock": lock.read_bytes()})
    assert call(run, third, "install", "--frozen", "--offline")[0] == 0
    empty = make_workspace(tmp_path / "fourth")
    assert call(run, empty, "install", "a", "--source", "https://git.example.com/Org/x.git", "--offline")[0] == 4


def test_one_fetch_however_many_skills_come_from_a_repository(run: Run, tmp_path: Path) -> None:
    repo = repository(tmp_path, a="One.", b="One.", c="One.")
    with serve({"/": git_backend(tmp_path)}) as server:
        workspace = make_workspace(
            tmp_path / "work",
            [{"name": name, "version": "main", "source": f"{server.url}/repo.git"} for name in ("a", "b", "c")],
        )
        assert call(run, workspace, "install")[0] == 0
        fetches = server.seen("git-upload-pack")
        assert call(run, workspace, "install")[0] == 0
        assert server.seen("git-upload-pack") == fetches
    posts = [request for request in fetches if request.startswith("POST")]
    assert 1 <= len(posts) <= 2, fetches
    assert repo.path.is_dir()


def test_a_skill_from_afar_may_not_name_a_path_of_this_machine(run: Run, tmp_path: Path) -> None:
    secret = write(tmp_path / "private", source_files({"b": skill_text("b")}))
    skills = {"a": skill_text("a", [{"name": "b", "source": str(secret)}])}
    make_repository(tmp_path / "repo.git", source_files(skills))
    with serve({"/": git_backend(tmp_path)}) as server:
        workspace = make_workspace(tmp_path / "work")
        before = snapshot(workspace)
        code, values = call(run, workspace, "install", "a", "--source", f"{server.url}/repo.git")
    assert code == 1
    assert "path of this machine" in values["problems"][0]["message"]
    assert snapshot(workspace) == before


def test_credentials_of_an_address_go_to_the_server_and_nowhere_else(run: Run, tmp_path: Path) -> None:
    repo = repository(tmp_path, a="One.")
    archive = zipped(repo, tmp_path / "source.zip").read_bytes()
    secret = "Zk93-token-5rTq81"
    table = {
        "/source.zip": authenticated(content(archive), "reader", secret),
        "/": authenticated(git_backend(tmp_path), "reader", secret),
    }
    with serve(table) as server:
        for path in ("repo.git", "source.zip"):
            address = f"{server.url}/{path}".replace("://", f"://reader:{secret}@")
            workspace = make_workspace(tmp_path / f"work-{path}")
            outcome = run("add", "a", "--source", address, cwd=workspace)
            assert outcome.code == 0, outcome.err
            wrong = run("install", "zz", "--source", address, cwd=workspace)
            assert wrong.code == 1
            refused = run("install", "a", "--source", address.replace(secret, secret[::-1]), "--upgrade", cwd=workspace)
            assert refused.code == 4
            said = outcome.out + outcome.err + wrong.out + wrong.err + refused.out + refused.err
            assert secret not in said
            assert secret[::-1] not in said
            held = [path for path in workspace.rglob("*") if path.is_file() and secret in path.read_text("utf-8")]
            assert held == []
    import os

    for folder in (os.environ["SKILLBAG_CACHE_DIR"], os.environ["SKILLBAG_STATE_DIR"]):
        assert [
            path for path in Path(folder).rglob("*") if path.is_file() and secret.encode() in path.read_bytes()
        ] == []


def test_https_with_a_certificate_of_one_s_own(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = repository(tmp_path, a="One.")
    archive = zipped(repo, tmp_path / "source.zip").read_bytes()
    certificate = make_certificate(tmp_path)
    with serve({"/source.zip": content(archive), "/": git_backend(tmp_path)}, certificate) as server:
        for number, path in enumerate(("source.zip", "repo.git")):
            workspace = make_workspace(tmp_path / f"work-{number}")
            outcome = run("install", "a", "--source", f"{server.url}/{path}", cwd=workspace)
            assert (outcome.code, "certificate" in outcome.err) == (4, True), outcome.err
            with monkeypatch.context() as patch:
                patch.setenv("SSL_CERT_FILE", str(certificate.certificate))
                patch.setenv("GIT_SSL_CAINFO", str(certificate.certificate))
                assert call(run, workspace, "install", "a", "--source", f"{server.url}/{path}")[0] == 0


def test_nothing_unpacked_for_one_run_is_left_in_the_cache(run: Run, tmp_path: Path) -> None:
    import os

    files: dict[str, str | bytes] = dict(source_files({"a": skill_text("a"), "b": skill_text("b")}))
    files[".skills/a/node_modules/x/index.js"] = "left out\n"
    repo = make_repository(tmp_path / "repo.git", files)
    for address in (repo.url, str(zipped(repo, tmp_path / "source.zip"))):
        workspace = make_workspace(tmp_path / f"work-{len(address)}")
        assert call(run, workspace, "install", "a", "--source", address)[0] == 0
        assert sorted(path.name for path in (workspace / ".skills/a").rglob("*")) == ["SKILL.md"]
        assert call(run, workspace, "install", "b", "--source", address, "--offline")[0] == 0
        assert call(run, workspace, "verify")[0] == 0
    assert list(Path(os.environ["SKILLBAG_CACHE_DIR"], "trees").iterdir()) == []
