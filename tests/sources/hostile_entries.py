"""Hostile entries of archives: kinds, links and names, each with the one sentence that refuses it."""

from __future__ import annotations

import struct

from tests.sources.hostile_archives import A, HostileArchive, archive_named, archive_with
from tests.sources.zips import STORED, Packed, extra, link, pack

ENTRIES: dict[str, HostileArchive] = {
    # Kinds.
    "a device": HostileArchive(
        archive_with(Packed(f"{A}/x", mode=0o020644)),
        f"'{A}/x': a device; only files, folders and links are taken from a source",
    ),
    "a disk": HostileArchive(
        archive_with(Packed("disk", mode=0o060644)),
        "'disk': a device; only files, folders and links are taken from a source",
    ),
    "a pipe": HostileArchive(
        archive_with(Packed(f"{A}/x", mode=0o010644)),
        f"'{A}/x': a named pipe; only files, folders and links are taken from a source",
    ),
    "a socket": HostileArchive(
        archive_with(Packed(f"{A}/x", mode=0o140644)),
        f"'{A}/x': a socket; only files, folders and links are taken from a source",
    ),
    "an unknown kind": HostileArchive(
        archive_with(Packed(f"{A}/x", mode=0o110644)),
        f"'{A}/x': a thing of an unknown kind; only files, folders and links are taken from a source",
    ),
    "set-user-ID": HostileArchive(
        archive_with(Packed(f"{A}/x", mode=0o104755)),
        f"'{A}/x': a file that would run as another user (set-user-ID or set-group-ID)",
    ),
    "a hard link": HostileArchive(
        archive_with(Packed(f"{A}/x", extra=extra(0x0D, bytes(12) + b"/etc/passwd"))),
        f"'{A}/x': a hard link or a device by its extra fields",
    ),
    "a device by an extra field": HostileArchive(
        archive_with(Packed(f"{A}/y", extra=extra(0x756E, struct.pack("<LHLHH", 0, 0o020644, 0x103, 0, 0)))),
        f"'{A}/y': a hard link or a device by its extra fields",
    ),
    "a link by an extra field": HostileArchive(
        archive_with(
            Packed(f"{A}/x", extra=extra(0x756E, struct.pack("<LHLHH", 0, 0o100644, 0, 0, 0) + b"/etc/passwd"))
        ),
        f"'{A}/x': a hard link or a device by its extra fields",
    ),
    "a link without a name by an extra field": HostileArchive(
        archive_with(Packed(f"{A}/x", extra=extra(0x756E, struct.pack("<LHLHH", 0, 0o100644, 11, 0, 0)))),
        f"'{A}/x': a hard link or a device by its extra fields",
    ),
    "a kind by an extra field": HostileArchive(
        archive_with(Packed(f"{A}/x", extra=extra(0x756E, struct.pack("<LHLHH", 0, 0o120777, 0, 0, 0)))),
        f"'{A}/x': a hard link or a device by its extra fields",
    ),
    "a folder that is called a file": HostileArchive(
        archive_with(Packed(f"{A}/x", attributes=0x10, system=0)),
        f"'{A}/x': its name and its attributes do not agree whether it is a folder",
    ),
    "a file that is called a folder": HostileArchive(
        archive_with(Packed(f"{A}/x/", mode=0o100644)),
        f"'{A}/x': its name and its attributes do not agree whether it is a folder",
    ),
    "a folder with content": HostileArchive(
        archive_with(Packed(f"{A}/x/", b"x", mode=0o040755)), f"'{A}/x': a folder with content of its own"
    ),
    "skills that are a file": HostileArchive(
        pack([Packed("AGENTS.md"), Packed(".skills")]),
        "'.skills': a file; a source holds its skills in a folder of this name",
    ),
    "skills that are a link": HostileArchive(
        pack([Packed("AGENTS.md"), Packed("skills/a/SKILL.md"), link(".skills", "skills")]),
        "'.skills': a symbolic link; a source holds its skills in a folder of this name",
    ),
    "instructions that are a link": HostileArchive(
        pack([link("AGENTS.md", "README.md"), Packed("README.md")]),
        "'AGENTS.md': a symbolic link; it must be a file, since the target of a link is not taken along",
    ),
    # Links.
    "a link to an absolute path": HostileArchive(
        archive_with(link(f"{A}/x", "/etc/passwd")), f"'{A}/x': the link leads to the absolute path '/etc/passwd'"
    ),
    "a link to a drive": HostileArchive(
        archive_with(link(f"{A}/x", "C:/x")), f"'{A}/x': the link leads to the absolute path 'C:/x'"
    ),
    "a link that leaves its skill": HostileArchive(
        archive_with(link(f"{A}/x", "../b/SKILL.md")),
        f"'{A}/x': the link to '../b/SKILL.md' leaves its skill, which is installed on its own; put a copy there",
    ),
    "a link that leaves the skills": HostileArchive(
        archive_with(link(".skills/x", "../docs")), "'.skills/x': the link to '../docs' leaves .skills"
    ),
    "a link that leaves the source": HostileArchive(
        archive_with(link("docs/x", "../../x")), "'docs/x': the link to '../../x' leaves the source"
    ),
    "a link that leaves by a detour": HostileArchive(
        archive_with(link(f"{A}/x", "././/../b")),
        f"'{A}/x': the link to '././/../b' leaves its skill, which is installed on its own; put a copy there",
    ),
    "a link by way of another": HostileArchive(
        archive_with(link(f"{A}/b/c", ".."), link(f"{A}/x", "b/c/../SKILL.md")),
        f"'{A}/x': the link to 'b/c/../SKILL.md' leaves its skill, which is installed on its own; put a copy there",
    ),
    "a link by way of one of another case": HostileArchive(
        archive_with(link(f"{A}/b/c", ".."), link(f"{A}/x", "B/C/../y")),
        f"'{A}/x': the link to 'B/C/../y' leaves its skill, which is installed on its own; put a copy there",
    ),
    "a link to itself": HostileArchive(
        archive_with(link(f"{A}/x", "x")), f"'{A}/x': the link to 'x' leads in a circle"
    ),
    "a link to nothing": HostileArchive(archive_with(link(f"{A}/x", "")), f"'{A}/x': the link leads to nothing at all"),
    "a long link": HostileArchive(
        archive_with(link(f"{A}/x", "y/" * 600)), f"'{A}/x': the link's target is longer than 1024 bytes"
    ),
    "a long link that is damaged besides": HostileArchive(
        archive_with(Packed(f"{A}/x", b"y/" * 600, 0o120777, STORED, checksum=1)),
        f"'{A}/x': the link's target is longer than 1024 bytes",
    ),
    "a link with a control character": HostileArchive(
        archive_with(link(f"{A}/x", "a\nb")),
        f"'{A}/x': a control character or a backslash in the link's target 'a\\nb'",
    ),
    "a link with backslashes": HostileArchive(
        archive_with(link(f"{A}/x", "..\\..\\x")),
        f"'{A}/x': a control character or a backslash in the link's target '..\\\\..\\\\x'",
    ),
    "a link that is no text": HostileArchive(
        archive_with(link(f"{A}/x", b"\xff")), f"'{A}/x': the link's target is not UTF-8"
    ),
    "a file below a link": HostileArchive(
        archive_with(link(f"{A}/x", "y"), Packed(f"{A}/x/z")), f"'{A}/x/z': it is below '{A}/x', which is no folder"
    ),
    # Names.
    "climbing": HostileArchive(archive_named("../x"), "'../x': the path climbs with `..`"),
    "a folder that climbs": HostileArchive(
        archive_with(Packed("../x/", mode=0o040755)), "'../x': the path climbs with `..`"
    ),
    "climbing within": HostileArchive(archive_named(f"{A}/../../../x"), f"'{A}/../../../x': the path climbs with `..`"),
    "climbing as the single folder": HostileArchive(
        pack([Packed("../AGENTS.md")]), "'../AGENTS.md': the path climbs with `..`"
    ),
    "absolute": HostileArchive(archive_named("/x"), "'/x': an absolute path"),
    "a drive": HostileArchive(archive_named("C:x"), "'C:x': the path names a drive"),
    "a backslash": HostileArchive(
        archive_named("..\\x"), "'..\\\\x': a backslash in the name, which Windows takes for a slash"
    ),
    "no name": HostileArchive(archive_named(""), "'': an entry without a name"),
    "a dot": HostileArchive(archive_named(f"{A}/./x"), f"'{A}/./x': an empty name or `.` within the path"),
    "two slashes": HostileArchive(archive_named(f"{A}//x"), f"'{A}//x': an empty name or `.` within the path"),
    "NUL": HostileArchive(archive_named(f"{A}/x\0.md"), f"'{A}/x\\x00.md': a control character in the name"),
    "an escape": HostileArchive(archive_named(f"{A}/\x1b[2J"), f"'{A}/\\x1b[2J': a control character in the name"),
    "marked as UTF-8": HostileArchive(
        archive_named(b".skills/a/\xff"), "b'.skills/a/\\xff': the name is marked as UTF-8 and is not"
    ),
    "a long name": HostileArchive(
        archive_named(f"{A}/" + "é" * 128), f"'{A}/" + "é" * 128 + "': a name of 256 bytes; at most 255 are taken"
    ),
    "a deep path": HostileArchive(
        archive_named(f"{A}/" + "b/" * 31 + "x"), f"'{A}/" + "b/" * 31 + "x': 34 names deep; at most 32 are taken"
    ),
    "a dot at the end": HostileArchive(
        archive_named(f"{A}/x."), f"'{A}/x.': a name that ends with a dot or a space, which Windows drops"
    ),
    "a space at the end": HostileArchive(
        archive_named(f"{A}/x /y"), f"'{A}/x /y': a name that ends with a dot or a space, which Windows drops"
    ),
    "a device of Windows": HostileArchive(
        archive_named(f"{A}/Aux.py"), f"'{A}/Aux.py': a name that Windows keeps for a device"
    ),
    "a stream of Windows": HostileArchive(
        archive_named(f"{A}/x:y"),
        f"'{A}/x:y': a character in the name that Windows does not allow (one of <>:\"|?*)",
    ),
    "git's folder": HostileArchive(
        archive_named(f"{A}/.Git/hooks/post-checkout"),
        f"'{A}/.Git/hooks/post-checkout': a name of git's own folder, which is never taken from a source",
    ),
    "git's folder in short": HostileArchive(
        archive_named(f"{A}/GIT~1/config"),
        f"'{A}/GIT~1/config': a name of git's own folder, which is never taken from a source",
    ),
    "git's folder in disguise": HostileArchive(
        archive_named(f"{A}/.g\u200cit/config"),
        f"'{A}/.g\\u200cit/config': a name of git's own folder, which is never taken from a source",
    ),
    "twice": HostileArchive(
        archive_with(Packed(f"{A}/x", b"1"), Packed(f"{A}/x", b"2")), f"'{A}/x': there are two entries of this name"
    ),
    "a file that is a folder too": HostileArchive(
        archive_with(Packed(f"{A}/x"), Packed(f"{A}/x/y")), f"'{A}/x/y': it is below '{A}/x', which is no folder"
    ),
    "cases": HostileArchive(
        archive_with(Packed(f"{A}/x"), Packed(f"{A}/X")),
        f"'{A}/X': the same name as '{A}/x' on systems that ignore case or Unicode forms",
    ),
    "cases of folders": HostileArchive(
        archive_with(Packed(".skills/A/x"), Packed(".skills/A/y")),
        "'.skills/A': the same name as '.skills/a' on systems that ignore case or Unicode forms",
    ),
    "forms of Unicode": HostileArchive(
        archive_with(Packed(f"{A}/\u00e9"), Packed(f"{A}/e\u0301")),
        f"'{A}/e\u0301': the same name as '{A}/\u00e9' on systems that ignore case or Unicode forms",
    ),
}
