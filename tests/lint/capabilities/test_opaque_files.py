"""What of a skill is not read as text is a fact of its own, with its type, size and hash."""

from __future__ import annotations

import os
from pathlib import Path

from skillbag.lint.capabilities.facts import FactKind, Risk
from tests.lint.capabilities.test_facts import facts

PNG = b"\x89PNG\r\n\x1a\n\0\0"


def test_opaque_files_have_type_size_and_hash(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.png": PNG,
        "bin/tool": b"\x7fELF\0\0",
        "b.zip": b"PK\x03\x04\0",
        "c.csv": "ä,b\n",
        "d.txt": "MZ is a word",
    }
    found = facts(tmp_path, files, FactKind.OPAQUE_FILE)
    assert {name: fact.risk for name, fact in found.items()} == {
        "a.png": Risk.INFO,
        "b.zip": Risk.MEDIUM,
        "bin/tool": Risk.HIGH,
    }
    assert "ELF program, 6 bytes, sha256:" in found["bin/tool"].detail


def test_a_file_that_is_too_large_for_a_source_is_not_read_whole(tmp_path: Path) -> None:
    facts(tmp_path, {"model": b"\x7fELF\0\0"}, FactKind.OPAQUE_FILE)
    os.truncate(tmp_path / "tidy/model", 1 << 40)
    found = facts(tmp_path, {}, FactKind.OPAQUE_FILE)
    assert found["model"].detail == "ELF program, 1099511627776 bytes, too large to be hashed"


def test_what_is_not_read_is_a_fact(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.sh": b"# caf\xe9\ncurl https://vendor.dev\n",
        "b.js": "//\n" * 500_000,
        "c.json": "[" + "1,\n" * 500_000 + "1]",
        "bin/run": b"#!/bin/sh\n# caf\xe9\ncurl https://vendor.dev\n",
        "bin/read": "#!/bin/sh\ncurl https://vendor.dev\n",
        "notes": "curl\n",
    }
    (tmp_path / "tidy").mkdir()
    (tmp_path / "tidy/out.sh").symlink_to("/etc/hosts")
    (tmp_path / "tidy/in.sh").symlink_to("a.sh")
    found = facts(tmp_path, files, FactKind.OPAQUE_FILE)
    assert {name: fact.risk for name, fact in found.items()} == {
        "b.js": Risk.HIGH,
        "out.sh": Risk.MEDIUM,
        "c.json": Risk.INFO,
    }
    # A shell runs a script with bytes that are not UTF-8, so it is read.
    hosts = facts(tmp_path, {}, FactKind.HOST)
    assert {place.path for fact in hosts.values() for place in fact.places} == {"a.sh", "bin/run", "bin/read"}
    assert found["out.sh"].detail == "link to /etc/hosts"
