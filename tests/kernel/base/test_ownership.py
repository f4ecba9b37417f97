"""Caches and state are used only if nobody else can have written in them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from skillbag.kernel.base.ownership import is_own_folder
from skillbag.kernel.base.user_dirs import cache_folder, state_folder
from tests.support import Run

OTHER = 12345


def _other(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(path, OTHER, -1)


def _open_to_all(folder: Path) -> None:
    folder.chmod(0o1777)


def _planted(folder: Path) -> None:
    folder.chmod(0o775)
    (folder / "git").mkdir()
    _other(folder / "git")


def _linked(folder: Path) -> None:
    folder.rename(folder.with_name("real"))
    folder.symlink_to("real")


def _linked_by_another(folder: Path) -> None:
    _linked(folder)
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(folder, OTHER, -1, follow_symlinks=False)


def _closed(folder: Path) -> None:
    folder.chmod(0o755)


def _open_to_the_group(folder: Path) -> None:
    (folder / "git").mkdir()
    folder.chmod(0o775)


PREPARED: list[tuple[Callable[[Path], object], bool]] = [
    (Path.rmdir, True),
    (_closed, True),
    (_open_to_the_group, True),
    (_linked, True),
    (_other, False),
    (_planted, False),
    (_open_to_all, False),
    (_linked_by_another, False),
]


@pytest.mark.skipif(os.name != "posix", reason="owners and modes of this kind are POSIX's")
@pytest.mark.parametrize(("prepare", "ours"), PREPARED)
def test_a_folder_is_ours_if_nobody_else_can_have_written_there(
    tmp_path: Path, prepare: Callable[[Path], object], ours: bool
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    prepare(folder)
    mode = folder.stat().st_mode if folder.exists() else 0
    assert is_own_folder(str(folder)) is ours
    if folder.exists():
        assert folder.stat().st_mode == (mode & ~0o077 if ours and mode & 0o022 else mode)


@pytest.mark.parametrize("folder_of", [cache_folder, state_folder])
def test_a_folder_of_another_user_is_not_used(folder_of: Callable[[], str]) -> None:
    folder = Path(folder_of())
    folder.mkdir(parents=True)
    _other(folder)
    with pytest.raises(PermissionError, match="another user may have written here"):
        folder_of()


def test_the_cache_and_the_state_of_another_user_are_told_of(tmp_path: Path, run: Run) -> None:
    (tmp_path / "w").mkdir()
    assert run("init", cwd=tmp_path / "w").code == 0
    for folder in map(Path, (cache_folder(), state_folder())):
        folder.mkdir(parents=True, exist_ok=True)
        _other(folder)
    assert run("check", cwd=tmp_path / "w").code == 0
    assert run("doctor", cwd=tmp_path / "w").out.count("another user may have written in") == 2
    refused = run("install", cwd=tmp_path / "w")
    assert (refused.code, "set SKILLBAG_STATE_DIR to a folder of your own" in refused.err) == (4, True)
