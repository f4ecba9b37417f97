"""The tables of `--format parquet` hold what the records hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from skillbag.fleet.audit.records_file import Records
from skillbag.fleet.audit.values import AuditedFinding
from skillbag.kernel.model.findings import Severity
from tests.fleet.audit.audits import damaged, plain, records, source
from tests.supply.install.worlds import make_workspace, write
from tests.supply.sources.repositories import make_repository
from tests.support import Run

pytestmark = [pytest.mark.boundary, pytest.mark.usefixtures("in_process")]

parquet = pytest.importorskip("pyarrow.parquet", reason="the extra `audit` is not installed")


def rows(out: Path, table: str) -> list[dict[str, Any]]:
    """The rows of a table."""
    found: list[dict[str, Any]] = parquet.read_table(out / f"{table}.parquet").to_pylist()
    return found


def test_the_tables_equal_the_records(run: Run, tmp_path: Path) -> None:
    wants = [{"name": "a", "source": "https://example.com/a.git", "version": "v1"}]
    bag = write(make_workspace(tmp_path / "bag", wants), {".skills/x/SKILL.md": "no front matter \x1b\n"})
    odd = write(tmp_path / "odd", plain("tidy"))
    (odd / "skills" / "n\udcffme").mkdir()
    (odd / "skills" / "n\udcffme" / "SKILL.md").write_bytes(b"\xff\xfe")
    bare = make_repository(tmp_path / "tidy.git", source("tidy"))
    out = tmp_path / "out"
    run("team", "audit", bag, odd, bare.url, "/nowhere", "--out", out, "--format=parquet")
    found = records(out)
    assert sum(len(record.get("findings", ())) for record in found) > 3
    for table in ("findings", "skills"):
        expected = [
            {"key": record["key"], "source": record["source"], **row}
            for record in found
            for row in record.get(table, ())
        ]
        assert [sorted(row.items(), key=str) for row in rows(out, table)] == [
            sorted(row.items(), key=str) for row in expected
        ]
    assert rows(out, "dependencies") == [
        {**row, "key": record["key"], "in": record["source"]}
        for record in found
        for row in record.get("dependencies", ())
    ]
    for row, record in zip(rows(out, "sources"), found, strict=True):
        same = {name: row[name] for name in row.keys() & record.keys() - {"targets", "skills"}}
        assert same == {name: record[name] for name in same}
        counts = record.get("counts", {})
        assert (row["errors"], row["warnings"]) == (counts.get("error"), counts.get("warning"))
        assert row["skills"] == (len(record["skills"]) if "skills" in record else None)
    assert not list(out.glob(".*.tmp"))


def test_an_audit_without_findings_has_tables_too(run: Run, tmp_path: Path) -> None:
    run("team", "audit", "/nowhere", "--out", tmp_path / "out", "--format=parquet")
    tables = ("sources", "findings", "skills", "dependencies")
    assert [len(rows(tmp_path / "out", name)) for name in tables] == [1, 0, 0, 0]


def test_tables_of_many_batches_are_whole(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from skillbag.fleet.audit import parquet as ours

    monkeypatch.setattr(ours, "_BATCH", 7)
    run("team", "audit", write(tmp_path / "a", plain("tidy")), "--out", tmp_path / "out")
    (record,) = Records(str(tmp_path / "out"))
    assert record.found
    findings = tuple(AuditedFinding("p", n + 1, 1, "r", None, Severity.NOTE, "m", "f") for n in range(50))
    ours.write_parquet([record._replace(found=record.found._replace(findings=findings))] * 3, str(tmp_path))
    assert [row["line"] for row in rows(tmp_path, "findings")] == [*range(1, 51)] * 3


def test_damaged_records_reach_no_table(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run("team", "audit", write(tmp_path / "a", plain("tidy")), "/nowhere", "--out", out, "--jobs", "1")
    good = records(out)
    bad = [line for record in good for line in damaged(record)]
    bad += [
        json.dumps({**good[1], "key": "e" * 64, name: 7}).encode() + b"\n" for name in ("findings", "skills", "counts")
    ]
    (out / "records-x.jsonl").write_bytes(b"".join(bad))
    outcome = run("team", "audit", "--out", out, "--format=parquet")
    assert (outcome.code, outcome.err) == (1, "")
    assert [row["key"] for row in rows(out, "sources")] == [record["key"] for record in good]
    assert len(rows(out, "skills")) == 1
