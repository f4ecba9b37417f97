"""What differs between two folders of a skill; real git applies the patches."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from random import Random

import pytest

from skillbag.kernel.workspace.tree_hash import tree_hash
from skillbag.supply.install.difference import FileDifference, compare, unified
from tests.rows import each_row
from tests.supply.install.sides import Content, Link, Program, Side, put, taken

_LINES = "".join(f"line {number}\n" for number in range(1, 31))


def _compared(tmp_path: Path, before: Side, after: Side) -> tuple[FileDifference, ...]:
    return compare(put(tmp_path / "before", before), put(tmp_path / "after", after))


def _apply(folder: Path, patch: str) -> str:
    """Apply a patch as a user would; what git says."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CEILING_DIRECTORIES": str(folder.parent)}
    command = ["git", "apply", "--whitespace=nowarn", "-"]
    data = patch.encode("utf-8", "surrogateescape")
    done = subprocess.run(command, cwd=folder, input=data, capture_output=True, env=environment, check=False)
    return done.stderr.decode()


def _of_git(folder: Path) -> str:
    """The patch that git itself makes of `before` and `after`, without the names of its objects."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_DIR": str(folder / "git")}

    def git(*arguments: str) -> bytes:
        command = ["git", "-c", "core.quotePath=false", "-c", "core.autocrlf=false", *arguments]
        return subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True).stdout

    git("init", "--quiet")
    for side in ("before", "after"):
        git("--work-tree", side, "add", "--all", "--force")
        tree = git("write-tree").decode().strip()
        git("update-ref", f"refs/{side}", tree)
    patch = git("diff-tree", "-r", "-p", "--no-renames", "refs/before", "refs/after")
    lines = patch.decode("utf-8", "surrogateescape").split("\n")
    return "\n".join(line for line in lines if not line.startswith("index "))


def test_no_folder_is_a_skill_without_files(tmp_path: Path) -> None:
    folder = put(tmp_path / "skill", {"SKILL.md": "a"})
    (added,), (removed,) = compare(None, folder), compare(folder, None)
    assert (added.before, added.after) == (None, removed.before)
    assert removed.after is None
    assert compare(None, None) == ()


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        compare(str(tmp_path / "missing"), None)


def test_line_ends_and_clutter_are_no_difference(tmp_path: Path) -> None:
    before: Side = {"a.md": "a\r\nb\n", "b.md": "a\n"}
    after: Side = {"a.md": "a\nb\n", "b.md": "a\r\n", ".DS_Store": b"\0", "__pycache__/x.pyc": b"\0"}
    assert _compared(tmp_path, before, after) == ()
    assert tree_hash(str(tmp_path / "before")) == tree_hash(str(tmp_path / "after"))


def test_line_ends_of_binary_content_count(tmp_path: Path) -> None:
    (found,) = _compared(tmp_path, {"a": b"\0\r\n"}, {"a": b"\0\n"})
    assert (found.text, found.changed) == (False, True)


def test_a_binary_file_that_was_only_made_executable_has_no_other_difference(tmp_path: Path) -> None:
    patch = unified(_compared(tmp_path, {"a": b"\0"}, {"a": Program(b"\0")}))
    assert patch == "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n"
    assert patch == _of_git(tmp_path)


def test_a_patch_is_written_as_git_writes_it(tmp_path: Path) -> None:
    before: Side = {"a.md": "one\ntwo\nthree", "bit.sh": "x\n", "gone": "g\n", "link": Link("a"), "pic.png": b"\0"}
    after: Side = {
        "a.md": "one\n2\nthree", "bit.sh": Program(b"y\n"), "empty": "", "link": Link("b"), "new.png": b"\0",
        "pic.png": b"\0\1",
    }  # fmt: skip
    assert unified(_compared(tmp_path, before, after)) == (
        "diff --git a/a.md b/a.md\n--- a/a.md\n+++ b/a.md\n"
        "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n\\ No newline at end of file\n"
        "diff --git a/bit.sh b/bit.sh\nold mode 100644\nnew mode 100755\n--- a/bit.sh\n+++ b/bit.sh\n"
        "@@ -1 +1 @@\n-x\n+y\n"
        "diff --git a/empty b/empty\nnew file mode 100644\n"
        "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\n"
        "diff --git a/link b/link\n--- a/link\n+++ b/link\n"
        "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"
        "diff --git a/new.png b/new.png\nnew file mode 100644\nBinary files /dev/null and b/new.png differ\n"
        "diff --git a/pic.png b/pic.png\nBinary files a/pic.png and b/pic.png differ\n"
    )


@each_row(
    ("before", "after"),
    [
        ({"a": "x\n"}, {"a": "y"}),
        ({"a": "x"}, {"a": "x\n"}),
        ({"a": ""}, {"a": "x"}),
        ({"a": "x"}, {"a": ""}),
        ({"a": "x"}, {}),
        ({"a": ""}, {}),
        ({}, {"d/e/a": ""}),
        ({}, {"a.sh": Program(b"#!/bin/sh\n"), "b.sh": Program(b"")}),
        ({"a.sh": Program(b"x")}, {"a.sh": "x"}),
        ({"a.sh": Program(b"x")}, {"a.sh": "y"}),
        ({"a": Link("x")}, {"a": Link("../y")}),
        ({"a": "x"}, {"a": Link("x")}),
        ({"a": Link("x")}, {"a": Program(b"x\n")}),
        ({}, {"a": Link("x")}),
        ({"a": Link("x")}, {}),
        ({"a": "x"}, {"a/b": "x"}),
        ({"a/b": "x"}, {"a": "x"}),
        ({"with blank": "x\n", 'quo"te': "x\n", "täb\t": "x\n", "back\\slash": "x\n"}, {"with blank": "y\n"}),
        ({"line\nfeed \x01\x7f": "x\n"}, {"line\nfeed \x01\x7f": "y\n", "日本 語": "z\n"}),
        ({"a": b"caf\xe9\n"}, {"a": b"caf\xe8\n\xff"}),
        ({"a": "x\r\ny\r\n"}, {"a": "x\r\nz\r\n"}),
        ({"a": "x\r\ny\nz\n"}, {"a": "x\r\ny\r\nZ\r\n"}),
        ({"a": "x\ry\rz"}, {"a": "x\ry\rZ\r"}),
        ({"a": "\f\n\x1b[31m\n"}, {"a": "\x0b\n\x85\u2028x\n"}),
        ({"a": "diff --git a/1 b/1\n@@ -1 +1 @@\n"}, {"a": "diff --git before/0 after/0\n@@ -1 +1 @@\n-x\n"}),
        ({"a": "-- x\n++ y\n"}, {"a": "-- y\n++ x\n\n"}),
    ],
)
def test_git_writes_the_same_patch_and_applies_it(tmp_path: Path, before: Side, after: Side) -> None:
    patch = unified(_compared(tmp_path, before, after))
    assert patch == _of_git(tmp_path)
    assert _apply(tmp_path / "before", patch) == ""
    assert taken(tmp_path / "before") == taken(tmp_path / "after")


def _random_text(random: Random) -> bytes:
    lines = [f"line {random.randint(1, 9)}" for _ in range(random.randint(0, 40))]
    return random.choice(("\n", "\r\n")).join(lines).encode() + random.choice((b"", b"\n"))


def _random_side(random: Random) -> dict[str, Content]:
    side: dict[str, Content] = {}
    for name in random.sample(["a", "b c", "d/e", "d/f", "g.sh"], 4):
        text = _random_text(random)
        side[name] = random.choice((text, text, text, Program(text), Link(random.choice("xy"))))
    return side


@each_row("seed", range(3))
def test_git_applies_patches_of_any_two_skills(tmp_path: Path, seed: int) -> None:
    random = Random(f"difference {seed}")
    for _ in range(12):
        patch = unified(_compared(tmp_path, _random_side(random), _random_side(random)))
        assert _apply(tmp_path / "before", patch) == ""
        assert tree_hash(str(tmp_path / "before")) == tree_hash(str(tmp_path / "after")), patch


def test_a_skill_with_other_line_ends_differs_in_the_lines_that_were_changed(tmp_path: Path) -> None:
    after = _LINES.replace("line 15\n", "line fifteen\n")
    patch = unified(_compared(tmp_path, {"a": _LINES.replace("\n", "\r\n")}, {"a": after}))
    assert [line for line in patch.split("\n")[4:] if line[:1] in ("+", "-")] == ["-line 15\r", "+line fifteen\r"]
    assert _apply(tmp_path / "before", patch) == ""
    assert tree_hash(str(tmp_path / "before")) == tree_hash(str(tmp_path / "after"))


def test_labels_come_before_the_paths_so_that_a_workspace_takes_the_patch(tmp_path: Path) -> None:
    differences = _compared(tmp_path, {"SKILL.md": _LINES}, {"SKILL.md": _LINES + "more\n", "new": "n\n"})
    patch = unified(differences, "a/.skills/tidy-up", "b/.skills/tidy-up")
    put(tmp_path / "workspace", {".skills/tidy-up/SKILL.md": _LINES})
    assert _apply(tmp_path / "workspace", patch) == ""
    assert taken(tmp_path / "workspace/.skills/tidy-up") == taken(tmp_path / "after")


def test_git_applies_the_texts_of_a_patch_with_binary_files(tmp_path: Path) -> None:
    patch = unified(_compared(tmp_path, {"a": "x\n", "z.png": b"\0"}, {"a": "y\n", "z.png": b"\0\1"}))
    without = patch.partition("diff --git a/z.png")[0]
    assert _apply(tmp_path / "before", without) == ""
    assert taken(tmp_path / "before") == {"a": b"y\n", "z.png": b"\0"}


def test_git_configuration_and_attributes_are_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = tmp_path / "ran"
    put(tmp_path / "bin", {"evil": Program(f"#!/bin/sh\ntouch '{ran}'\n".encode())})
    evil = str(tmp_path / "bin" / "evil")
    configuration = (
        f"[core]\n\tattributesFile = {tmp_path}/home/attributes\n\tpager = {evil}\n\tautocrlf = true\n"
        f"[diff]\n\texternal = {evil}\n\tnoprefix = false\n\tmnemonicPrefix = true\n[color]\n\tui = always\n"
        f'[diff "evil"]\n\tcommand = {evil}\n\ttextconv = {evil}\n\tbinary = true\n[filter "evil"]\n\tclean = {evil}\n'
    )
    attributes = "* diff=evil filter=evil\n*.md -diff\n"
    put(tmp_path / "home", {".gitconfig": configuration, "git/config": configuration, "attributes": attributes})
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "home" / ".gitconfig"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", evil)
    monkeypatch.setenv("GIT_PAGER", evil)
    monkeypatch.setenv("GIT_DIFF_OPTS", "--unified=0")
    monkeypatch.setenv("GIT_TRACE", str(ran))
    sides = [{"a.md": f"0\n{letter}\n", ".gitattributes": f"*.md -diff {letter}\n"} for letter in "xy"]
    patch = unified(_compared(tmp_path, *sides))
    assert "@@ -1,2 +1,2 @@\n 0\n-x\n+y\n" in patch
    assert "-*.md -diff x\n" in patch
    assert not ran.exists()


def test_without_git_the_message_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    differences = _compared(tmp_path, {"a": "x"}, {"a": "y"})
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OSError, match="git is needed to compare and merge texts"):
        unified(differences)


def test_what_has_no_lines_needs_no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert unified(_compared(tmp_path, {"a": "x"}, {"a": "x"})) == ""
    patch = unified(_compared(tmp_path, {"a": "x", "b": b"\0"}, {"a": Program(b"x")}))
    assert patch.splitlines()[-1] == "Binary files a/b and /dev/null differ"


def test_large_texts_with_many_equal_lines_are_compared_all_the_same(tmp_path: Path) -> None:
    random = Random("large")
    texts = ["".join(f"{random.randint(1, 40)}\n" for _ in range(20_000)) for _ in "12"]
    patch = unified(_compared(tmp_path, {"a": texts[0]}, {"a": texts[1]}))
    assert _apply(tmp_path / "before", patch) == ""
    assert taken(tmp_path / "before") == {"a": texts[1].encode()}
