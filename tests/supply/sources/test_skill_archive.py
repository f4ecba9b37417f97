"""Archives of registries: the sound ones are unpacked, hostile ones refused with one sentence and nothing written."""

from __future__ import annotations

import io
import random
import stat
import tarfile
from pathlib import Path

import pytest

from skillbag.kernel.workspace.tree_hash import tree_hash
from skillbag.supply.sources import limits, skill_archive
from skillbag.supply.sources.fetched import InvalidSourceError
from tests.rows import each_row
from tests.supply.sources.hostile_tars import HOSTILE
from tests.supply.sources.registries import packed
from tests.supply.sources.tarballs import GOOD, NAME, VERSION, entry, good, header, pax, zipped


def unpack(folder: Path, archive: bytes) -> Path:
    """Unpack the archive of the skill into `folder/to`."""
    (folder / "archive").write_bytes(archive)
    to = folder / "to"
    assert skill_archive.unpack_skill(str(folder / "archive"), str(to), name=NAME, version=VERSION) == tree_hash(
        str(to)
    )
    return to


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


EXPECTED = {name: text.encode() for name, text in GOOD.items()}
SOUND = {
    "by tarfile": packed(GOOD),
    "by hand": zipped(good()),
    "in a folder": zipped(good(top="tidy-1.0.0/")),
    "in a folder with an entry": zipped(entry("top/", flag=b"5"), good(top="top/")),
    "from a dot": zipped(entry("./", flag=b"5"), good(top="./")),
    "GNU's format": zipped(b"".join(entry(name, text, magic=b"ustar  \0") for name, text in GOOD.items())),
    "git archive": zipped(pax({"comment": "0" * 40}, b"g"), good(top="a/")),
    "more zeros": zipped(good(), end=bytes(10_240)),
    "only SKILL.md without a version": zipped(entry("SKILL.md", GOOD["SKILL.md"])),
}


@each_row("kind", SOUND)
def test_a_sound_archive(tmp_path: Path, kind: str) -> None:
    found = contents(unpack(tmp_path, SOUND[kind]))
    assert found == {name: raw for name, raw in EXPECTED.items() if name in found}
    assert "SKILL.md" in found


@each_row("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_what_pythons_tarfile_writes(tmp_path: Path, form: int) -> None:
    out, long = io.BytesIO(), "references/" + "long-name-" * 15 + "é.md"
    files = GOOD | ({long: "x"} if form != tarfile.USTAR_FORMAT else {})
    with tarfile.open(fileobj=out, mode="w:gz", format=form) as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(text.encode()), 1.5 if form == tarfile.PAX_FORMAT else 1
            archive.addfile(info, io.BytesIO(text.encode()))
    assert contents(unpack(tmp_path, out.getvalue())) == {name: text.encode() for name, text in files.items()}


def test_modes_keep_only_the_right_to_run(tmp_path: Path) -> None:
    modes = {"run.sh": 0o6755, "data": 0o7666, "hidden": 0o000}
    to = unpack(tmp_path, zipped(good(), *(entry(name, "x", mode=mode) for name, mode in modes.items())))
    assert {name: stat.S_IMODE((to / name).stat().st_mode) & 0o7700 for name in modes} == {
        "run.sh": 0o700,
        "data": 0o600,
        "hidden": 0o600,
    }


def test_there_are_enough_hostile_archives() -> None:
    assert len(HOSTILE) >= 60


@each_row("kind", HOSTILE)
def test_a_hostile_archive(tmp_path: Path, kind: str) -> None:
    archive, words = HOSTILE[kind]
    with pytest.raises(InvalidSourceError) as caught:
        unpack(tmp_path, archive)
    assert not (tmp_path / "to").exists()
    assert words in caught.value.faults[0]
    assert all(fault.isprintable() for fault in caught.value.faults)
    # A name may be wrong for two reasons, and so may two manifests.
    assert len(caught.value.faults) <= 2


def test_real_bytes_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_REGISTRY_TOTAL", 1 << 20)
    files = b"".join(entry(f"f{n}", bytes(100_000)) for n in range(12))
    with pytest.raises(InvalidSourceError, match="more than 1 MiB of files"):
        unpack(tmp_path, zipped(good(), files))
    monkeypatch.setattr(skill_archive, "_OVERHEAD", 0)
    with pytest.raises(InvalidSourceError, match="unpacks to more than 1 MiB"):
        unpack(tmp_path, zipped(good(), end=bytes(2 << 20)))
    assert not (tmp_path / "to").exists()


_WHOLE = zipped(good(top="a/"), header("a/scripts/", flag=b"5"), entry("a/scripts/x.sh", "echo x\n", mode=0o755))


def test_every_truncation_is_refused(tmp_path: Path) -> None:
    for size in range(len(_WHOLE)):
        with pytest.raises(InvalidSourceError):
            unpack(tmp_path, _WHOLE[:size])
    assert not (tmp_path / "to").exists()
    assert len(contents(unpack(tmp_path, _WHOLE))) == 3


def test_flipped_bits_are_refused_or_change_nothing(tmp_path: Path) -> None:
    whole = contents(unpack(tmp_path, _WHOLE))
    for bit in random.Random(17).sample(range(len(_WHOLE) * 8), 600):
        (folder := tmp_path / str(bit)).mkdir()
        damaged = bytearray(_WHOLE)
        damaged[bit // 8] ^= 1 << bit % 8
        try:
            # Some bits of gzip's own header mean nothing.
            assert contents(unpack(folder, bytes(damaged))) == whole
        except InvalidSourceError:
            assert not (folder / "to").exists()


def test_flipped_bits_below_the_checksum_of_gzip(tmp_path: Path) -> None:
    import gzip

    plain = gzip.decompress(_WHOLE)
    for bit in random.Random(18).sample(range(len(plain) * 8), 600):
        (folder := tmp_path / str(bit)).mkdir()
        damaged = bytearray(plain)
        damaged[bit // 8] ^= 1 << bit % 8
        try:
            to = unpack(folder, gzip.compress(bytes(damaged), 1))
        except InvalidSourceError:
            assert not (folder / "to").exists()
        else:
            assert all(not path.is_symlink() for path in to.rglob("*"))
