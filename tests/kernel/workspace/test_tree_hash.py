"""The tree hash: equal for one tree however it came about, and another for any change that counts."""

from __future__ import annotations

import hashlib
import itertools
import os
import tempfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.transaction.trees import copy_tree
from skillbag.kernel.workspace.tree import JUNK, PRUNED
from skillbag.kernel.workspace.tree_hash import LARGEST, ContentHash, TreeHash, pieces, tree_files, tree_hash

Files = dict[str, bytes]

# Short alphabets, so that what is drawn meets the line ends, NULs and names that matter.
CONTENT = st.one_of(st.text("a\r\n\0é").map(str.encode), st.binary(max_size=40))
NAME = st.text("abcé-ü.", min_size=1, max_size=4).filter(lambda name: name.strip("."))
PATHS = st.lists(NAME, min_size=1, max_size=3).map("/".join)


def _composed(files: Files) -> bool:
    """Whether the paths can lie in one folder: none is a folder of another, none is another one's twin."""
    names = [unicodedata.normalize("NFC", name) for name in files]
    folders = {name[:at] for name in names for at, letter in enumerate(name) if letter == "/"}
    return len(set(names)) == len(names) and folders.isdisjoint(names)


TREES = st.dictionaries(PATHS, CONTENT, min_size=1, max_size=5).filter(_composed)


def make(files: Files, folder: Path) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def hash_of(files: Files) -> str:
    with tempfile.TemporaryDirectory() as folder:
        return tree_hash(str(make(files, Path(folder))))


def test_the_definition_is_the_documented_one(tmp_path: Path) -> None:
    make({"SKILL.md": b"one\r\ntwo\r\n", "a/b": b"\0\r\n", ".DS_Store": b"x", ".git/HEAD": b"x"}, tmp_path)
    (tmp_path / "link").symlink_to("a/b")
    (tmp_path / "empty").mkdir()

    def sha(data: bytes) -> str:
        return hashlib.sha256(data).hexdigest()

    text, data = sha(b"one\ntwo\n"), sha(b"\0\r\n")
    lines = f"file {text} SKILL.md\nfile {data} a/b\nlink {sha(b'a/b')} link\n"
    assert tree_hash(str(tmp_path)) == f"sha256:{sha(lines.encode())}"


def test_the_hash_of_a_known_tree_never_changes(tmp_path: Path) -> None:
    # Locks in other people's repositories hold such values: a change of the definition needs a new version of the lock.
    make({"SKILL.md": b"---\nname: a\n---\n", "references/\u00fcber.md": b"x\r\n", "b.bin": b"\0\r\n"}, tmp_path)
    assert tree_hash(str(tmp_path)) == "sha256:08ca68668f9e564e9bb29d255234f003c6c63af3cf6eab5c22bfcf22ecbc7b31"


@given(TREES)
def test_neither_the_order_of_creation_nor_empty_folders_nor_junk_count(files: Files) -> None:
    backwards = dict(reversed(files.items()))
    junk = {f"{folder}{name}": b"x" for folder in ("", "zz/") for name in JUNK}
    pruned = {f"{name}/zz/x": b"x" for name in PRUNED}
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(f"{folder}/zzz/empty")
        cluttered = tree_hash(str(make({**junk, **pruned, **backwards}, Path(folder))))
    assert cluttered == hash_of(files)


@given(TREES)
def test_line_ends_of_text_do_not_count(files: Files) -> None:
    unix = {name: content.replace(b"\r", b"").replace(b"\0", b"0") for name, content in files.items()}
    dos = {name: content.replace(b"\n", b"\r\n") for name, content in unix.items()}
    assert hash_of(unix) == hash_of(dos)


@given(TREES)
def test_a_name_composed_or_decomposed_is_one_name(files: Files) -> None:
    apart = {unicodedata.normalize("NFD", name): content for name, content in files.items()}
    assert hash_of(files) == hash_of(apart)


@given(TREES, st.data())
def test_any_byte_counts(files: Files, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(files)))
    content = bytearray(files[name] + b".")
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] = data.draw(st.sampled_from(sorted({*b"xyz"} - {content[at]})))
    before = {**files, name: files[name] + b"."}
    assert hash_of(before) != hash_of({**files, name: bytes(content)})


@given(TREES, st.data())
def test_any_name_counts(files: Files, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(files)))
    renamed = {(f"{other}x" if other == name else other): content for other, content in files.items()}
    without = {other: content for other, content in files.items() if other != name}
    if _composed(renamed):
        assert hash_of(renamed) != hash_of(files)
    assert hash_of(without) != hash_of(files)


@given(st.binary(max_size=60), st.lists(st.integers(0, 60)), st.sampled_from([0, 7990]))
def test_the_pieces_that_a_content_comes_in_do_not_count(data: bytes, cuts: list[int], lead: int) -> None:
    # Around the point where a content is known to be text, and at line ends that are cut in two.
    data = b"a" * lead + data.replace(b"\x01", b"\r\n").replace(b"\x02", b"\r")
    whole, apart = ContentHash(), ContentHash()
    whole.update(data)
    bounds = sorted({0, *(lead + cut for cut in cuts if cut < 60), len(data)})
    for start, end in itertools.pairwise(bounds):
        apart.update(data[start:end])
    is_text = b"\0" not in data[:8000]
    expected = data.replace(b"\r\n", b"\n") if is_text else data
    assert whole.value() == apart.value() == hashlib.sha256(expected).hexdigest()


def test_a_content_larger_than_one_piece_is_read_whole(tmp_path: Path) -> None:
    # A line end lies across the border of the first piece.
    data = b"a" * ((1 << 20) - 1) + b"\r\n" + b"b" * (1 << 20)
    (tmp_path / "large").write_bytes(data)
    assert b"".join(pieces(str(tmp_path / "large"))) == data
    tree = TreeHash()
    tree.add_file("large", hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest())
    assert tree_hash(str(tmp_path)) == tree.value()


def test_permission_bits_do_not_count(tmp_path: Path) -> None:
    make({"run.sh": b"#!/bin/sh\n"}, tmp_path)
    before = tree_hash(str(tmp_path))
    (tmp_path / "run.sh").chmod(0o755)
    assert tree_hash(str(tmp_path)) == before


def test_the_target_of_a_link_counts_and_not_what_it_leads_to(tmp_path: Path) -> None:
    make({"a": b"1", "b": b"1"}, tmp_path)
    hashes = set()
    for target in ("a", "b", "./a", "nowhere"):
        (tmp_path / "link").symlink_to(target)
        hashes.add(tree_hash(str(tmp_path)))
        (tmp_path / "link").unlink()
    (tmp_path / "link").write_bytes(b"a")
    assert len({*hashes, tree_hash(str(tmp_path))}) == 5


def test_a_line_feed_in_a_name_makes_no_two_files_of_one() -> None:
    digest = hashlib.sha256(b"").hexdigest()
    assert hash_of({f"a\nfile {digest} b": b""}) != hash_of({"a": b"", "b": b""})


def test_names_that_are_no_text_are_distinguished(tmp_path: Path) -> None:
    hashes: set[str] = set()
    for name in (b"\xff", b"\xfe", "ÿ".encode()):
        folder = tmp_path / str(len(hashes))
        folder.mkdir()
        try:
            (folder / os.fsdecode(name)).write_bytes(b"")
        except OSError:
            pytest.skip("the file system takes no such names")
        hashes.add(tree_hash(str(folder)))
    assert len(hashes) == 3


def test_the_hash_learnt_while_copying_is_the_hash_of_the_copy(tmp_path: Path) -> None:
    source = make({"b/c": b"1\r\n", "a": b"2"}, tmp_path / "source")
    (source / "link").symlink_to("b/c")
    tree, copy = TreeHash(), tmp_path / "copy"
    for entry in reversed(list(tree_files(str(source)))):
        target = copy / entry.relative
        target.parent.mkdir(parents=True, exist_ok=True)
        if entry.kind == "link":
            target.symlink_to(os.readlink(entry.path))
            tree.add_link(entry.relative, os.readlink(entry.path))
            continue
        content, data = ContentHash(), b""
        for piece in pieces(entry.path):
            content.update(piece)
            data += piece
        target.write_bytes(data)
        tree.add_file(entry.relative, content.value())
    assert tree.value() == tree_hash(str(copy)) == tree_hash(str(source))


def test_a_file_that_points_to_a_repository_is_left_out(tmp_path: Path) -> None:
    # Where a skill is a submodule, `.git` is a file, of no use to anybody else.
    make({"SKILL.md": b"x"}, tmp_path)
    before = tree_hash(str(tmp_path))
    make({".git": b"gitdir: ../../.git/modules/x\n"}, tmp_path)
    assert tree_hash(str(tmp_path)) == before
    assert [entry.relative for entry in tree_files(str(tmp_path))] == ["SKILL.md"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes among its files")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="neither a file, a folder nor a symbolic link"):
        tree_hash(str(tmp_path))
    with pytest.raises(OSError, match="not a regular file"):
        list(pieces(str(tmp_path / "pipe")))


def test_a_folder_that_is_not_there_is_not_an_empty_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        tree_hash(str(tmp_path / "none"))
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotADirectoryError):
        tree_hash(str(tmp_path / "file"))


def test_a_link_is_not_read_through(tmp_path: Path) -> None:
    make({"a": b"1"}, tmp_path)
    (tmp_path / "link").symlink_to("a")
    with pytest.raises(OSError, match="link"):
        list(pieces(str(tmp_path / "link")))


def test_a_file_that_is_too_large_for_a_source_counts_with_its_size_and_its_ends(tmp_path: Path) -> None:
    path = tmp_path / "tree" / "model.bin"
    path.parent.mkdir()
    path.touch()
    found = set()
    for size in (LARGEST, LARGEST + 1, 1 << 40):
        os.truncate(path, size)
        found.add(tree_hash(str(path.parent)))
    for place in (0, -1):
        with path.open("rb+") as file:
            file.seek(place, os.SEEK_END if place else os.SEEK_SET)
            file.write(b"x")
        found.add(tree_hash(str(path.parent)))
    assert len(found) == 5
    os.truncate(path, LARGEST + 1)
    assert copy_tree(str(path.parent), str(tmp_path / "copy")) == tree_hash(str(path.parent))
    assert tree_hash(str(tmp_path / "copy")) == tree_hash(str(path.parent))
