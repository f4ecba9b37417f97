"""An author's session, drawn at random, and what `skillbag check` says of the same files once everything is saved."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import AsyncExitStack
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from lsprotocol import types

from skillbag.kernel.base.errors import UserError
from skillbag.lint.engine.causes import reported_once
from skillbag.lint.engine.checker import Checker
from skillbag.lint.engine.request import CheckRequest
from skillbag.report.sanitize import shown
from tests.doors.language_server.editor import Editor, running
from tests.doors.language_server.pieces import FILES, NAMES, PIECES

Found = set[tuple[str, str, str, int]]
"""Diagnostics as file, rule, message and line."""


class Author(RuleBasedStateMachine):
    """Opens, edits, saves and closes files, and changes others behind the editor's back."""

    folder: Path
    """Where trees are made; a subclass sets it."""
    by_command = False
    """Whether the server is held to the command, in a process of its own, and not to its work in this one."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.stack = AsyncExitStack()
        self.buffers: dict[Path, str] = {}

    @initialize()
    def begin(self) -> None:
        """Start a server in a new tree."""
        self.root = self.folder / "tree"
        shutil.rmtree(self.root, ignore_errors=True)
        make_tree(self.root)
        self.editor: Editor = self.loop.run_until_complete(self.stack.enter_async_context(running(self.root)))

    @rule(name=st.sampled_from(NAMES))
    def open(self, name: str) -> None:
        """Open a file, or a new one."""
        path = self.root / name
        if path in self.buffers or path.is_dir() or any(parent.is_file() for parent in path.parents):
            return
        text = path.read_bytes().decode("utf-8") if path.is_file() else ""
        self.buffers[path] = text
        self.editor.open(path, text)

    @precondition(lambda self: self.buffers)
    @rule(data=st.data(), piece=st.sampled_from(PIECES), size=st.integers(0, 40), times=st.integers(1, 3))
    def edit(self, data: st.DataObject, piece: str, size: int, times: int) -> None:
        """Put a piece in the place of a part of a document; some times without a pause."""
        path = data.draw(st.sampled_from(sorted(self.buffers)))
        for _ in range(times):
            text = self.buffers[path]
            start = data.draw(st.integers(0, len(text)))
            end = min(start + size, len(text))
            change = types.TextDocumentContentChangePartial(range=span_of(text, start, end), text=piece)
            self.buffers[path] = applied(text, change.range, piece)
            self.editor.change(path, change)

    @precondition(lambda self: self.buffers)
    @rule(data=st.data())
    def save(self, data: st.DataObject) -> None:
        """Save a document."""
        path = data.draw(st.sampled_from(sorted(self.buffers)))
        if path.is_dir() or any(parent.is_file() for parent in path.parents):
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.buffers[path].encode("utf-8"))
        self.editor.save(path)
        self.tell(path)

    @precondition(lambda self: self.buffers)
    @rule(data=st.data())
    def close(self, data: st.DataObject) -> None:
        """Close a document without saving it."""
        path = data.draw(st.sampled_from(sorted(self.buffers)))
        del self.buffers[path]
        self.editor.close(path)

    @rule(name=st.sampled_from(NAMES), piece=st.sampled_from(PIECES))
    def write(self, name: str, piece: str) -> None:
        """Another program writes a file."""
        path = self.root / name
        if path.is_dir() or any(parent.is_file() for parent in path.parents):
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        old = path.read_bytes() if path.is_file() else b""
        path.write_bytes(old + piece.encode("utf-8"))
        self.tell(path)

    @rule(name=st.sampled_from(NAMES))
    def delete(self, name: str) -> None:
        """Another program deletes a file."""
        path = self.root / name
        if path.is_file():
            path.unlink()
            self.tell(path, types.FileChangeType.Deleted)

    @rule(old=st.sampled_from(("alpha", "beta", "gamma")), new=st.sampled_from(("alpha", "beta", "gamma")))
    def rename(self, old: str, new: str) -> None:
        """Another program renames a skill's folder."""
        before, after = self.root / ".skills" / old, self.root / ".skills" / new
        if before.is_dir() and not after.exists():
            before.rename(after)
            self.tell(before, types.FileChangeType.Deleted)
            self.tell(after, types.FileChangeType.Created)

    def tell(self, path: Path, kind: types.FileChangeType = types.FileChangeType.Changed) -> None:
        """Say that a file has changed."""
        params = types.DidChangeWatchedFilesParams([types.FileEvent(path.as_uri(), kind)])
        self.editor.client.workspace_did_change_watched_files(params)

    @invariant()
    def agree(self) -> None:
        """The server finds what `check` finds."""
        if hasattr(self, "editor"):
            self.loop.run_until_complete(self.editor.checked())
            copy = saved(self.root, self.buffers, self.folder / "saved")
            found = published(self.editor, self.root, copy)
            expected = commanded(copy) if self.by_command else checked(copy)
            assert (found - expected, expected - found) == (set(), set())

    def teardown(self) -> None:
        """End the server."""
        self.loop.run_until_complete(self.stack.aclose())
        self.loop.close()


def make_tree(root: Path) -> None:
    """The tree in which a session begins."""
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode("utf-8"))


def saved(root: Path, buffers: dict[Path, str], copy: Path) -> Path:
    """A copy of a tree in which all documents were saved."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(root, copy, symlinks=True)
    for path, text in buffers.items():
        place = copy / path.relative_to(root)
        if place.is_dir() or any(parent.is_file() for parent in place.parents):
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode("utf-8"))
    return copy


def checked(root: Path) -> Found:
    """What a check without a cache finds."""
    try:
        result = reported_once(Checker(CheckRequest((str(root),), here=str(root))).check())
    except UserError:
        return set()
    return {
        (os.path.relpath(found.path, root), found.rule, shown(found.message), found.line) for found in result.findings
    }


def commanded(root: Path) -> Found:
    """What `skillbag check` says in a folder."""
    command = [sys.executable, "-m", "skillbag", "check", "--config=cache=false", "--format", "json"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, encoding="utf-8")
    if done.returncode not in (0, 1):
        assert (done.returncode, done.stderr) == (2, ""), done.stderr
        return set()
    rows = json.loads(done.stdout)["findings"]
    return {(os.path.normpath(row["path"]), row["rule"], shown(row["message"]), row["line"]) for row in rows}


def published(editor: Editor, root: Path, copy: Path) -> Found:
    """What the server has published, faults of the configuration left out; lines as ours. `copy` has what is saved."""
    found = set()
    for uri, diagnostics in editor.client.diagnostics.items():
        name = os.path.relpath(uri_path(uri), root)
        data = (copy / name).read_bytes() if diagnostics and (copy / name).is_file() else b""
        text = data.decode("utf-8", "replace")
        for each in diagnostics:
            if each.code is not None:
                found.add((name, str(each.code), each.message, our_line(text, each.range.start.line)))
    return found


def our_line(text: str, line: int) -> int:
    """The number of a client's line as we count: for us a lone carriage return ends no line."""
    ends = [match[0] for match in re.finditer(r"\r\n|\r|\n", text)]
    return 1 + sum("\n" in end for end in ends[:line])


def uri_path(uri: str) -> str:
    """The path of a file's URI."""
    from skillbag.doors.language_server.addresses import path_of

    return path_of(uri) or uri


def span_of(text: str, start: int, end: int) -> types.Range:
    """A range in the units of a client that counts UTF-16."""
    return types.Range(place_of(text, start), place_of(text, end))


def place_of(text: str, offset: int) -> types.Position:
    """A position as the protocol counts it, in the plainest way."""
    before = text[:offset].replace("\r\n", "\n\0")
    line = before.count("\n") + before.count("\r")
    last = max(before.rfind("\n"), before.rfind("\r")) + 1
    column = len(before[last:].replace("\0", "").encode("utf-16-le")) // 2
    return types.Position(line, column)


def applied(text: str, range_: types.Range, piece: str) -> str:
    """The text after a change."""
    start, end = offset_of(text, range_.start), offset_of(text, range_.end)
    return text[:start] + piece + text[end:]


def offset_of(text: str, position: types.Position) -> int:
    """The last offset that has a position: no place lies between a carriage return and its line feed."""
    return next(at for at in range(len(text), -1, -1) if place_of(text, at) == position)
