"""Copies of skills by their content: shared, kept while they are used, and not for ever."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from skillbag.runtime.broker import copies
from skillbag.runtime.broker.content import content_hash
from skillbag.runtime.broker.copies import FOLDER, held_copy
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.skill import FoundSkill
from tests.runtime.found import found
from tests.supply.install.worlds import write

pytestmark = pytest.mark.skipif(os.name != "posix", reason="no skill runs here")

OLD = 1_000_000_000


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The folder of the copies."""
    return tmp_path / "state" / FOLDER


@pytest.fixture
def skill(tmp_path: Path) -> Callable[..., tuple[FoundSkill, str, str]]:
    """Writes a skill; gives what `held_copy` takes."""

    def made(text: str) -> tuple[FoundSkill, str, str]:
        folder = tmp_path / text
        write(folder, {"bin/run": text, "data.txt": "x"})
        (folder / "bin/run").chmod(0o755)
        (folder / "link").symlink_to("bin/run")
        return found("a", directory=str(folder)), content_hash(str(folder)), str(tmp_path / "state")

    return made


def test_a_copy_has_the_same_files_modes_and_links(skill: Callable[..., tuple[FoundSkill, str, str]]) -> None:
    requested = skill("one")
    with held_copy(*requested) as copied:
        assert (copied.folder, copied.directory) == (copied.copy, requested[0].directory)
        assert content_hash(copied.folder) == requested[1]
        run = Path(copied.folder, "bin/run")
        assert (run.read_text(), run.stat().st_mode & 0o777) == ("one", 0o511)
        assert os.readlink(Path(copied.folder, "link")) == "bin/run"


def test_without_a_hash_there_is_no_copy(kept: Path, skill: Callable[..., tuple[FoundSkill, str, str]]) -> None:
    plain, _, state = skill("one")
    with held_copy(plain, "", state) as copied:
        assert (copied, plain.folder) == (plain, plain.directory)
    assert not kept.exists()


def test_many_at_once_share_one_copy(kept: Path, skill: Callable[..., tuple[FoundSkill, str, str]]) -> None:
    requested, folders = skill("one"), list[str]()

    def work() -> None:
        with held_copy(*requested) as copied:
            folders.append(copied.folder)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert folders == [str(kept / requested[1])] * 8
    assert os.listdir(kept) == [requested[1]]


def test_the_least_used_are_deleted_unless_one_is_in_use(
    kept: Path, skill: Callable[..., tuple[FoundSkill, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "MAX", 2)
    monkeypatch.setattr(copies, "_UNUSED", 1e12)
    requested = [skill(str(number)) for number in range(5)]
    with ExitStack() as stack:
        stack.enter_context(held_copy(*requested[0]))
        for number, each in enumerate(requested[:3]):
            with held_copy(*each):
                os.utime(kept / each[1], (OLD + number, OLD + number))
        with held_copy(*requested[3]):
            # The oldest one is in use.
            assert {*os.listdir(kept)} == {each[1] for each in requested[:4]}
    with held_copy(*requested[4]):
        assert {*os.listdir(kept)} == {each[1] for each in requested[2:]}


def test_what_was_not_used_for_a_month_is_deleted(
    kept: Path, skill: Callable[..., tuple[FoundSkill, str, str]]
) -> None:
    one, two = skill("one"), skill("two")
    with held_copy(*one):
        pass
    os.utime(kept / one[1], (OLD, OLD))
    with held_copy(*one):
        pass
    with held_copy(*two):
        # It was used just now.
        assert {*os.listdir(kept)} == {one[1], two[1]}
    os.utime(kept / one[1], (OLD, OLD))
    with held_copy(*skill("three")):
        assert one[1] not in os.listdir(kept)


def test_what_a_killed_process_has_left_is_deleted(
    kept: Path, skill: Callable[..., tuple[FoundSkill, str, str]]
) -> None:
    requested = skill("one")
    write(kept, {f"{requested[1]}.new/half": "x", "other.new/half": "x"})
    with held_copy(*requested):
        assert os.listdir(kept) == [requested[1]]


def test_a_read_only_folder_is_copied_and_deleted(
    kept: Path, skill: Callable[..., tuple[FoundSkill, str, str]]
) -> None:
    requested = skill("one")
    folders = [Path(requested[0].directory), Path(requested[0].directory, "bin")]
    for folder in folders:
        folder.chmod(0o555)
    with held_copy(*requested) as copied:
        assert all(path.stat().st_mode & 0o200 for path in (Path(copied.folder), Path(copied.folder, "bin")))
    for folder in folders:
        folder.chmod(0o755)


def test_another_content_by_now_is_no_copy(kept: Path, skill: Callable[..., tuple[FoundSkill, str, str]]) -> None:
    requested = skill("one")
    Path(requested[0].directory, "data.txt").write_text("y")
    with pytest.raises(RuntimeFaultError, match="have changed; activate it again"), held_copy(*requested):
        pass
    assert os.listdir(kept) == []
