"""The disk with open documents: what is asked of it is answered as if they were saved, and has stamps."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillbag.kernel.fs import other_disk, tracked
from skillbag.kernel.fs.buffers import Buffers
from skillbag.kernel.fs.read import Unread, Unreadable, read
from tests.rows import each_row


def test_an_open_document_takes_the_place_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("old")
    (tmp_path / "link.md").symlink_to("a.md")
    with other_disk.looking_at(Buffers({str(path): b"new"})):
        assert read(str(path), str(tmp_path)) == b"new"
        assert read(str(tmp_path / "link.md"), str(tmp_path)) == b"new"
        assert tracked.mode(str(path)) == path.stat().st_mode
        assert sorted(tracked.names(str(tmp_path))) == ["a.md", "link.md"]
    assert read(str(path), str(tmp_path)) == b"old"


def test_a_new_document_has_the_folders_that_it_needs(tmp_path: Path) -> None:
    path = tmp_path / "one" / "two" / "a.md"
    with other_disk.looking_at(Buffers({str(path): b"new"})):
        assert tracked.names(str(tmp_path)) == ["one"]
        assert tracked.names(str(tmp_path / "one")) == ["two"]
        assert tracked.is_folder(str(path.parent))
        assert tracked.is_file(str(path))
        assert read(str(path), str(tmp_path)) == b"new"
        with pytest.raises(FileNotFoundError):
            tracked.names(str(tmp_path / "other"))
    assert not tracked.exists(str(path.parent))


def test_what_could_not_be_saved_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("text")
    open_documents = {str(tmp_path / "folder"): b"1", str(tmp_path / "file" / "inner.md"): b"2"}
    with other_disk.looking_at(Buffers(open_documents)):
        assert tracked.is_folder(str(tmp_path / "folder"))
        assert not tracked.exists(str(tmp_path / "file" / "inner.md"))


def test_no_link_out_of_the_root_is_followed(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.md").symlink_to("../outside.md")
    with other_disk.looking_at(Buffers({str(tmp_path / "outside.md"): b"secret"})):
        found = read(str(tmp_path / "root" / "a.md"), str(tmp_path / "root"))
    assert isinstance(found, Unreadable)
    assert found.reason is Unread.OUTSIDE


@each_row("name", ["a.md", "new.md", "new/a.md", "link.md"])
def test_stamps_change_with_a_document_and_not_otherwise(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.md").write_text("old")
    (tmp_path / "link.md").symlink_to("a.md")
    path = os.path.join(tmp_path, name)
    questions = [kind + path for kind in (tracked.CONTENT, tracked.KIND, tracked.MODE)]
    questions += [tracked.NAMES + os.path.dirname(path), tracked.NAMES + str(tmp_path)]

    def stamps(contents: dict[str, bytes]) -> bytes:
        with other_disk.looking_at(Buffers(contents)):
            return tracked.stamps(questions).tobytes()

    assert stamps({path: b"1"}) == stamps({path: b"1"})
    assert stamps({path: b"1"}) != stamps({path: b"2"})
    assert stamps({path: b"1"}) != stamps({})
    assert stamps({}) == tracked.stamps(questions).tobytes()
