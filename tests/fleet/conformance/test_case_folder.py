"""The folders of a case: what the kit makes, and what it finds at the end."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from skillbag.fleet.conformance.kit import CaseFolder, ConformanceCase

FILES = {"SKILLBAG.md": "SkillBag v0.3.0\n", "docs/a.md": "A\r\n", "docs/b.md": "B\n"}


@pytest.fixture
def place(tmp_path: Path) -> CaseFolder:
    return made(tmp_path)


def made(folder: Path, **more: Any) -> CaseFolder:
    return CaseFolder(ConformanceCase("a/b/c", ("tags.use",), "plain", "", (), FILES, (), **more), str(folder))


def at(place: CaseFolder, name: str) -> Path:
    return Path(place.workspace, name)


def test_workspace_scratch_and_sources_lie_side_by_side(tmp_path: Path) -> None:
    made(tmp_path, sources={"utils": {"AGENTS.md": "x", ".skills/SKILLS.md": ""}}, links={"docs/c.md": "a.md"})
    files = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert files == [
        "utils/.skills/SKILLS.md",
        "utils/AGENTS.md",
        "workspace/SKILLBAG.md",
        "workspace/docs/a.md",
        "workspace/docs/b.md",
        "workspace/docs/c.md",
    ]
    assert (tmp_path / "workspace/docs/c.md").readlink() == Path("a.md")
    assert (tmp_path / "workspace/docs/a.md").read_bytes() == b"A\r\n"
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_repository_tracks_what_it_is_told_whoever_s_hook_this_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    place = made(tmp_path, git={".": ("docs/a.md",)})
    monkeypatch.delenv("GIT_DIR")
    listed = subprocess.run(["git", "-C", place.workspace, "ls-files"], capture_output=True, check=True)
    assert listed.stdout == b"docs/a.md\n"
    assert list(place.faults({".": "unchanged"})) == []


@pytest.mark.parametrize(
    "after",
    [
        {".": "unchanged"},
        {"docs": "unchanged", "docs/a.md": "unchanged"},
        {"docs/a.md": "A\r\n", "docs/b.md": {"contains": "B", "excludes": "A"}},
        {"docs/c.md": "absent", "other": {"absent": True}, "docs": {"any": True}},
        {"docs": {"contains": ["a.md", "b.md"]}},
    ],
)
def test_what_is_as_it_was_made_has_no_faults(place: CaseFolder, after: dict[str, Any]) -> None:
    assert list(place.faults(after)) == []


@pytest.mark.parametrize(
    ("after", "line"),
    [
        ({".": "unchanged"}, "docs/a.md: expected it unchanged, but it was changed"),
        ({"docs/a.md": "unchanged"}, "docs/a.md: expected it unchanged, but it was changed"),
        ({"docs": "unchanged"}, "docs/a.md: expected it unchanged, but it was changed"),
        ({"docs/a.md": "A\r\n"}, r'docs/a.md: expected "A\r\n", got "a"'),
        ({"docs/a.md": "absent"}, 'docs/a.md: expected nothing, got "a"'),
        ({"docs/a.md": {"contains": "A"}}, 'docs/a.md: expected contains "A", got "a"'),
        ({"docs/c.md": "text"}, 'docs/c.md: expected "text", got nothing'),
        ({"docs": "absent"}, r'docs: expected nothing, got "a.md\nb.md\n"'),
    ],
)
def test_what_was_changed_is_a_line(place: CaseFolder, after: dict[str, Any], line: str) -> None:
    at(place, "docs/a.md").write_bytes(b"a")
    assert list(place.faults(after)) == [line]


def test_new_gone_and_exchanged_files_of_a_folder_are_lines(place: CaseFolder) -> None:
    at(place, "docs/a.md").unlink()
    at(place, "docs/b.md").unlink()
    at(place, "docs/b.md").symlink_to("a.md")
    at(place, "docs/deep").mkdir()
    at(place, "docs/deep/c.md").write_bytes(b"")
    assert list(place.faults({"docs": "unchanged"})) == [
        "docs/a.md: expected it unchanged, but it is gone",
        "docs/b.md: expected it unchanged, but it was changed",
        "docs/deep/c.md: expected it unchanged, but it is new",
    ]


def test_unchanged_means_as_the_kit_wrote_it_last(place: CaseFolder) -> None:
    place.write({"docs/a.md": "new", "more/x.md": "x", "../utils/y.md": "y"})
    place.delete("docs/b.md")
    place.delete("more")
    place.delete("never/there")
    assert list(place.faults({".": "unchanged", "../utils": "unchanged", "more": "absent"})) == []
    at(place, "docs/b.md").write_bytes(b"B\n")
    assert list(place.faults({".": "unchanged"})) == ["docs/b.md: expected it unchanged, but it is new"]


def test_a_folder_whose_name_only_begins_alike_is_another(place: CaseFolder) -> None:
    place.write({"docs-old/a.md": "x"})
    at(place, "docs-old/a.md").unlink()
    assert list(place.faults({"docs": "unchanged"})) == []


def test_what_a_driver_puts_there_neither_blocks_nor_floods(place: CaseFolder) -> None:
    at(place, "docs/a.md").unlink()
    os.mkfifo(at(place, "docs/a.md"))
    with open(at(place, "docs/b.md"), "wb") as handle:
        handle.truncate(1 << 30)
    assert list(place.faults({"docs": "unchanged"})) == [
        "docs/a.md: expected it unchanged, but it was changed",
        "docs/b.md: expected it unchanged, but it was changed",
    ]
    assert list(place.faults({"docs/a.md": "A\r\n"})) == [r'docs/a.md: expected "A\r\n", got "unreadable: special"']
