"""The three-way merge of a skill's folder, held against git's own where git has an opinion."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag.supply.install.merge import merge_folders
from tests.supply.install.sides import LINES, Link, Merger, Program, Side, changed, put, taken


def test_changes_of_either_side_come_together(merge: Merger) -> None:
    base = {"SKILL.md": "a", "mine.md": "b", "theirs.md": "c", "gone-here.md": "d", "gone-there.md": "e"}
    ours = {"SKILL.md": "a", "mine.md": "b2", "theirs.md": "c", "gone-there.md": "e", "new/mine.md": "f"}
    theirs = {"SKILL.md": "a", "mine.md": "b", "theirs.md": "c2", "gone-here.md": "d", "new/theirs.md": "g"}
    assert merge(base, ours, theirs) == {}
    assert merge.result() == {
        "SKILL.md": b"a", "mine.md": b"b2", "theirs.md": b"c2", "new/mine.md": b"f", "new/theirs.md": b"g",
    }  # fmt: skip


def test_what_both_sides_did_alike_is_no_conflict(merge: Merger) -> None:
    base: Side = {"SKILL.md": "a", "gone.md": "b"}
    both: Side = {"SKILL.md": "a2", "new.md": "c", "picture.png": b"\0\1"}
    assert merge(base, both, both) == {}
    assert merge.result() == {"SKILL.md": b"a2", "new.md": b"c", "picture.png": b"\0\1"}


def test_changes_in_different_places_of_a_file_come_together(merge: Merger) -> None:
    merged = merge({"SKILL.md": LINES}, {"SKILL.md": changed(2)}, {"SKILL.md": changed(18)})
    assert merged == {}
    assert merge.result() == {"SKILL.md": changed(2, 18).encode()}


def test_a_conflict_leaves_nothing_behind(merge: Merger) -> None:
    base = {"SKILL.md": LINES, "other.md": "a"}
    ours = {"SKILL.md": changed(2, 18, by="here"), "other.md": "a"}
    theirs = {"SKILL.md": changed(2, 18, by="there"), "other.md": "b"}
    assert merge(base, ours, theirs) == {"SKILL.md": "2 places were changed here and upstream"}
    assert not merge.to.exists()


def test_markers_name_the_three_sides_and_keep_the_merged_rest(merge: Merger) -> None:
    base, ours, theirs = LINES, changed(2, by="here"), changed(18, text=changed(2, by="there"))
    label = "upstream v1.2\n-x"
    merged = merge({"a.md": base}, {"a.md": ours}, {"a.md": theirs}, markers=True, upstream=label)
    assert merged == {"a.md": "1 place was changed here and upstream"}
    expected = changed(18).replace(
        "line 2\n",
        "<<<<<<< local\nline 2 here\n||||||| base\nline 2\n=======\nline 2 there\n>>>>>>> upstream v1.2?-x\n",
    )
    assert merge.result() == {"a.md": expected.encode()}


def test_the_labels_are_local_base_and_upstream_unless_given(merge: Merger) -> None:
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
def test_what_has_no_lines_to_mark_is_as_here(merge: Merger, ours: Side, theirs: Side, why: str) -> None:
    base = {"a.md": "a", "z.md": "z"}
    sides = base, {**ours, "z.md": "z"}, {**theirs, "z.md": "z2"}
    assert merge(*sides) == {"a.md": why}
    assert not merge.to.exists()
    assert merge(*sides, markers=True) == {"a.md": why}
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
def test_what_finds_its_place_taken_is_left_out(merge: Merger, ours: Side, theirs: Side, path: str, why: str) -> None:
    assert merge({}, ours, theirs) == {path: why}
    assert not merge.to.exists()
    merge({}, ours, theirs, markers=True)
    assert merge.result() == taken(merge.root / "ours")


def test_a_file_may_become_a_folder_and_a_folder_a_file(merge: Merger) -> None:
    base, theirs = {"a": "1", "b/c": "2"}, {"a/d": "1", "b": "2"}
    assert merge(base, base, theirs) == {}
    assert merge.result() == {"a/d": b"1", "b": b"2"}


def test_a_renamed_file_is_one_that_went_and_one_that_came(merge: Merger) -> None:
    assert merge({"a.md": LINES}, {"a.md": LINES}, {"b.md": LINES}) == {}
    assert merge.result() == {"b.md": LINES.encode()}
    conflicts = Merger(merge.root / "edited")({"a.md": LINES}, {"a.md": changed(1)}, {"b.md": LINES})
    assert conflicts == {"a.md": "it was removed upstream and changed here"}


def test_both_added_a_file_with_other_content(merge: Merger) -> None:
    merged = merge({}, {"a.md": "same\nb\n"}, {"a.md": "same\nc\n"}, markers=True)
    assert list(merged) == ["a.md"]
    (content,) = merge.result().values()
    assert isinstance(content, bytes)
    assert b"b\n" in content
    assert b"c\n" in content
    assert content.count(b"<<<<<<< ") == 1


def test_line_ends_here_are_kept(merge: Merger) -> None:
    base, ours, theirs = LINES, changed(2).replace("\n", "\r\n"), changed(18)
    assert merge({"a.md": base}, {"a.md": ours}, {"a.md": theirs}) == {}
    assert merge.result() == {"a.md": changed(2, 18).replace("\n", "\r\n").encode()}


def test_line_ends_that_are_all_that_was_changed_here_are_kept_too(merge: Merger) -> None:
    crlf = LINES.replace("\n", "\r\n")
    merge({"a.md": LINES}, {"a.md": crlf}, {"a.md": changed(18)})
    assert merge.result() == {"a.md": changed(18).replace("\n", "\r\n").encode()}


def test_a_file_without_local_edits_has_upstream_s_bytes(merge: Merger) -> None:
    theirs = b"one\r\ntwo\nthree\r\n"
    assert merge({"a.bat": b"one\ntwo\n"}, {"a.bat": b"one\ntwo\n"}, {"a.bat": theirs}) == {}
    assert merge.result() == {"a.bat": theirs}


def test_a_difference_in_line_ends_alone_is_no_change(merge: Merger) -> None:
    lf, crlf = "a\nb\n", "a\r\nb\r\n"
    base = {"a.md": lf, "b.md": lf, "c.md": lf}
    ours = {"a.md": crlf, "b.md": lf, "c.md": "mine\n"}
    assert merge(base, ours, {"b.md": crlf, "c.md": crlf}) == {}
    assert merge.result() == {"b.md": b"a\nb\n", "c.md": b"mine\n"}


def test_a_last_line_without_an_end_stays_so(merge: Merger) -> None:
    base = LINES.removesuffix("\n")
    merge({"a.md": base}, {"a.md": changed(2, text=base)}, {"a.md": changed(10, text=base)})
    assert merge.result() == {"a.md": changed(2, 10, text=base).encode()}


@pytest.mark.parametrize("base", [False, True])
@pytest.mark.parametrize("ours", [False, True])
@pytest.mark.parametrize("theirs", [False, True])
def test_the_executable_bit_is_merged_by_itself(merge: Merger, base: bool, ours: bool, theirs: bool) -> None:
    def side(text: str, executable: bool) -> Side:
        return {"a.sh": Program(text.encode()) if executable else text}

    merge(side(LINES, base), side(changed(2), ours), side(changed(18), theirs))
    expected = theirs if ours == base else ours
    assert merge.result() == taken(put(merge.root / "expected", side(changed(2, 18), expected)))


def test_what_was_only_made_executable_here_takes_upstream_s_content(merge: Merger) -> None:
    ours: Side = {"a.sh": Program(b"1\r\n2\r\n"), "b": Program(b"\0\r\n")}
    merge({"a.sh": "1\n2\n", "b": b"\0\r\n"}, ours, {"a.sh": "1\n3\n", "b": b"\0\n"})
    assert merge.result() == {"a.sh": Program(b"1\r\n3\r\n"), "b": Program(b"\0\n")}


def test_a_new_file_is_executable_if_either_side_made_it_so(merge: Merger) -> None:
    merged = merge({}, {"a.sh": "x", "b.sh": Program(b"x")}, {"a.sh": Program(b"x"), "b.sh": "x"})
    assert merged == {}
    assert merge.result() == {"a.sh": Program(b"x"), "b.sh": Program(b"x")}


def test_links_are_merged_as_links(merge: Merger, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("outside")
    base: Side = {"a": Link("x"), "b": Link("x"), "c": "text", "d": Link("../outside")}
    ours: Side = {"a": Link("y"), "b": Link("x"), "c": "text", "d": Link("../outside")}
    theirs: Side = {"a": Link("x"), "b": Link("z"), "c": Link("z"), "d": Link("../outside"), "e": Link("b")}
    assert merge(base, ours, theirs) == {}
    expected = {"a": Link("y"), "b": Link("z"), "c": Link("z"), "d": Link("../outside"), "e": Link("b")}
    assert merge.result() == expected


def test_what_belongs_to_no_skill_is_left_behind(merge: Merger) -> None:
    clutter: Side = {"__pycache__/a.pyc": b"\0", ".DS_Store": b"\0", "node_modules/x/y.js": "y"}
    assert merge({"a": "1"}, {"a": "1", **clutter}, {"a": "2", ".git/config": "z"}) == {}
    assert merge.result() == {"a": b"2"}


def test_names_and_labels_are_never_options(merge: Merger) -> None:
    names = ["--help", "-p", "-L", "--diff3 x", "$(touch x)", "a\nb"]
    base, ours, theirs = (dict.fromkeys(names, text) for text in (LINES, changed(2), changed(18)))
    merge(base, ours, theirs)
    assert set(merge.result().values()) == {changed(2, 18).encode()}
    other = Merger(merge.root / "labels")
    other({"a": "1\n"}, {"a": "2\n"}, {"a": "3\n"}, markers=True, upstream="--output=x")
    (content,) = other.result().values()
    assert isinstance(content, bytes)
    assert b">>>>>>> --output=x\n" in content


def test_git_configuration_is_ignored(merge: Merger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    put(home, {".gitconfig": "[merge]\n\tconflictStyle = merge\n[core\n", "git/config": "[broken"})
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "broken")
    merge({"a": "1\n"}, {"a": "2\n"}, {"a": "3\n"}, markers=True)
    assert merge.result() == {"a": b"<<<<<<< local\n2\n||||||| base\n1\n=======\n3\n>>>>>>> upstream\n"}


def test_a_merge_without_git_leaves_nothing(merge: Merger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OSError, match="git is needed to compare and merge texts"):
        merge({"a": "1\n"}, {"a": "2\n"}, {"a": "3\n"})
    assert not merge.to.exists()


def test_what_stands_in_the_way_is_left_alone(merge: Merger) -> None:
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


def test_two_names_that_are_one_in_unicode_s_normal_form_are_refused(merge: Merger) -> None:
    with pytest.raises(OSError, match="two names here look the same"):
        merge({}, {"e\u0301": "1", "\u00e9": "2"}, {})


def test_a_name_in_the_other_normal_form_is_the_same_name(merge: Merger) -> None:
    merge({"\u00e9": "1"}, {"e\u0301": "1"}, {"\u00e9": "2"})
    assert merge.result() == {"\u00e9": b"2"}
