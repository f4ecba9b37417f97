"""Kept manifests: parsed once while nothing changes, and again whenever anything does that they depend on."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from skillbag.fs.read import overlay
from skillbag.runtime.reading import Reading, Readings
from tests.runtime.folders import active, plain


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """No file is too fresh for its stamp."""
    monkeypatch.setattr("skillbag.runtime.reading._SETTLED", -(10**12))
    monkeypatch.setattr("skillbag.runtime.reading._SETTLED_COARSE", -(10**12))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = active(tmp_path.resolve() / "a", "a", prompt="{system_prompt_file: docs/system.md}")
    (made / "docs").mkdir()
    (made / "docs" / "system.md").write_text("Be brief.")
    plain(made, "a")
    (made / "SKILL.md").write_text("---\nname: a\ndescription: A.\n---\n")
    return made


def reader(folder: Path) -> Callable[[], Reading]:
    readings = Readings()
    return lambda: readings.read(str(folder), str(folder.parent), "SKILL.yaml")


@pytest.mark.usefixtures("settled")
def test_nothing_is_parsed_where_nothing_has_changed(folder: Path) -> None:
    read = reader(folder)
    first = read()
    assert first.manifest
    assert read() is first
    (folder / "other.txt").write_text("not named")
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


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize(("change", "name"), CHANGES)
def test_every_change_is_noticed(folder: Path, change: Callable[[Path], object], name: str) -> None:
    read = reader(folder)
    first = read()
    change(folder)
    second = read()
    assert second is not first
    assert (second.manifest.name if second.manifest else "") == name
    assert second == reader(folder)()


@pytest.mark.usefixtures("settled")
def test_what_was_missing_is_found_when_it_comes(folder: Path) -> None:
    (folder / "docs" / "system.md").unlink()
    (folder / "docs").rmdir()
    read = reader(folder)
    assert read().manifest is None
    (folder / "docs").mkdir()
    assert read().manifest is None
    (folder / "docs" / "system.md").write_text("x")
    assert read().manifest


@pytest.mark.usefixtures("settled")
def test_the_target_of_a_link_counts(folder: Path) -> None:
    (folder / "SKILL.yaml").rename(folder / "real.yaml")
    os.symlink("real.yaml", folder / "SKILL.yaml")
    read = reader(folder)
    first = read()
    assert first.manifest
    assert read() is first
    (folder / "real.yaml").write_text("name: [")
    assert read().manifest is None


def test_a_fresh_file_is_read_again_until_its_times_can_be_relied_on(folder: Path) -> None:
    read = reader(folder)
    read()
    status = os.stat(folder / "SKILL.yaml")
    text = (folder / "SKILL.yaml").read_text()
    with (folder / "SKILL.yaml").open("r+") as file:
        file.write(text.replace("name: a", "name: c"))
    os.utime(folder / "SKILL.yaml", ns=(status.st_atime_ns, status.st_mtime_ns))
    (folder / "SKILL.md").unlink()
    changed = read()
    assert changed.manifest
    assert changed.manifest.name == "c"
    time.sleep(0.12)
    assert read() is read()


@pytest.mark.usefixtures("settled")
def test_an_overlay_is_not_kept(folder: Path) -> None:
    read = reader(folder)
    assert read().manifest
    with overlay({str(folder / "SKILL.yaml"): b"name: ["}):
        assert read().manifest is None
    assert read().manifest
