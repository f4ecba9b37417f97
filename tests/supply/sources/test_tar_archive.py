"""Tar archives of sources: those of people and hosts unpack to the same tree as a zip; hostile ones are refused."""

from __future__ import annotations

import gzip
import io
import subprocess
import tarfile
from pathlib import Path

import pytest

from skillbag.kernel.workspace.tree_hash import tree_hash
from skillbag.supply.sources import archive, limits
from skillbag.supply.sources.fetched import InvalidSourceError
from tests.rows import each_row
from tests.supply.sources.archives import git, names, posix
from tests.supply.sources.hostile_tars import DOUBLES, KINDS, LAYOUTS, NAMES
from tests.supply.sources.tarballs import END, entry, good, header, pax, zipped
from tests.support import skill

SOURCE = {"AGENTS.md": "# SKILLBAG\n", ".skills/a/SKILL.md": skill("a"), "README.md": "read\n"}


def unpack(folder: Path, data: bytes, *, plain: bool = False, whole: bool = False) -> Path:
    """The archive, unpacked into `folder/to`."""
    (folder / "x.tar.gz").write_bytes(data)
    to = folder / "to"
    assert archive.unpack(str(folder / "x.tar.gz"), str(to), "tar", plain=plain, whole=whole) == tree_hash(str(to))
    return to


def made(*more: bytes) -> bytes:
    """A sound source with more entries."""
    return zipped(good(SOURCE), *more)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A repository with all that a skill may hold, and with things beside it."""
    root = tmp_path / "source"
    texts = SOURCE | {"LICENSE": "MIT\n", ".skills/a/scripts/run.sh": "#!/bin/sh\n", ".skills/a/é/ü.md": "é\n"}
    texts[f".skills/a/{'deep-' * 20}/{'long-' * 20}.md"] = "long\n"
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    (root / ".skills/a/scripts/run.sh").chmod(0o755)
    (root / ".skills/a/link.md").symlink_to("é/ü.md")
    (root / ".skills/a/far.md").symlink_to(f"{'deep-' * 20}/{'long-' * 20}.md")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "All of it")
    return root


def programs(root: Path, to: Path) -> dict[str, bytes]:
    """What programs make of the repository."""
    for name, options in {"git": [], "git top": ["--prefix=repo-1.0/"]}.items():
        git(root, "archive", "--format=tar.gz", *options, "-o", str(to / name), "HEAD")
    git(root, "archive", "--format=tar", "-o", str(to / "git tar"), "HEAD")
    for kind in ("gnu", "pax"):
        command = ["tar", f"--format={kind}", "--exclude=.git", "-czf", str(to / f"tar {kind}"), "."]
        subprocess.run(command, cwd=root, check=True, capture_output=True)
    for kind, form in {"gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}.items():
        with tarfile.open(to / f"python {kind}", "w:gz", format=form) as packed:
            packed.add(root, "top", filter=lambda info: None if ".git" in info.name.split("/") else info)
    return {path.name: path.read_bytes() for path in to.iterdir()}


@posix
def test_what_programs_make_unpacks_to_the_same_tree_as_a_zip(source: Path, tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    git(source, "archive", "--format=zip", "-o", str(tmp_path / "x.zip"), "HEAD")
    expected = archive.unpack(str(tmp_path / "x.zip"), str(tmp_path / "zip"))
    for name, data in programs(source, tmp_path / "made").items():
        (folder := tmp_path / name.replace(" ", "-")).mkdir()
        to = unpack(folder, data)
        assert tree_hash(str(to)) == expected, name
        assert names(to) == names(tmp_path / "zip"), name
        assert (to / ".skills/a/scripts/run.sh").stat().st_mode & 0o100
        assert (to / ".skills/a/link.md").readlink() == Path("é/ü.md")


def test_files_that_macos_adds_do_not_hide_the_top_folder(tmp_path: Path) -> None:
    to = unpack(tmp_path, zipped(entry("._repo", "fork"), good(SOURCE, "repo/"), entry("repo/._AGENTS.md", "fork")))
    assert names(to) == {"AGENTS.md", ".skills/a/SKILL.md"}


def test_of_a_plain_repository_the_skills_are_taken(tmp_path: Path) -> None:
    files = {"r/README.md": "x\n", "r/skills/a/SKILL.md": skill("a"), "r/skills/a/x.md": "x\n", "r/src/b.c": "x\n"}
    assert names(unpack(tmp_path, zipped(good(files)), plain=True)) == {"skills/a/SKILL.md", "skills/a/x.md"}


# In a source links are allowed, and archives may be uncompressed; of these another sentence speaks, or none.
_OTHERWISE = {
    "kind: symbolic link": None,
    "kind: link out": "the absolute path '/etc'",
    "kind: long link": "the absolute path '/etc'",
    "layout: no gzip": "this is no tar archive",
    "layout: a zip": "this is no tar archive",
    "layout: nothing": "the archive is empty",
    "layout: an uncompressed tar": None,
    "layout: no entries": "holds no Agent Skills",
}
_CASES = {
    f"{group} {name}": case
    for group, cases in (("name:", NAMES), ("kind:", KINDS), ("double:", DOUBLES), ("layout:", LAYOUTS))
    for name, case in cases.items()
}


@each_row("kind", _CASES)
def test_what_is_hostile_in_a_registry_is_hostile_here(tmp_path: Path, kind: str) -> None:
    data, words = _CASES[kind]
    expected = _OTHERWISE.get(kind, words)
    if expected is None:
        assert "SKILL.md" in names(unpack(tmp_path, data, plain=True))
        return
    with pytest.raises(InvalidSourceError) as caught:
        unpack(tmp_path, data, plain=True)
    assert not (tmp_path / "to").exists()
    assert expected in caught.value.faults[0]
    assert all(fault.isprintable() for fault in caught.value.faults)


_A = ".skills/a"
LINKS: dict[str, tuple[bytes, str]] = {
    "out of its skill": (made(header(f"{_A}/x", flag=b"2", link="../b/SKILL.md")), "leaves its skill"),
    "out of the source": (made(header(f"{_A}/x", flag=b"2", link="../../../etc")), "leaves its skill"),
    "absolute": (made(header(f"{_A}/x", flag=b"2", link="/etc/passwd")), "the absolute path '/etc/passwd'"),
    "absolute by pax": (
        made(pax({"linkpath": "/etc"}), header(f"{_A}/x", flag=b"2", link="b")),
        "absolute path '/etc'",
    ),
    "absolute by GNU": (made(entry("K", "/etc\0", b"K"), header(f"{_A}/x", flag=b"2", link="b")), "path '/etc'"),
    "two targets": (
        made(entry("K", "b\0", b"K"), pax({"linkpath": "c"}), header(f"{_A}/x", flag=b"2")),
        "two extended headers",
    ),
    "target of all": (made(pax({"linkpath": "b"}, b"g"), header(f"{_A}/x", flag=b"2")), "sets `linkpath`"),
    "target of a file": (made(pax({"linkpath": "b"}), entry(f"{_A}/x", "x")), "gives the target of a link"),
    "target of nothing": (made(entry("K", "b\0", b"K")), "no entry follows"),
    "no target": (made(header(f"{_A}/x", flag=b"2")), "leads to nothing"),
    "written through": (made(header(f"{_A}/x", flag=b"2", link="."), entry(f"{_A}/x/y", "x")), "which is no folder"),
    "file after link": (
        made(header(f"{_A}/x", flag=b"2", link="y"), entry(f"{_A}/x", "x")),
        "two entries of this name",
    ),
    "circle": (made(header(f"{_A}/x", flag=b"2", link="y"), header(f"{_A}/y", flag=b"2", link="x")), "in a circle"),
    "climbing by another": (
        made(header(f"{_A}/x", flag=b"2", link="y/.."), header(f"{_A}/y", flag=b"2", link="..")),
        "leaves its skill",
    ),
    "the root as a link": (
        zipped(header("AGENTS.md", flag=b"2", link="x"), good({f"{_A}/SKILL.md": skill("a")})),
        "file",
    ),
    "the skills as a link": (zipped(entry("AGENTS.md", "x"), header(".skills", flag=b"2", link="x")), "in a folder"),
    "neither": (zipped(entry("a/README.md", "x"), entry("b/README.md", "x")), "holds neither `AGENTS.md`"),
}


@each_row("kind", LINKS)
def test_a_link_stays_in_its_skill(tmp_path: Path, kind: str) -> None:
    data, words = LINKS[kind]
    with pytest.raises(InvalidSourceError) as caught:
        unpack(tmp_path, data)
    assert words in " ".join(caught.value.faults)
    assert not (tmp_path / "to").exists()


@pytest.mark.parametrize("packed", [True, False], ids=["gzip", "plain"])
def test_sizes_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: bool) -> None:
    def refused(*blocks: bytes) -> str:
        data = zipped(good(SOURCE), *blocks)
        with pytest.raises(InvalidSourceError) as caught:
            unpack(tmp_path, data if packed else gzip.decompress(data))
        assert not (tmp_path / "to").exists()
        return caught.value.faults[0]

    assert "at most 64 MiB" in refused(header(f"{_A}/x", limits.MAX_FILE + 1))
    monkeypatch.setattr(limits, "MAX_ENTRIES", 100)
    assert "more than 100 entries" in refused(*(header(f"d{n}", flag=b"5") for n in range(101)))
    assert "more than 100 entries" in refused(pax({"comment": "x"}) * 201)
    monkeypatch.setattr(limits, "MAX_UNPACKED", 1 << 20)
    assert "more than 1 MiB" in refused(*(entry(f"n{n}", bytes(range(256)) * 400) for n in range(12)))


def test_a_bomb_is_refused_before_all_of_it_is_unpacked(tmp_path: Path) -> None:
    bomb = made(*(entry(f"{_A}/{n}", bytes(8 << 20)) for n in range(4)))
    with pytest.raises(InvalidSourceError, match="more than 200 times its size"):
        unpack(tmp_path, bomb)
    inner = gzip.compress(gzip.compress(good(SOURCE) + END))
    with pytest.raises(InvalidSourceError, match="cut off"):
        unpack(tmp_path, inner)
    assert not (tmp_path / "to").exists()


def test_every_truncation_of_an_uncompressed_archive_is_refused(tmp_path: Path) -> None:
    whole = good(SOURCE) + END
    for size in range(0, len(whole), 7):
        with pytest.raises(InvalidSourceError):
            unpack(tmp_path, whole[:size])
    assert not (tmp_path / "to").exists()
    assert names(unpack(tmp_path, whole)) == {"AGENTS.md", ".skills/a/SKILL.md"}


def test_with_whole_other_files_become_placeholders(tmp_path: Path) -> None:
    out = io.BytesIO(made(entry("src/large.bin", b"x" * 5000)))
    to = unpack(tmp_path, out.getvalue(), plain=True, whole=True)
    assert (to / "src/large.bin").read_bytes() == b"\xff"
    assert (to / ".skills/a/SKILL.md").read_text("utf-8") == skill("a")
