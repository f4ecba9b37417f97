"""The cache of checks does not grow without bound, and can be cleared."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path

import pytest

from skillbag.lint.cache import store
from skillbag.lint.cache.checker import CachedChecker
from skillbag.lint.cache.store import evict, place_of
from skillbag.lint.engine.checker import Checker
from skillbag.lint.engine.request import CheckRequest
from tests.support import Run, Tree, skill

DAY = 24 * 60 * 60


def filled(folder: Path, sizes: list[int]) -> list[Path]:
    """Files of these sizes, the first one used last."""
    folder.mkdir(parents=True, exist_ok=True)
    now = time.time()
    paths = []
    for number, size in enumerate(sizes):
        path = folder / f"{number:04}.checks"
        path.write_bytes(b"x")
        os.truncate(path, size)
        os.utime(path, (now, now - number * 60))
        paths.append(path)
    return paths


def left(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_no_more_files_are_kept_than_so_many(tmp_path: Path) -> None:
    paths = filled(tmp_path, [1] * (store.MAX + 30))
    evict(str(tmp_path), time.time())
    assert left(tmp_path) == [path.name for path in paths[: store.MAX]]


def test_no_more_bytes_are_kept_than_so_many(tmp_path: Path) -> None:
    paths = filled(tmp_path, [store.MAX_BYTES // 2, store.MAX_BYTES // 4, store.MAX_BYTES // 2, 1])
    evict(str(tmp_path), time.time())
    assert left(tmp_path) == [path.name for path in paths[:2]]


def test_the_file_that_was_used_last_is_kept_whatever_its_size(tmp_path: Path) -> None:
    paths = filled(tmp_path, [store.MAX_BYTES * 2, 1])
    evict(str(tmp_path), time.time())
    assert left(tmp_path) == [paths[0].name]


def test_what_a_killed_process_left_goes_after_a_while(tmp_path: Path) -> None:
    for name, age in (("old", 3600), ("new", 1)):
        path = tmp_path / f".skillbag-{name}.tmp"
        path.write_bytes(b"x")
        os.utime(path, (time.time(), time.time() - age))
    evict(str(tmp_path), time.time())
    assert left(tmp_path) == [".skillbag-new.tmp"]


def test_many_may_bound_one_folder_at_once(tmp_path: Path) -> None:
    filled(tmp_path, [1] * 600)
    threads = [threading.Thread(target=evict, args=(str(tmp_path), time.time())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(left(tmp_path)) == store.MAX


@pytest.fixture
def top(tree: Tree) -> Path:
    return tree({"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/one/SKILL.md": skill("one")})


def test_a_check_bounds_the_folder_and_keeps_its_own_file(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MAX", 3)
    request = CheckRequest((str(top),))
    own = Path(place_of(request))
    filled(own.parent, [1] * 10)
    CachedChecker(request).check()
    assert own.exists()
    assert len(left(own.parent)) == 3


def test_a_check_that_is_remembered_counts_as_use(top: Path) -> None:
    request = CheckRequest((str(top),))
    own = Path(place_of(request))
    CachedChecker(request).check()
    os.utime(own, (1, 1))
    CachedChecker(request).check()
    assert own.stat().st_mtime > time.time() - 60


def test_the_cache_tells_the_size_of_its_parts(top: Path, run: Run) -> None:
    request = CheckRequest((str(top),))
    CachedChecker(request).check()
    values = json.loads(run("cache", "dir", "--json").out)["values"]
    size = os.path.getsize(place_of(request))
    checks = {"checks": os.path.dirname(place_of(request)), "checks_files": 1, "checks_bytes": size}
    assert values.items() >= checks.items()
    assert values["bytes"] >= size
    plain = run("cache", "dir")
    assert plain.code == 0
    assert plain.out == f"{os.environ['SKILLBAG_CACHE_DIR']}\n"


def test_clearing_the_cache_clears_the_checks(top: Path, run: Run) -> None:
    request = CheckRequest((str(top),))
    own = Path(place_of(request))
    CachedChecker(request).check()
    old = own.parent / "old.checks"
    old.write_bytes(b"x" * 1000)
    os.utime(old, (time.time(), time.time() - 10 * DAY))

    kept = json.loads(run("cache", "prune", "--older-than", "5", "--json").out)["values"]
    assert kept["freed"] == 1000
    assert left(own.parent) == [own.name]

    cleared = run("cache", "prune")
    assert cleared.code == 0
    assert not own.exists()
    assert CachedChecker(request).check() == Checker(request).check()


def test_many_findings_on_one_long_line_keep_it_once(tree: Tree) -> None:
    line = " ".join(f"[x](gone{number}.md) {'w ' * 500}" for number in range(200))
    root = tree({"skills/a/SKILL.md": f"{skill('a')}\n{line}\n"})
    os.utime(root / "skills/a/SKILL.md", (1, 1))
    request = CheckRequest((str(root),))
    fresh = CachedChecker(request).check()
    place = place_of(request._replace(today=""))
    assert place
    # Once with the skill, and once with the whole result.
    assert os.path.getsize(place) < 10 * len(line)
    assert CachedChecker(request).check() == fresh == Checker(request).check()
