"""Shared by the tests of the audit: the files of sources, and the records of a run."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from tests.support import PROJECT, skill

AGENTS = "This repository is a `SKILLBAG` source.\nThere are no extra installation steps.\n"
SCHEMA = json.loads((PROJECT / "schemas" / "audit.schema.json").read_text("utf-8"))
RECORD = Draft202012Validator(SCHEMA)
SUMMARY = Draft202012Validator({"$defs": SCHEMA["$defs"], "$ref": "#/$defs/summary"})
Audit = Callable[..., list[dict[str, Any]]]
"""The fixture `audit`: audits its arguments into the folder `out`, and returns the records."""

TIMES = ("at", "seconds", "bytes")


def source(*names: str) -> dict[str, str | bytes]:
    """The files of a sound source with these skills."""
    description = "Tidy a folder. Use when files lie about."
    files = {"AGENTS.md": AGENTS, ".skills/SKILLS.md": "".join(f"{name}: {description}\n" for name in sorted(names))}
    return {**files, **{f".skills/{name}/SKILL.md": skill(name, description) for name in names}}


def plain(*names: str, body: str = "") -> dict[str, str | bytes]:
    """The files of a plain repository of Agent Skills."""
    return {"README.md": "Skills.\n", **{f"skills/{name}/SKILL.md": skill(name) + body for name in names}}


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    """The files as a zip."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()


def start(*arguments: object) -> subprocess.Popen[str]:
    """`skillbag team audit ARGUMENTS`, in a process of its own."""
    command = [sys.executable, "-P", "-m", "skillbag", "team", "audit", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=PROJECT)


def lines(out: Path, name: str = "records.jsonl") -> list[bytes]:
    """The lines of a file of records, the last one without an end too."""
    path = out / name
    return path.read_bytes().splitlines() if path.exists() else []


def records(out: Path, name: str = "records.jsonl") -> list[dict[str, Any]]:
    """The records of a file, each held to the schema."""
    found = [json.loads(line) for line in lines(out, name)]
    for record in found:
        RECORD.validate(record)
    return found


def by_source(out: Path, name: str = "records.jsonl") -> dict[str, dict[str, Any]]:
    """The records by their sources, without what differs from run to run; there is one of each."""
    found = records(out, name)
    assert len({record["source"] for record in found}) == len(found)
    return {record["source"]: timeless(record) for record in found}


def timeless(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record without what differs from run to run."""
    return {name: value for name, value in record.items() if name not in TIMES}


DAMAGE = ("NaN", "Infinity", "1e999", "-1", str(2**63), "9" * 5000, r'"\ud800"', r'"a\udc00b"', "[]", "{}")
"""JSON values that are not allowed anywhere in a record."""


def damaged(record: Mapping[str, Any]) -> Iterator[bytes]:
    """The lines of a record with one invalid value each; each has a key of its own."""
    mark = "here it is"
    for number, (place, bad) in enumerate(product(_places(record), DAMAGE)):
        changed = json.loads(json.dumps({**record, "key": f"{number:05x}{record['key'][5:]}"}))
        inner = changed
        for name in place[:-1]:
            inner = inner[name]
        inner[place[-1]] = mark
        yield json.dumps(changed).replace(f'"{mark}"', bad).encode() + b"\n"


def _places(value: Any) -> Iterator[tuple[str | int, ...]]:
    """The keys that lead to each scalar of a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not isinstance(value, dict | list):
        yield ()
    for name, item in inner:
        yield from ((name, *rest) for rest in _places(item))


def summary(out: Path) -> dict[str, Any]:
    """The summary, held to the schema."""
    found: dict[str, Any] = json.loads((out / "summary.json").read_text("utf-8"))
    SUMMARY.validate(found)
    return found


def wait_until(true: Callable[[], bool], seconds: float = 120) -> None:
    """Poll until the function returns true."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "timeout"
        time.sleep(0.02)


def children(parent: int) -> list[int]:
    """The processes that audit for the process `parent`."""
    found = [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]
    return [pid for pid in found if audits(pid) and _parent(pid) == parent]


def audits(pid: int) -> bool:
    """Whether a process audits, and has not ended yet: the command line of a zombie is empty."""
    try:
        return b"skillbag.fleet.audit.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0
