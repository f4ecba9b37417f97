"""The three-way merge of a skill's folder, held against git's own where git has an opinion."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from random import Random

import pytest

from skillbag.install.git_texts import Labels
from skillbag.install.merge import Conflict, Merged, merge_folders
from tests.install.sides import Content, Link, Program, Side, put, taken

_LINES = "".join(f"line {number}\n" for number in range(1, 21))


def _changed(*numbers: int, by: str = "changed", text: str = _LINES) -> str:
    for number in numbers:
        text = text.replace(f"line {number}\n", f"line {number} {by}\n")
    return text


class _Merger:
    """Merges sides that are given as mappings, below `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.to = root / "merged"

    def __call__(
        self, base: Side, ours: Side, theirs: Side, markers: bool = False, labels: Labels | None = None
    ) -> Merged:
        names = (("base", base), ("ours", ours), ("theirs", theirs))
        first, second, third = folders = [put(self.root / name, side) for name, side in names]
        before = [taken(folder) for folder in folders]
        merged = merge_folders(first, second, third, str(self.to), markers=markers, labels=labels)
        assert [taken(folder) for folder in folders] == before
        return merged

    def result(self) -> dict[str, Content]:
        return taken(self.to)


@pytest.fixture
def merge(tmp_path: Path) -> _Merger:
    return _Merger(tmp_path)


def test_changes_of_either_side_come_together(merge: _Merger) -> None:
    base = {"SKILL.md": "a", "mine.md": "b", "theirs.md": "c", "gone-here.md": "d", "gone-there.md": "e"}
    ours = {"SKILL.md": "a", "mine.md": "b2", "theirs.md": "c", "gone-there.md": "e", "new/mine.md": "f"}
    theirs = {"SKILL.md": "a", "mine.md": "b", "theirs.md": "c2", "gone-here.md": "d", "new/theirs.md": "g"}
    assert merge(base, ours, theirs) == Merged((), ("gone-there.md", "new/theirs.md", "theirs.md"))
    assert merge.result() == {
        "SKILL.md": b"a", "mine.md": b"b2", "theirs.md": b"c2", "new/mine.md": b"f", "new/theirs.md": b"g",
    }  # fmt: skip


def test_what_both_sides_did_alike_is_no_conflict(merge: _Merger) -> None:
    base: Side = {"SKILL.md": "a", "gone.md": "b"}
    both: Side = {"SKILL.md": "a2", "new.md": "c", "picture.png": b"\0\1"}
    assert merge(base, both, both) == Merged((), ())
    assert merge.result() == {"SKILL.md": b"a2", "new.md": b"c", "picture.png": b"\0\1"}


def test_changes_in_different_places_of_a_file_come_together(merge: _Merger) -> None:
    merged = merge({"SKILL.md": _LINES}, {"SKILL.md": _changed(2)}, {"SKILL.md": _changed(18)})
    assert merged == Merged((), ("SKILL.md",))
    assert merge.result() == {"SKILL.md": _changed(2, 18).encode()}


def test_a_conflict_leaves_nothing_behind(merge: _Merger) -> None:
    base = {"SKILL.md": _LINES, "other.md": "a"}
    ours = {"SKILL.md": _changed(2, 18, by="here"), "other.md": "a"}
    theirs = {"SKILL.md": _changed(2, 18, by="there"), "other.md": "b"}
    assert merge(base, ours, theirs) == Merged(
        (Conflict("SKILL.md", "2 places were changed here and upstream"),), ("other.md",)
    )
    assert not merge.to.exists()


def test_markers_name_the_three_sides_and_keep_the_merged_rest(merge: _Merger) -> None:
    base, ours, theirs = _LINES, _changed(2, by="here"), _changed(18, text=_changed(2, by="there"))
    labels = Labels("local", "base", "upstream v1.2\n-x")
    merged = merge({"a.md": base}, {"a.md": ours}, {"a.md": theirs}, markers=True, labels=labels)
    assert merged.conflicts == (Conflict("a.md", "1 place was changed here and upstream"),)
    expected = _changed(18).replace(
        "line 2\n",
        "<<<<<<< local\nline 2 here\n||||||| base\nline 2\n=======\nline 2 there\n>>>>>>> upstream v1.2?-x\n",
    )
    assert merge.result() == {"a.md": expected.encode()}


def test_the_labels_are_local_base_and_upstream_unless_given(merge: _Merger) -> None:
    merge({"a.md": "a\n"}, {"a.md": "b\n"}, {"a.md": "c\n"}, markers=True)
    expected = b"<<<<<<< local\nb\n||||||| base\na\n=======\nc\n>>>>>>> upstream\n"
    assert merge.result() == {"a.md": expected}


@pytest.mark.parametrize(
    ("ours", "theirs", "why"),
    [
        ({}, {"a.md": "b"}, "it was removed here and changed upstream"),
        ({"a.md": "b"}, {}, "it was removed upstream and changed here"),
        ({}, {"a.md": Program(b"a")}, "it was removed here and changed upstream"),
        ({"a.md": b"\0"}, {"a.md": b"b"}, "it is binary and was changed here and upstream"),
        ({"a.md": b"b"}, {"a.md": b"c\0"}, "it is binary and was changed here and upstream"),
        ({"a.md": b"b" * 9000 + b"\0"}, {"a.md": b"c"}, "it is binary and was changed here and upstream"),
        ({"a.md": Link("x")}, {"a.md": "b"}, "it is a link here and a file upstream"),
        ({"a.md": "b"}, {"a.md": Link("x")}, "it is a file here and a link upstream"),
        ({"a.md": Program(b"a")}, {"a.md": Link("x")}, "it is a file here and a link upstream"),
        ({"a.md": Link("x")}, {"a.md": Link("y")}, "it leads to x here and to y upstream"),
        ({"a.md/b.md": "b"}, {"a.md": "c"}, "it was removed here and changed upstream"),
    ],
)
def test_what_has_no_lines_to_mark_is_as_here(merge: _Merger, ours: Side, theirs: Side, why: str) -> None:
    base = {"a.md": "a", "z.md": "z"}
    sides = base, {**ours, "z.md": "z"}, {**theirs, "z.md": "z2"}
    assert merge(*sides).conflicts == (Conflict("a.md", why),)
    assert not merge.to.exists()
    assert merge(*sides, markers=True).conflicts == (Conflict("a.md", why),)
    assert merge.result() == {**taken(merge.root / "ours"), "z.md": b"z2"}


@pytest.mark.parametrize(
    ("ours", "theirs", "path", "why"),
    [
        ({"docs/a.md": "a"}, {"docs": "b"}, "docs", "it is a file upstream and a folder here"),
        ({"docs": "a"}, {"docs/a.md": "b"}, "docs/a.md", "docs is a folder upstream and a file here"),
        ({"docs": Link("x")}, {"docs/d/a.md": "b"}, "docs/d/a.md", "docs is a folder upstream and a link here"),
        ({"Read.md": "a"}, {"read.md": "b"}, "read.md", "some systems take its name for Read.md, which is here"),
    ],
)
def test_what_finds_its_place_taken_is_left_out(merge: _Merger, ours: Side, theirs: Side, path: str, why: str) -> None:
    assert merge({}, ours, theirs) == Merged((Conflict(path, why),), ())
    assert not merge.to.exists()
    merge({}, ours, theirs, markers=True)
    assert merge.result() == taken(merge.root / "ours")


def test_a_file_may_become_a_folder_and_a_folder_a_file(merge: _Merger) -> None:
    base, theirs = {"a": "1", "b/c": "2"}, {"a/d": "1", "b": "2"}
    assert merge(base, base, theirs) == Merged((), ("a", "a/d", "b", "b/c"))
    assert merge.result() == {"a/d": b"1", "b": b"2"}


def test_a_renamed_file_is_one_that_went_and_one_that_came(merge: _Merger) -> None:
    assert merge({"a.md": _LINES}, {"a.md": _LINES}, {"b.md": _LINES}) == Merged((), ("a.md", "b.md"))
    assert merge.result() == {"b.md": _LINES.encode()}
    conflicts = _Merger(merge.root / "edited")({"a.md": _LINES}, {"a.md": _changed(1)}, {"b.md": _LINES}).conflicts
    assert conflicts == (Conflict("a.md", "it was removed upstream and changed here"),)


def test_both_added_a_file_with_other_content(merge: _Merger) -> None:
    merged = merge({}, {"a.md": "same\nb\n"}, {"a.md": "same\nc\n"}, markers=True)
    assert [conflict.path for conflict in merged.conflicts] == ["a.md"]
    (content,) = merge.result().values()
    assert isinstance(content, bytes)
    assert b"b\n" in content
    assert b"c\n" in content
    assert content.count(b"<<<<<<< ") == 1


def test_line_ends_here_are_kept(merge: _Merger) -> None:
    base, ours, theirs = _LINES, _changed(2).replace("\n", "\r\n"), _changed(18)
    assert merge({"a.md": base}, {"a.md": ours}, {"a.md": theirs}) == Merged((), ("a.md",))
    assert merge.result() == {"a.md": _changed(2, 18).replace("\n", "\r\n").encode()}


def test_line_ends_that_are_all_that_was_changed_here_are_kept_too(merge: _Merger) -> None:
    crlf = _LINES.replace("\n", "\r\n")
    merge({"a.md": _LINES}, {"a.md": crlf}, {"a.md": _changed(18)})
    assert merge.result() == {"a.md": _changed(18).replace("\n", "\r\n").encode()}


def test_a_file_that_nobody_touched_here_is_upstream_s_to_the_byte(merge: _Merger) -> None:
    theirs = b"one\r\ntwo\nthree\r\n"
    assert merge({"a.bat": b"one\ntwo\n"}, {"a.bat": b"one\ntwo\n"}, {"a.bat": theirs}).conflicts == ()
    assert merge.result() == {"a.bat": theirs}


def test_a_difference_in_line_ends_alone_is_no_change(merge: _Merger) -> None:
    lf, crlf = "a\nb\n", "a\r\nb\r\n"
    base = {"a.md": lf, "b.md": lf, "c.md": lf}
    ours = {"a.md": crlf, "b.md": lf, "c.md": "mine\n"}
    assert merge(base, ours, {"b.md": crlf, "c.md": crlf}) == Merged((), ("a.md",))
    assert merge.result() == {"b.md": b"a\nb\n", "c.md": b"mine\n"}


def test_a_last_line_without_an_end_stays_so(merge: _Merger) -> None:
    base = _LINES.removesuffix("\n")
    merge({"a.md": base}, {"a.md": _changed(2, text=base)}, {"a.md": _changed(10, text=base)})
    assert merge.result() == {"a.md": _changed(2, 10, text=base).encode()}


@pytest.mark.parametrize("base", [False, True])
@pytest.mark.parametrize("ours", [False, True])
@pytest.mark.parametrize("theirs", [False, True])
def test_the_executable_bit_is_merged_by_itself(merge: _Merger, base: bool, ours: bool, theirs: bool) -> None:
    def side(text: str, executable: bool) -> Side:
        return {"a.sh": Program(text.encode()) if executable else text}

    merge(side(_LINES, base), side(_changed(2), ours), side(_changed(18), theirs))
    expected = theirs if ours == base else ours
    assert merge.result() == taken(put(merge.root / "expected", side(_changed(2, 18), expected)))


def test_what_was_only_made_executable_here_takes_upstream_s_content(merge: _Merger) -> None:
    ours: Side = {"a.sh": Program(b"1\r\n2\r\n"), "b": Program(b"\0\r\n")}
    merge({"a.sh": "1\n2\n", "b": b"\0\r\n"}, ours, {"a.sh": "1\n3\n", "b": b"\0\n"})
    assert merge.result() == {"a.sh": Program(b"1\r\n3\r\n"), "b": Program(b"\0\n")}


def test_a_new_file_is_executable_if_either_side_made_it_so(merge: _Merger) -> None:
    merged = merge({}, {"a.sh": "x", "b.sh": Program(b"x")}, {"a.sh": Program(b"x"), "b.sh": "x"})
    assert merged == Merged((), ("a.sh",))
    assert merge.result() == {"a.sh": Program(b"x"), "b.sh": Program(b"x")}


def test_links_are_merged_as_links(merge: _Merger, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("outside")
    base: Side = {"a": Link("x"), "b": Link("x"), "c": "text", "d": Link("../outside")}
    ours: Side = {"a": Link("y"), "b": Link("x"), "c": "text", "d": Link("../outside")}
    theirs: Side = {"a": Link("x"), "b": Link("z"), "c": Link("z"), "d": Link("../outside"), "e": Link("b")}
    assert merge(base, ours, theirs) == Merged((), ("b", "c", "e"))
    expected = {"a": Link("y"), "b": Link("z"), "c": Link("z"), "d": Link("../outside"), "e": Link("b")}
    assert merge.result() == expected


def test_what_belongs_to_no_skill_is_left_behind(merge: _Merger) -> None:
    clutter: Side = {"__pycache__/a.pyc": b"\0", ".DS_Store": b"\0", "node_modules/x/y.js": "y"}
    assert merge({"a": "1"}, {"a": "1", **clutter}, {"a": "2", ".git/config": "z"}) == Merged((), ("a",))
    assert merge.result() == {"a": b"2"}


def test_names_and_labels_are_never_options(merge: _Merger) -> None:
    names = ["--help", "-p", "-L", "--diff3 x", "$(touch x)", "a\nb"]
    base, ours, theirs = (dict.fromkeys(names, text) for text in (_LINES, _changed(2), _changed(18)))
    merge(base, ours, theirs)
    assert set(merge.result().values()) == {_changed(2, 18).encode()}
    other = _Merger(merge.root / "labels")
    other({"a": "1\n"}, {"a": "2\n"}, {"a": "3\n"}, markers=True, labels=Labels("--output=x", "-q", "--"))
    (content,) = other.result().values()
    assert isinstance(content, bytes)
    assert b"<<<<<<< --output=x\n" in content


def test_no_configuration_decides_how_conflicts_look(
    merge: _Merger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    put(home, {".gitconfig": "[merge]\n\tconflictStyle = merge\n[core\n", "git/config": "[broken"})
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "broken")
    merge({"a": "1\n"}, {"a": "2\n"}, {"a": "3\n"}, markers=True)
    assert merge.result() == {"a": b"<<<<<<< local\n2\n||||||| base\n1\n=======\n3\n>>>>>>> upstream\n"}


def test_without_git_the_message_says_so_and_nothing_is_left(
    merge: _Merger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OSError, match="git is needed to compare and merge texts"):
        merge({"a": "1\n"}, {"a": "2\n"}, {"a": "3\n"})
    assert not merge.to.exists()


def test_what_stands_in_the_way_is_left_alone(merge: _Merger) -> None:
    put(merge.to, {"mine": "mine"})
    with pytest.raises(FileExistsError):
        merge({}, {}, {"a": "1"})
    assert merge.result() == {"mine": b"mine"}


def test_a_write_that_fails_midway_leaves_nothing(tmp_path: Path) -> None:
    deep = "/".join(["d" * 200] * 18)
    base, ours, theirs = (put(tmp_path / name, {"a": "1", f"{deep}/b": "2"}) for name in "bot")
    parent = tmp_path / ("long" * 60) / ("long" * 60)
    parent.mkdir(parents=True)
    with pytest.raises(OSError, match="too long"):
        merge_folders(base, ours, theirs, str(parent / "merged"))
    assert list(parent.iterdir()) == []


def test_two_names_that_are_one_in_unicode_s_normal_form_are_refused(merge: _Merger) -> None:
    with pytest.raises(OSError, match="two names here look the same"):
        merge({}, {"e\u0301": "1", "\u00e9": "2"}, {})


def test_a_name_in_the_other_normal_form_is_the_same_name(merge: _Merger) -> None:
    merge({"\u00e9": "1"}, {"e\u0301": "1"}, {"\u00e9": "2"})
    assert merge.result() == {"\u00e9": b"2"}


_NAMES = ("a", "b.sh", "c", "d", "d/e", "c/f", "g h")


def _own_lines(name: str) -> str:
    """Lines that no other file has, so that git sees no renaming where there is none."""
    return "".join(f"{name} {line}\n{line}\n" for line in _LINES.splitlines())


_START: Side = {"a": _own_lines("a"), "b.sh": Program(_own_lines("b.sh").encode()), "d/e": _own_lines("d/e")}


def _random_side(random: Random, base: Side) -> dict[str, Content]:
    side: dict[str, Content] = dict(base)
    for _ in range(random.randint(1, 4)):
        name = random.choice(_NAMES)
        if any(taken.startswith(f"{name}/") or name.startswith(f"{taken}/") for taken in side):
            continue
        edits = (random.sample(range(1, 21), random.randint(1, 2)) for _ in "12")
        texts = [_changed(*numbers, by=random.choice("xy"), text=_own_lines(name)) for numbers in edits]
        binary = f"\0{name} {random.choice('xy')}".encode()
        choice: list[Content | None] = [*texts, None, Link(random.choice("xy")), binary]
        content = random.choice(choice)
        if content is None:
            side.pop(name, None)
        elif name in side and random.random() < 0.2:
            old = side[name]
            side[name] = old.data if isinstance(old, Program) else Program(_own_lines(name).encode())
        else:
            side[name] = content
    return side


class _Git:
    """A repository in which git merges the same sides."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self("init", "--quiet", "--initial-branch=base")
        self("config", "user.name", "Test")
        self("config", "user.email", "test@example.com")

    def __call__(self, *arguments: str) -> int:
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        command = ["git", "-C", str(self.folder), *arguments]
        return subprocess.run(command, capture_output=True, env=environment, check=False).returncode

    def commit(self, branch: str, side: Side) -> None:
        assert self("checkout", "--quiet", "--force", "-B", branch) == 0
        for path in self.folder.iterdir():
            if path.name != ".git":
                subprocess.run(["rm", "-r", str(path)], check=True)
        put(self.folder.parent / "side", side)
        subprocess.run(["cp", "-a", f"{self.folder.parent}/side/.", str(self.folder)], check=True)
        assert self("add", "--all") == 0
        assert self("commit", "--quiet", "--allow-empty", "-m", branch) == 0


@pytest.mark.parametrize("seed", range(4))
def test_git_merges_the_same_things_to_the_same(tmp_path: Path, seed: int) -> None:
    git, random = _Git(tmp_path / "git"), Random(f"merge {seed}")
    clean = 0
    for number in range(6):
        base = _random_side(random, _START)
        ours, theirs = _random_side(random, base), _random_side(random, base)
        git.commit("base", base)
        assert git("branch", "--force", "start") == 0
        git.commit("ours", ours)
        assert git("checkout", "--quiet", "--force", "start") == 0
        git.commit("theirs", theirs)
        assert git("checkout", "--quiet", "--force", "ours") == 0
        conflicts = git("merge", "--quiet", "-s", "recursive", "-Xno-renames", "-m", "merged", "theirs")
        merge = _Merger(tmp_path / str(number))
        merged = merge(base, ours, theirs)
        assert bool(merged.conflicts) == bool(conflicts), (base, ours, theirs, merged)
        if not conflicts:
            clean += 1
            assert merge.result() == taken(git.folder), (base, ours, theirs)
        git("merge", "--abort")
    assert clean
