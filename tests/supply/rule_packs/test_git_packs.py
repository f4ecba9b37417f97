"""Packs from git: nothing of them runs before their user has fetched and allowed them, and then only as pinned."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from skillbag.kernel.base.package_data import schema_fault
from skillbag.lint.rules.packs import parse_pack
from tests.doors.cli.terminals import on_terminal, plain
from tests.rows import each_row
from tests.supply.rule_packs.packs import PACK, project
from tests.supply.sources.repositories import Repository, make_repository
from tests.support import Run

pytestmark = [pytest.mark.boundary, pytest.mark.usefixtures("a_job")]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository whose folder `pack` is a pack."""
    return make_repository(tmp_path / "rules.git", {f"pack/{name}": text for name, text in PACK.items()})


def pin_of(repository: Repository) -> str:
    return f"git+{repository.url}@{repository.tip('refs/heads/main')}#subdirectory=pack"


def found(run: Run, root: Path) -> list[str]:
    report = json.loads(run("check", "--format", "json", cwd=root).out)
    return sorted(each["rule"] for each in report["findings"] if each["rule"].startswith("house-"))


def test_a_pack_is_added_pinned_and_used(run: Run, repository: Repository, tmp_path: Path) -> None:
    root = project(tmp_path / "project", more={"skillbag.toml": "# Ours.\n\nignore = ['prose']\n"})
    added = run("rules", "add", f"{repository.url}#subdirectory=pack", "--yes", cwd=root)
    assert added.code == 0, added.err
    config = (root / "skillbag.toml").read_text("utf-8")
    assert config == f"# Ours.\n\npacks = [\"{pin_of(repository)}\"]\nignore = ['prose']\n"
    assert found(run, root) == ["house-owner-missing", "house-spelling"]
    # The repository goes on, and the check stays as it is pinned, offline.
    repository.commit({"pack/rules/a.yaml": "broken"})
    os.rename(repository.path, tmp_path / "gone.git")
    assert found(run, root) == ["house-owner-missing", "house-spelling"]


def test_a_version_is_pinned_by_its_commit(run: Run, repository: Repository, tmp_path: Path) -> None:
    first = repository.tip("refs/heads/main")
    repository.git("tag", "v1")
    repository.commit({"pack/rules/other.txt": "x"})
    root = project(tmp_path / "project")
    done = run("rules", "add", f"{repository.url}@v1#subdirectory=pack", "--yes", "--json", cwd=root)
    assert schema_fault("rules", json.loads(done.out)) is None
    assert json.loads(done.out)["pack"] == f"git+{repository.url}@{first}#subdirectory=pack"


def test_a_check_fetches_and_runs_nothing(run: Run, repository: Repository, tmp_path: Path) -> None:
    witness = tmp_path / "ran"
    repository.commit(
        {f"pack/{k}": v for k, v in PACK.items()} | {"pack/predicates.py": f"open({str(witness)!r}, 'w')"}
    )
    root = project(tmp_path / "project", pin_of(repository))
    refused = run("check", cwd=root)
    assert refused.code == 2
    assert "skillbag team rules fetch" in refused.err
    # Without a terminal nobody can be asked.
    requested = run("rules", "fetch", cwd=root)
    assert (requested.code, "--yes" in requested.err) == (3, True)
    assert not witness.exists()
    assert not (Path(os.environ["SKILLBAG_STATE_DIR"]) / "rule-packs").exists()
    assert json.loads(run("rules", "fetch", "--json", cwd=root).out)["exit"] == 3


def test_a_pack_without_code_needs_no_leave(run: Run, tmp_path: Path) -> None:
    rule = {"rules/house-subfolders.yaml": PACK["rules/house-subfolders.yaml"]}
    repository = make_repository(tmp_path / "plain.git", rule)
    root = project(tmp_path / "project", f"git+{repository.url}@{repository.tip('refs/heads/main')}")
    assert run("rules", "fetch", cwd=root).code == 0
    (root / "skills/tidy/notes").mkdir()
    (root / "skills/tidy/notes/a.md").write_text("A note.\n", "utf-8")
    assert found(run, root) == ["house-subfolders"]
    assert "Family: plain;" in run("rule", "house-subfolders", cwd=root).out


@each_row(
    "repository, name",
    [
        ("https://example.com/org/House_Rules.git@{}", "house-rules"),
        ("https://example.com/org/rules/@{}", "rules"),
        ("git@example.com:rules.git@{}", "rules"),
        ("https://example.com/org/rules.git@{}#subdirectory=packs/_Prose_", "prose"),
        ("https://example.com/org/___.git@{}", "pack"),
    ],
)
def test_a_pack_has_the_last_name_of_its_place(repository: str, name: str) -> None:
    assert parse_pack(f"git+{repository.format('a' * 40)}").name == name


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"readme.md": "no rules"}, "there is no folder 'rules'"),
        ({"rules/a.yaml": "id: a", "rules/out": "-> ../../../etc"}, "out"),
        ({"rules/a.yaml": "id: a", "rules/A.yaml": "id: a"}, "A.yaml"),
    ],
)
def test_a_repository_that_is_refused(run: Run, files: dict[str, str], says: str, tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "bad.git", files)
    root = project(tmp_path / "project")
    before = (root / "skillbag.toml").read_bytes()
    done = run("rules", "add", repository.url, "--yes", cwd=root)
    assert done.code in (1, 2)
    assert says in done.err
    assert "Traceback" not in done.err
    assert (root / "skillbag.toml").read_bytes() == before


def test_a_pack_that_others_could_write_is_not_run(run: Run, repository: Repository, tmp_path: Path) -> None:
    root = project(tmp_path / "project", pin_of(repository))
    assert run("rules", "fetch", "--yes", cwd=root).code == 0
    (folder,) = (Path(os.environ["SKILLBAG_STATE_DIR"]) / "rule-packs").iterdir()
    folder.chmod(0o777)
    done = run("check", cwd=root)
    assert (done.code, "others could have written" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("skillbag.toml", "", "packs = [PIN]\n"),
        ("skillbag.toml", "[levels]\nsecret = 'note'\n", "packs = [PIN]\n[levels]\nsecret = 'note'\n"),
        ("skillbag.toml", "packs = ['b==1.0']\n", "packs = [PIN, 'b==1.0']\n"),
        ("skillbag.toml", "packs = [\n  'b==1.0',\n]\n", "packs = [\n  PIN,\n  'b==1.0',\n]\n"),
        ("skillbag.toml", "packs = []\r\n", "packs = [PIN, ]\r\n"),
        (
            "pyproject.toml",
            "[project]\nname='x'\n[tool.skillbag]\n# packs = []\nignore = []\n",
            "[project]\nname='x'\n[tool.skillbag]\npacks = [PIN]\n# packs = []\nignore = []\n",
        ),
        ("skillbag.toml", "packs = [PIN]\n", "packs = [PIN]\n"),
    ],
)
def test_only_the_pin_is_written(
    run: Run, name: str, before: str, after: str, repository: Repository, tmp_path: Path
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    pin = f'"{pin_of(repository)}"'
    (root / name).write_bytes(before.replace("PIN", pin).encode())
    done = run("rules", "add", f"{repository.url}#subdirectory=pack", "--yes", cwd=root)
    assert done.code == 0, done.err
    assert (root / name).read_bytes() == after.replace("PIN", pin).encode()


def test_another_pin_is_left_to_the_user(run: Run, repository: Repository, tmp_path: Path) -> None:
    root = project(tmp_path / "project", pin_of(repository))
    repository.commit({f"pack/{name}": text for name, text in PACK.items()} | {"x": "y"})
    done = run("rules", "add", f"{repository.url}#subdirectory=pack", "--yes", cwd=root)
    assert (done.code, "in its place" in done.err) == (2, True)


@pytest.mark.parametrize(("answer", "code"), [("y\r", 0), ("n\r", 3)])
def test_on_a_terminal_the_user_is_asked(repository: Repository, answer: str, code: int, tmp_path: Path) -> None:
    root = project(tmp_path / "project", pin_of(repository))
    done = on_terminal(root, "rules", "fetch", answer=answer)
    assert done.code == code, done.text
    shown = plain(done.text)
    assert "has code that runs with your rights in each check" in shown
    assert "predicates.py" in shown
    assert "fetching" not in done.pause
    assert (Path(os.environ["SKILLBAG_STATE_DIR"]) / "rule-packs").exists() is (code == 0)


def test_what_a_user_writes_for_a_repository(
    run: Run, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "Org").mkdir()
    os.rename(repository.path, tmp_path / "Org/rules.git")
    host = tmp_path.as_uri()
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.{host}/Org/rules.git.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://github.com/Org/rules.git")
    root = project(tmp_path / "project")
    (tmp_path / "clone").mkdir()
    (tmp_path / "clone/.git").mkdir()
    done = run("rules", "add", "../clone", cwd=root)
    assert (done.code, f"file://{tmp_path / 'clone'}" in done.err) == (2, True)
    for text in ("Org/rules/pack", "Org/rules#subdirectory=pack"):
        done = run("rules", "add", text, "--yes", "--dry-run", cwd=root)
        assert "git+https://github.com/Org/rules" in done.out + done.err
