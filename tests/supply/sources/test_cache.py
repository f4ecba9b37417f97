"""The cache: trees that are whole or made again, and clearing what is unused."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from skillbag.kernel.workspace.tree_hash import tree_hash
from skillbag.supply.sources import cache
from skillbag.supply.sources.cache import Cache, key_of, open_cache, prune


@pytest.fixture
def kept(tmp_path: Path) -> Cache:
    """An empty cache."""
    return open_cache(str(tmp_path / "cache"))


def fill(to: str) -> str:
    """Write a little tree."""
    Path(to, "a").mkdir()
    Path(to, "a", "file").write_text("hello")
    return tree_hash(to)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if not path.name.endswith(".lock")}


def test_a_tree_is_found_again_while_it_is_whole(kept: Cache) -> None:
    assert kept.tree("key") is None
    root = kept.add_tree("key", fill)

    assert kept.tree("key") == root
    Path(root, "a", "file").write_text("changed")
    assert kept.tree("key") is None
    assert kept.add_tree("key", fill) == root
    assert Path(root, "a", "file").read_text() == "hello"


def test_a_tree_without_its_hash_is_incomplete(kept: Cache) -> None:
    root = kept.add_tree("key", fill)
    Path(f"{root}.hash").unlink()

    assert kept.tree("key") is None


def test_a_tree_that_cannot_be_filled_leaves_nothing_behind(kept: Cache) -> None:
    def fail(to: str) -> str:
        fill(to)
        raise ValueError("broken")

    before = names(Path(kept.folder))
    with pytest.raises(ValueError, match="broken"):
        kept.add_tree("key", fail)

    assert names(Path(kept.folder)) == before


def test_other_users_cannot_read_the_cache(tmp_path: Path) -> None:
    if os.name == "posix":
        assert (os.stat(open_cache(str(tmp_path / "cache")).folder).st_mode & 0o077) == 0


def test_the_archive_of_an_address_is_remembered(kept: Cache) -> None:
    assert kept.remembered("https://example.com/a.zip") is None
    kept.remember("https://example.com/a.zip", "0" * 64)

    assert kept.remembered("https://example.com/a.zip") == "0" * 64
    (path,) = (Path(kept.folder) / "urls").iterdir()
    for wrong in (b"", b"../../etc/passwd", b"\xff" * 64, b"0" * 65):
        path.write_bytes(wrong)
        assert kept.remembered("https://example.com/a.zip") is None


def age(*paths: str | Path, days: float) -> None:
    then = time.time() - days * 24 * 60 * 60
    for path in paths:
        os.utime(path, (then, then), follow_symlinks=False)


def test_clearing_keeps_what_was_used_recently(kept: Cache) -> None:
    old, new = kept.add_tree("old", fill), kept.add_tree("new", fill)
    archives = [kept.archive(digit * 64) for digit in "01"]
    repositories = [kept.repository(name) for name in ("old", "new")]
    for archive in archives:
        Path(archive).write_bytes(b"zip")
    for repository in repositories:
        Path(repository).mkdir()
        Path(repository, "HEAD").touch()
    age(f"{old}.hash", archives[0], Path(repositories[0], "HEAD"), days=31)

    prune(kept.folder, 30)

    assert [os.path.exists(path) for path in (old, f"{old}.hash", archives[0], repositories[0])] == [False] * 4
    assert [os.path.exists(path) for path in (new, archives[1], repositories[1])] == [True] * 3
    assert kept.tree("new") == new


def test_use_protects_from_clearing(kept: Cache) -> None:
    root = kept.add_tree("key", fill)
    age(f"{root}.hash", days=31)
    kept.tree("key")

    prune(kept.folder, 30)

    assert kept.tree("key") == root


def test_clearing_all_and_what_interrupted_runs_left(kept: Cache) -> None:
    kept.add_tree("key", fill)
    kept.remember("https://example.com/a.zip", "0" * 64)
    trees = Path(kept.folder, "trees")
    for name in (".new-1", ".old-1"):
        fill_named(trees / name)
        age(trees / name, days=1)
    fill_named(trees / ".new-2")
    Path(trees, "orphan.hash").touch()
    time.sleep(0.01)

    prune(kept.folder)

    # Somebody may be filling it just now.
    assert names(Path(kept.folder)) - {"git", "archives", "urls", "registry", "trees", "locks"} == {
        ".new-2",
        "a",
        "file",
    }


def fill_named(folder: Path) -> None:
    folder.mkdir()
    fill(str(folder))


def test_a_repository_in_use_is_not_cleared(kept: Cache) -> None:
    repository = Path(kept.repository("source"))
    repository.mkdir()
    with kept.held(repository.name, lambda: None):
        prune(kept.folder)
        assert repository.is_dir()

    prune(kept.folder)
    assert not repository.exists()


def test_clearing_a_cache_that_was_never_made(tmp_path: Path) -> None:
    prune(str(tmp_path / "none"))

    assert not (tmp_path / "none").exists()


def test_keys_are_names_for_any_file_system_and_keep_texts_apart() -> None:
    assert len({key_of("a", "b"), key_of("ab"), key_of("a"), key_of("A")}) == 4
    assert all(len(key_of(text)) == 32 and key_of(text).isalnum() for text in ("../../x", "\0", "\udcff", "x" * 9999))


def test_waiting_for_a_lock_ends(kept: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "WAIT", 0.05)
    reported: list[str] = []
    with (
        kept.held("key", lambda: reported.append("first")),
        pytest.raises(TimeoutError),
        kept.held("key", lambda: reported.append("second")),
    ):
        pass

    assert reported == ["second"]
