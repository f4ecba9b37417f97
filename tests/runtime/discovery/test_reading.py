"""Kept manifests: parsed once while nothing changes, and again whenever anything does that they depend on."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from skillbag.kernel.fs.read import overlay
from skillbag.runtime.discovery.reading import Reading, Readings
from skillbag.runtime.discovery.skill_folders import ManifestFolder, search_children
from tests.runtime.folders import active, plain


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times are relied on soon."""
    monkeypatch.setattr("skillbag.runtime.discovery.reading._SETTLED", int(SOON * 1e9))


SOON = 0.02


def settle() -> None:
    """Wait until the times of all files can be relied on."""
    time.sleep(SOON + 0.01)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = active(tmp_path.resolve() / "a", "a", prompt="{system_prompt_file: docs/system.md}")
    (made / "docs").mkdir()
    (made / "notes").mkdir()
    (made / "docs" / "system.md").write_text("Be brief.")
    plain(made, "a")
    (made / "SKILL.md").write_text("---\nname: a\ndescription: A.\n---\n")
    return made


def reader(folder: Path) -> Callable[[], Reading]:
    settle()
    readings = Readings()
    inode = os.stat(folder).st_ino
    return lambda: readings.read(ManifestFolder(str(folder), "SKILL.yaml", inode), str(folder.parent))


def test_nothing_is_parsed_where_nothing_has_changed(folder: Path) -> None:
    read = reader(folder)
    first = read()
    assert first.manifest
    assert read() is first
    assert read() is first
    (folder / "notes" / "a.txt").write_text("not named")
    assert read() is first


def put_out(folder: Path) -> None:
    """Replace a named file by a link out of the folder."""
    (folder.parent / "out.md").write_text("x")
    (folder / "docs" / "system.md").unlink()
    os.symlink(folder.parent / "out.md", folder / "docs" / "system.md")


CHANGES: list[tuple[Callable[[Path], object], str]] = [
    (lambda folder: active(folder, "b"), ""),
    (lambda folder: active(folder, "a", version="2.0.0"), "a"),
    (lambda folder: (folder / "SKILL.md").write_text("---\nname: x\ndescription: A.\n---\n"), ""),
    (lambda folder: (folder / "SKILL.md").unlink(), "a"),
    (lambda folder: (folder / "docs" / "system.md").unlink(), ""),
    (lambda folder: (folder / "docs").rename(folder / "other"), ""),
    (put_out, ""),
    (lambda folder: (folder / "SKILL.yaml").unlink(), ""),
    (lambda folder: os.truncate(folder / "SKILL.yaml", 5), ""),
]


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize(("change", "name"), CHANGES)
def test_every_change_is_noticed(folder: Path, change: Callable[[Path], object], name: str, times: int) -> None:
    read = reader(folder)
    first = [read() for _ in range(times)][-1]
    change(folder)
    second = read()
    assert second is not first
    assert (second.manifest.name if second.manifest else "") == name
    assert second == reader(folder)()


@pytest.mark.parametrize("times", [1, 2])
def test_an_old_file_in_the_place_of_another_is_noticed(folder: Path, times: int) -> None:
    other = active(folder.parent / "other", "a", version="2.0.0")
    os.utime(other / "SKILL.yaml", (0, 0))
    read = reader(folder)
    assert [read() for _ in range(times)]
    os.replace(other / "SKILL.yaml", folder / "SKILL.yaml")
    changed = read().manifest
    assert changed
    assert changed.version == "2.0.0"


def test_another_folder_in_the_place_of_a_folder_is_noticed(tmp_path: Path) -> None:
    top = tmp_path.resolve()
    active(top / "now" / "a", "a")
    active(top / "then" / "a", "b")
    settle()
    readings = Readings()

    def name() -> str:
        (folder,) = search_children(str(top / "now")).folders
        manifest = readings.read(folder, str(top)).manifest
        assert manifest
        return manifest.name

    assert name() == "a"
    (top / "now").rename(top / "before")
    (top / "then").rename(top / "now")
    assert name() == "b"


def test_what_was_missing_is_found_when_it_comes(folder: Path) -> None:
    (folder / "docs" / "system.md").unlink()
    (folder / "docs").rmdir()
    read = reader(folder)
    assert read().manifest is None
    (folder / "docs").mkdir()
    assert read().manifest is None
    (folder / "docs" / "system.md").write_text("x")
    assert read().manifest


def test_the_target_of_a_link_counts(folder: Path) -> None:
    (folder / "SKILL.yaml").rename(folder / "real.yaml")
    os.symlink("real.yaml", folder / "SKILL.yaml")
    read = reader(folder)
    first = read()
    assert first.manifest
    assert read() is first
    (folder / "real.yaml").write_text("name: [")
    assert read().manifest is None


def test_a_fresh_file_is_read_again_until_its_times_can_be_relied_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skillbag.runtime.discovery.reading._SETTLED", 10**12)
    read = reader(folder)
    (folder / "SKILL.md").unlink()
    first = read()
    status = os.stat(folder / "SKILL.yaml")
    with (folder / "SKILL.yaml").open("r+") as file:
        file.write("name: c")
    os.utime(folder / "SKILL.yaml", ns=(status.st_atime_ns, status.st_mtime_ns))
    changed = read()
    assert changed is not first
    assert changed.manifest
    assert changed.manifest.name == "c"
    assert read() is not changed
    monkeypatch.setattr("skillbag.runtime.discovery.reading._SETTLED", int(SOON * 1e9))
    settle()
    assert read() is read()


def test_an_overlay_is_not_kept(folder: Path) -> None:
    read = reader(folder)
    assert read().manifest
    with overlay({str(folder / "SKILL.yaml"): b"name: ["}):
        assert read().manifest is None
    assert read().manifest
