"""Hostile tar.gz archives, each with words of the sentence that refuses it."""

from __future__ import annotations

from skillbag.supply.sources import limits
from tests.supply.sources.registries import skill_files
from tests.supply.sources.tarballs import END, GOOD, NAME, VERSION, entry, good, header, pax, zipped

_GZ = zipped(good())
_LONG = "a" * 300

NAMES: dict[str, tuple[bytes, str]] = {
    "climbing": (zipped(good(), entry("../evil", "x")), "climbs with `..`"),
    "climbing inside": (zipped(good(), entry("a/../../evil", "x")), "climbs with `..`"),
    "climbing to itself": (zipped(good(), entry("a/../b", "x")), "climbs with `..`"),
    "climbing folder": (zipped(good(), entry("..", flag=b"5")), "climbs with `..`"),
    "climbing by pax": (zipped(good(), pax({"path": "../evil"}), entry("fine", "x")), "climbs with `..`"),
    "climbing by prefix": (zipped(good(), entry("evil", "x", prefix=b"..")), "climbs with `..`"),
    "climbing by a long name": (zipped(good(), entry("L", "../evil\0", b"L"), entry("fine", "x")), "climbs with `..`"),
    "absolute": (zipped(good(), entry("/etc/evil", "x")), "an absolute path"),
    "absolute by pax": (zipped(good(), pax({"path": "/etc/evil"}), entry("fine", "x")), "an absolute path"),
    "absolute after a dot": (zipped(good(), entry(".//etc/evil", "x")), "an absolute path"),
    "drive": (zipped(good(), entry("C:evil", "x")), "names a drive"),
    "drive with a slash": (zipped(good(), entry("c:/evil", "x")), "names a drive"),
    "backslash": (zipped(good(), entry("..\\evil", "x")), "a backslash"),
    "UNC": (zipped(good(), entry("\\\\host\\share", "x")), "a backslash"),
    "control character": (zipped(good(), entry("a\x1b[2J", "x")), "a control character"),
    "line feed": (zipped(good(), entry("a\nb", "x")), "a control character"),
    "turned direction": (zipped(good(), entry(".skills/a/a\u202ex", "x")), "turns its direction: U+202E"),
    "zero width": (zipped(good(), entry(".skills/a/a\u200bx", "x")), "shows nothing, or turns"),
    "tag": (zipped(good(), entry(".skills/a/a\U000e0041x", "x")), "shows nothing, or turns"),
    "no name": (zipped(good(), entry("", "x")), "without a name"),
    "not UTF-8": (zipped(good(), entry(b"a\xff", "x")), "not UTF-8"),
    "empty segment": (zipped(good(), entry("a//b", "x")), "an empty name or `.`"),
    "dot segment": (zipped(good(), entry("a/./b", "x")), "an empty name or `.`"),
    "file with a slash": (zipped(good(), entry("a/", "x")), "an empty name or `.`"),
    "device of Windows": (zipped(good(), entry("nul.txt", "x")), "keeps for a device"),
    "stream of Windows": (zipped(good(), entry("aa:b", "x")), "does not allow"),
    "trailing dot": (zipped(good(), entry("a.", "x")), "ends with a dot"),
    "folder of git": (zipped(good(), entry(".git/hooks/post-checkout", "x")), "git's own folder"),
    "folder of git in case": (zipped(good(), entry("a/.GIT/config", "x")), "git's own folder"),
    "long name": (zipped(good(), pax({"path": _LONG}), entry("fine", "x")), "a name of 300 bytes"),
    "deep": (zipped(good(), pax({"path": "a/" * 40 + "b"}), entry("fine", "x")), "names deep"),
}

KINDS: dict[str, tuple[bytes, str]] = {
    "symbolic link": (zipped(good(), header("a", flag=b"2", link="SKILL.md")), "a symbolic link"),
    "link out": (zipped(good(), header("a", flag=b"2", link="/etc"), entry("a/evil", "x")), "a symbolic link"),
    "hard link": (zipped(good(), header("a", flag=b"1", link="SKILL.md")), "a hard link"),
    "hard link out": (zipped(good(), header("a", flag=b"1", link="/etc/passwd")), "a hard link"),
    "long link": (zipped(good(), entry("K", "/etc\0", b"K"), header("a", flag=b"2")), "a symbolic link"),
    "link by pax": (zipped(good(), pax({"linkpath": "/etc"}), entry("a", "x")), "gives the target of a link"),
    "character device": (zipped(good(), header("a", flag=b"3")), "a device"),
    "block device": (zipped(good(), header("a", flag=b"4")), "a device"),
    "FIFO": (zipped(good(), header("a", flag=b"6")), "a named pipe"),
    "contiguous file": (zipped(good(), entry("a", "x", b"7")), "an unknown kind"),
    "vendor's kind": (zipped(good(), entry("a", "x", b"Z")), "an unknown kind"),
    "sparse of GNU": (zipped(good(), entry("a", "x", b"S", magic=b"ustar  \0")), "a sparse file"),
    "sparse by pax": (zipped(good(), pax({"GNU.sparse.size": "9"}), entry("a", "x")), "a sparse file"),
    "volume": (zipped(good(), entry("a", "x", b"M", magic=b"ustar  \0")), "several archives"),
    "folder with content": (zipped(good(), entry("a", "x", b"5")), "content of its own"),
    "link with content": (zipped(good(), entry("a", "x", b"2", link="b")), "content of its own"),
}

DOUBLES: dict[str, tuple[bytes, str]] = {
    "twice": (zipped(good(), entry("a", "x"), entry("a", "y")), "two entries of this name"),
    "twice by a dot": (zipped(good(), entry("a", "x"), entry("./a", "y")), "two entries of this name"),
    "twice in case": (zipped(good(), entry("a", "x"), entry("A", "y")), "the same name as 'a'"),
    "folder in case": (zipped(good(), entry("b/a", "x"), entry("B/c", "y")), "the same name as 'b'"),
    "twice in NFC": (zipped(good(), entry("\u00e9", "x"), entry("e\u0301", "y")), "the same name as"),
    "manifest twice": (zipped(good(), entry("SKILL.md", "x")), "two entries of this name"),
    "manifest in case": (zipped(good(), entry("skill.md", "x")), "the same name as 'SKILL.md'"),
    "below a file": (zipped(good(), entry("SKILL.md/a", "x")), "which is no folder"),
}

LAYOUTS: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "the archive is empty"),
    "no gzip": (b"<html>sign in</html>", "no tar.gz archive"),
    "a zip": (b"PK\3\4" + bytes(600), "no tar.gz archive"),
    "an uncompressed tar": (good() + END, "no tar.gz archive"),
    "no entries": (zipped(), "no `SKILL.yaml` and no `SKILL.md`"),
    "bytes after gzip": (_GZ + b"x", "bytes after the archive's end"),
    "another gzip": (_GZ + _GZ, "bytes after the archive's end"),
    "bytes after the end": (zipped(good(), end=END + b"x" * 512), "bytes after the archive's end"),
    "one block of the end": (zipped(good(), end=bytes(512)), "cut off"),
    "no end": (zipped(good(), end=b""), "cut off"),
    "goes on": (zipped(good(), end=bytes(512) + entry("a", "x") + END), "goes on after its end"),
    "cut in a file": (zipped(good(), header("a", 5000), end=b"x" * 100), "cut off"),
    "cut gzip": (_GZ[:-9], "cut off"),
    "wrong CRC": (_GZ[:-8] + bytes(4) + _GZ[-4:], "damaged"),
    "wrong length": (_GZ[:-4] + b"\1\0\0\0", "damaged"),
    "wrong checksum": (zipped(good(), header("a", checksum=7)), "checksum of an entry's header"),
    "no format": (zipped(good(), entry("a", "x", magic=bytes(8))), "old or unknown format"),
    "size of base 256": (zipped(good(), header("a", size_field=b"\x80" + bytes(10) + b"\1")), "no octal number"),
    "negative size": (zipped(good(), header("a", size_field=b"-0000000001\0")), "no octal number"),
    "padding": (zipped(good(), header("a", 1), b"x" + b"y" * 511), "bytes between its entries"),
    "size by pax": (zipped(good(), pax({"size": "1"}), entry("a", "x")), "sets `size`"),
    "pax length": (zipped(good(), pax(b"99 path=a\n"), entry("a", "x")), "extended header of an entry is damaged"),
    "pax of no line": (zipped(good(), pax(b"9 path=ab"), entry("a", "x")), "extended header of an entry is damaged"),
    "pax twice a key": (zipped(good(), pax(b"10 path=a\n10 path=b\n"), entry("a", "x")), "twice"),
    "two names": (zipped(good(), pax({"path": "a"}), entry("L", "b\0", b"L"), entry("c", "x")), "two extended headers"),
    "pax of all": (zipped(good(), pax({"path": "a"}, b"g"), entry("c", "x")), "sets `path`"),
    "pax of nothing": (zipped(good(), pax({"path": "a"})), "no entry follows"),
    "charset": (zipped(good(), pax({"hdrcharset": "BINARY"}), entry("a", "x")), "`hdrcharset`"),
    "large pax": (zipped(good(), pax({"comment": "x" * (65 << 10)}), entry("a", "x")), "larger than 64 KiB"),
}

SIZES: dict[str, tuple[bytes, str]] = {
    "large file": (zipped(good(), header("a", limits.MAX_REGISTRY_FILE + 1)), "at most 50 MiB"),
    "claims 8 GiB": (zipped(good(), header("a", size_field=b"77777777777\0")), "at most 50 MiB"),
    "large manifest": (zipped(entry("SKILL.md", b"x" * ((1 << 20) + 1))), "a manifest of"),
    "many": (zipped(good(), b"".join(header(f"d{n}", flag=b"5") for n in range(10_001))), "more than 10,000 entries"),
    "many headers": (zipped(good(), pax({"comment": "x"}) * 20_001), "more than 10,000 entries"),
}

MANIFESTS: dict[str, tuple[bytes, str]] = {
    "no manifest": (zipped(entry("README.md", "x")), "no `SKILL.yaml` and no `SKILL.md`"),
    "manifest too deep": (zipped(good(top="a/b/")), "no `SKILL.yaml` and no `SKILL.md`"),
    "two top folders": (zipped(good(top="a/"), entry("b/c", "x")), "no `SKILL.yaml` and no `SKILL.md`"),
    "other name": (zipped(good(skill_files("other", VERSION))), "of the skill 'other', and tidy"),
    "other version": (zipped(good(skill_files(NAME, "9.9.9"))), "of the version '9.9.9', and 1.0.0"),
    "two names of manifests": (
        zipped(good(GOOD | {"SKILL.md": skill_files("other", VERSION)["SKILL.md"]})),
        "`SKILL.md` is of the skill 'other'",
    ),
    "no version": (zipped(entry("SKILL.yaml", "name: tidy\n")), "of the version ''"),
    "broken manifest": (zipped(good(GOOD | {"SKILL.yaml": "a: [\n"})), "`SKILL.yaml` can't be read"),
    "manifest of bytes": (zipped(good(GOOD | {"SKILL.yaml": b"\xff"})), "`SKILL.yaml` can't be read"),
    "manifest of a list": (zipped(good(GOOD | {"SKILL.yaml": "- a\n"})), "`SKILL.yaml` can't be read"),
    "no front matter": (zipped(good(GOOD | {"SKILL.md": "# Title\n"})), "`SKILL.md` can't be read"),
}

HOSTILE = {
    f"{group} {name}": case
    for group, cases in (
        ("name:", NAMES),
        ("kind:", KINDS),
        ("double:", DOUBLES),
        ("layout:", LAYOUTS),
        ("size:", SIZES),
        ("manifest:", MANIFESTS),
    )
    for name, case in cases.items()
}
