"""Trees of git that mean harm are refused."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from skillbag.supply.sources import entries
from skillbag.supply.sources.fetched import FetchError, InvalidSourceError
from tests.supply.sources.git_fetches import fetch
from tests.supply.sources.repositories import AGENTS, Entry, Repository, skill

pytestmark = pytest.mark.usefixtures("git_config")


def hostile(repository: Repository, *entries: Entry) -> str:
    """A commit with a sound skill and these entries beside its `SKILL.md`; its branch."""
    text = repository.blob(skill("alpha")[".skills/alpha/SKILL.md"].encode())
    alpha = repository.tree(Entry("100644", "SKILL.md", text), *entries)
    skills = repository.tree(
        Entry("100644", "SKILLS.md", repository.blob(b"alpha: Does alpha.\n")), Entry("40000", "alpha", alpha)
    )
    agents = Entry("100644", "AGENTS.md", repository.blob(AGENTS.encode()))
    repository.point("hostile", repository.tree(Entry("40000", ".skills", skills), agents))
    return "hostile"


FILES = {
    "..": "..",
    ".": "'.'|`.`",
    ".git": r"\.git",
    ".GIT": r"\.GIT",
    "git~1": "git~1",
    "a/../../../../escaped": r"\.\.",
    "/escaped": "escaped",
    "scripts/run.sh": "a slash in the name",
    "C:escaped": "C:",
    "a\\..\\escaped": "escaped",
    "bell\x07": r"bell\\x07",
    "nul.txt": "nul",
    "skill.md": "skill.md",
    "SKILL.md": "SKILL.md",
    b"\xff\xfe": "UTF-8",
}


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_name_in_a_tree_is_refused_and_named(
    repository: Repository, tmp_path: Path, name: str | bytes
) -> None:
    branch = hostile(repository, Entry("100644", name, repository.blob(b"hello")))
    before = sorted(path for path in tmp_path.parent.rglob("escaped*"))

    with pytest.raises(InvalidSourceError, match=FILES[name]) as error:
        fetch(repository.url, branch)

    assert error.value.source == repository.url
    assert str(error.value).replace("\n", "").isprintable()
    assert sorted(path for path in tmp_path.parent.rglob("escaped*")) == before
    assert not list((Path(os.environ["SKILLBAG_CACHE_DIR"]) / "trees").iterdir())


LINKS = (
    "/etc/passwd",
    "../../../../etc/passwd",
    "../beta",
    "..",
    "a/../../../x",
    "",
    "x" * 5000,
    "C:\\x",
)


@pytest.mark.parametrize("target", LINKS, ids=range(len(LINKS)))
def test_a_hostile_link_in_a_tree_is_refused_and_named(repository: Repository, target: str) -> None:
    branch = hostile(repository, Entry("120000", "evil", repository.blob(target.encode())))

    with pytest.raises(InvalidSourceError, match="evil"):
        fetch(repository.url, branch)


def test_a_file_is_not_written_through_a_link_of_its_folders_name(repository: Repository, tmp_path: Path) -> None:
    inner = repository.tree(Entry("100644", "file", repository.blob(b"hello")))
    branch = hostile(
        repository, Entry("120000", "evil", repository.blob(str(tmp_path).encode())), Entry("40000", "evil", inner)
    )

    with pytest.raises(InvalidSourceError, match="evil"):
        fetch(repository.url, branch)
    assert not (tmp_path / "file").exists()


def test_all_faults_of_a_commit_are_reported_at_once(repository: Repository) -> None:
    blob = repository.blob(b"hello")
    branch = hostile(
        repository, Entry("100644", "con", blob), Entry("160000", "module", blob), Entry("100644", "..", blob)
    )

    with pytest.raises(InvalidSourceError) as error:
        fetch(repository.url, branch)

    assert len(error.value.faults) >= 3


def test_a_tree_that_holds_itself_many_times_is_refused_in_time(repository: Repository) -> None:
    tree = repository.tree(Entry("100644", "file", repository.blob(b"hello")))
    for _ in range(12):
        tree = repository.tree(*(Entry("40000", name, tree) for name in "abcdefghij"))
    branch = hostile(repository, Entry("40000", "bomb", tree))
    began = time.monotonic()

    with pytest.raises(InvalidSourceError, match="more than 50,000"):
        fetch(repository.url, branch)
    assert time.monotonic() - began < 50


def test_a_tree_without_end_is_refused(repository: Repository) -> None:
    tree = repository.tree(Entry("100644", "file", repository.blob(b"hello")))
    for _ in range(100):
        tree = repository.tree(Entry("40000", "a" * 200, tree))

    with pytest.raises(InvalidSourceError, match="aaaa") as error:
        fetch(repository.url, hostile(repository, Entry("40000", "deep", tree)))
    # Nobody went down to its end.
    assert len(error.value.faults) < 60


def test_a_file_that_is_larger_than_a_source_may_hold_is_refused(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entries, "MAX_FILE", 1 << 20)
    big = repository.blob(bytes(2 << 20))

    with pytest.raises(InvalidSourceError, match=r"big\.bin"):
        fetch(repository.url, hostile(repository, Entry("100644", "big.bin", big)))
    assert not list((Path(os.environ["SKILLBAG_CACHE_DIR"]) / "trees").iterdir())


@pytest.mark.parametrize(
    "files", [{"README.md": "hello"}, {"skills/alpha/SKILL.md": "hello"}, {"agents.md": AGENTS}, {"src/.skills/x": "x"}]
)
def test_a_repository_that_is_no_source_is_refused(repository: Repository, files: dict[str, str]) -> None:
    repository.commit(files)

    with pytest.raises(InvalidSourceError, match=r"holds neither `AGENTS.md` nor `.skills/`"):
        fetch(repository.url)


def test_a_damaged_tree_is_refused(repository: Repository) -> None:
    with pytest.raises((FetchError, InvalidSourceError)):
        fetch(repository.url, hostile(repository, Entry("", "x", repository.blob(b"x"))))
