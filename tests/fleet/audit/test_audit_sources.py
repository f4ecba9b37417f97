"""The sources of an audit: spellings, versions, manifests and shards."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from skillbag.fleet.audit.sources import Shard, make_tasks
from tests.fleet.audit.audits import Audit, by_source, records, source, summary
from tests.rows import each_row
from tests.supply.install.worlds import write
from tests.supply.sources.repositories import make_repository
from tests.support import Run, skill

pytestmark = pytest.mark.usefixtures("in_process")


def test_shards_share_the_sources_and_their_files_are_merged(run: Run, tmp_path: Path, manifest: Path) -> None:
    merged = tmp_path / "merged"
    merged.mkdir()
    found: list[str] = []
    for number in (1, 2, 3):
        run("team", "audit", "--manifest", manifest, "--out", tmp_path / f"s{number}", "--shard", f"{number}/3")
        name = f"records-{number}-of-3.jsonl"
        found += by_source(tmp_path / f"s{number}", name)
        (tmp_path / f"s{number}" / name).rename(merged / name)
    run("team", "audit", "--manifest", manifest, "--out", tmp_path / "whole")
    assert sorted(found) == sorted(by_source(tmp_path / "whole"))
    assert run("team", "audit", "--out", merged).code == 1
    one, other = summary(merged), summary(tmp_path / "whole")
    assert {**one, "seconds": 0} == {**other, "seconds": 0}


def test_the_parts_of_any_number_of_shards_are_disjoint_and_whole(tmp_path: Path) -> None:
    texts = [f"https://example.com/{number}.git" for number in range(200)] + ["./a", "b", str(tmp_path), "bad\x01"]
    whole = {task.key for task in make_tasks(texts, str(tmp_path))}
    for total in (1, 2, 7, 64):
        parts = [make_tasks(texts, str(tmp_path), Shard(number, total)) for number in range(1, total + 1)]
        keys = [task.key for part in parts for task in part]
        assert len(keys) == len(set(keys))
        assert set(keys) == whole
        assert total == 64 or all(parts)


def test_two_spellings_of_one_source_are_one(tmp_path: Path) -> None:
    texts = ["https://example.com/a.git", "https://EXAMPLE.com:443/a", "git@example.com:a.git", "x/../x", "./x"]
    assert len(make_tasks(texts, str(tmp_path))) == 2


def test_the_fault_of_a_malformed_source_does_not_repeat_the_source() -> None:
    (task,) = make_tasks(["ftp://example.com/x @ v1"], "/")
    assert (task.shown, task.fault.partition(";")[0]) == ("ftp://example.com/x", "ftp:// is not used")


def test_a_version_is_taken_and_a_commit_is_pinned(audit: Audit, tmp_path: Path) -> None:
    bare = make_repository(tmp_path / "tidy.git", source("tidy"))
    first = bare.tip("refs/heads/main")
    bare.git("tag", "v1", first)
    bare.commit(source("tidy", "sort"))
    found = {record["version"]: record for record in audit(f"{bare.url} @ v1", f"{bare.url} @ {first}", bare.url)}
    assert [found[version]["resolved"] == first for version in ("v1", first, None)] == [True, True, False]
    assert [found[version]["pinned"] for version in ("v1", first, None)] == [False, True, False]
    unpinned = summary(tmp_path / "out")["unpinned"]["sources"]
    assert unpinned == {"count": 2, "listed": [bare.url, f"{bare.url} @ v1"]}


def test_a_folder_that_cannot_be_deleted_changes_no_record(
    audit: Audit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare, remove = make_repository(tmp_path / "tidy.git", source("tidy")), os.rmdir
    kept: list[str] = []

    def removed(path: str, **more: int) -> None:
        if not kept and os.path.basename(path).startswith("skillbag-audit-"):
            kept.append(path)
            raise OSError(errno.EBUSY, "busy", path)
        remove(path, **more)

    monkeypatch.setattr(os, "rmdir", removed)
    (record,) = audit(bare.url)
    assert (record["status"], bool(kept)) == ("ok", True)


def test_a_manifest_names_sources_and_is_read_from_standard_input_too(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "lists", {"a/skills/x/SKILL.md": skill("x")})
    tidy = make_repository(tmp_path / "tidy.git", source("tidy"))
    manifest = (
        write(tmp_path / "lists", {"m.txt": f"# ours\n\na\n  {tidy.url} @ main  \n{tidy.url} @ main\n"}) / "m.txt"
    )
    run("team", "audit", "--manifest", manifest, "--out", tmp_path / "one")
    assert by_source(tmp_path / "one").keys() == {str(tmp_path / "lists" / "a"), tidy.url}
    run(
        "team",
        "audit",
        "--manifest",
        "-",
        "--out",
        tmp_path / "two",
        stdin=manifest.read_bytes(),
        cwd=tmp_path / "lists",
    )
    assert len(records(tmp_path / "two")) == 2


@each_row("text", ["", "\n\n", "# Sources\n\n", "\ufeff"])
@each_row("more", [[], ["--json"]])
def test_a_manifest_that_names_no_source_is_bad_usage(run: Run, tmp_path: Path, text: str, more: list[str]) -> None:
    (tmp_path / "sources.txt").write_text(text, encoding="utf-8")
    outcome = run("team", "audit", "--manifest", "sources.txt", "--out", "out", *more, cwd=tmp_path)
    assert outcome.code == 2
    assert "sources.txt" in outcome.out + outcome.err
    assert not (tmp_path / "out").exists()
    outcome = run("team", "audit", "--manifest", "-", "--out", "out", *more, cwd=tmp_path, stdin=text.encode())
    assert outcome.code == 2
