"""What the audited may hold: nothing of it reaches a terminal, a page or a record as what it is not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.fleet.audit.audits import Audit, damaged, lines, plain, records, source, summary, zipped
from tests.supply.install.worlds import make_workspace, write
from tests.supply.sources.repositories import Entry, make_repository
from tests.supply.sources.servers import authenticated, content, serve
from tests.support import Run, skill

pytestmark = pytest.mark.usefixtures("in_process")

TOKEN = "ghp_" + "x7Kp2mQv9RtLw4Zs8YbNc3Hd6Fg1JaUe5Ti0"
UGLY = "\x1b[31m\x1b]0;title\x07\u202e\u200b<script>alert(1)</script>|`@everyone`##[error]x"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f\u200b\u202e]")


def everything(out: Path) -> str:
    """All that was written, as one text."""
    return "\n".join(path.read_text("utf-8") for path in sorted(out.glob("*.*")) if path.is_file())


def test_ugly_names_and_texts_are_shown_safely(run: Run, tmp_path: Path) -> None:
    name = UGLY.replace("/", "_")
    text = skill("tidy").replace("Tidy a folder.", f'"Tidy {UGLY}"')
    for number in range(2):
        folder = write(
            tmp_path / f"{number}<script>|`@everyone`", {f"skills/{name}/SKILL.md": text, "skills/b/SKILL.md": BAD}
        )
        write(folder, {".skills/x/SKILL.md": skill("x"), "SKILLBAG.md": "x\n"})
    sources = sorted(str(path) for path in tmp_path.iterdir() if path.is_dir())
    shown = run("team", "audit", *sources, f"https://example.com/{UGLY}.git", "--out", tmp_path / "out")
    as_json = run("team", "audit", "--out", tmp_path / "out", "--json")
    page = (tmp_path / "out" / "summary.html").read_text("utf-8")
    markdown = (tmp_path / "out" / "summary.md").read_text("utf-8")
    for said in (shown.out, shown.err, as_json.out, page, markdown):
        assert not RAW.search(said)
        assert "##[error]" not in said
    assert [record["status"] for record in records(tmp_path / "out")].count("ok") == 2
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page
    assert "<script>" not in markdown.replace("\\<script\\>", "")
    assert "@everyone" not in markdown
    assert all(line.isascii() and not RAW.search(line.decode()) for line in lines(tmp_path / "out"))
    assert summary(tmp_path / "out")["copies"]["groups"] >= 2


BAD = "---\nname: other\ndescription: x\n---\n\n[a](gone.md)\n"


def test_secrets_reach_no_file_and_no_terminal(run: Run, tmp_path: Path) -> None:
    text = skill("tidy").replace("Tidy a folder.", f"Tidy with {TOKEN} here.") + f"\n[x]({TOKEN}.md)\n"
    wants = [{"name": "a", "source": f"https://user:{TOKEN}@example.com/a.git?x=1", "version": TOKEN}]
    bag = write(make_workspace(tmp_path / "bag", wants), {".skills/tidy/SKILL.md": text})
    named = write(tmp_path / TOKEN, {f"skills/{TOKEN.lower()}/SKILL.md": text})
    zip_ = authenticated(content(zipped(plain("web"))), "me", "hunter2hunter2")
    with serve({"/a.zip": zip_}) as server:
        host = server.url.removeprefix("http://")
        sources = [
            f"http://me:hunter2hunter2@{host}/a.zip",
            f"http://me:hunter2hunter2@{host}/b.zip?token={TOKEN}&x=1",
            f"https://me:{TOKEN}@127.0.0.1:1/c.git",
            f"ssh://me:{TOKEN}@127.0.0.1/d.git",
            f"https://127.0.0.1:1/e.git @ {TOKEN}",
        ]
        outcome = run("team", "audit", bag, named, *sources, "--out", tmp_path / "out", cwd=tmp_path)
    found = records(tmp_path / "out")
    assert [record["status"] for record in found].count("ok") == 3
    for said in (outcome.out, outcome.err, everything(tmp_path / "out")):
        assert TOKEN[4:] not in said
        assert "hunter2" not in said


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"skills/a/SKILL.md": skill("a"), "skills/a/x": "-> ../../../../etc/passwd"}, "skills/a/x"),
        ({"skills/a/SKILL.md": skill("a"), "skills/a/X.md": "1", "skills/a/x.md": "2"}, "x.md"),
    ],
)
def test_a_hostile_repository_fails_with_its_reason(
    audit: Audit, tmp_path: Path, files: dict[str, str], said: str
) -> None:
    bare = make_repository(tmp_path / "bad.git", files)
    (record,) = audit(bare.url)
    assert record["status"] == "failed"
    assert said in record["error"]


def test_files_outside_of_skills_may_have_any_name(audit: Audit, tmp_path: Path) -> None:
    bare = make_repository(tmp_path / "odd.git", source("tidy"))
    head = bare.git("rev-parse", "main^{tree}")
    rows = [re.split(r"\s+", line, maxsplit=3) for line in bare.git("ls-tree", head).splitlines()]
    entries = [Entry(mode, name, target) for mode, _, target, name in rows]
    blob = bare.blob(b"x")
    names = (b"\xff", b"a:b", b"con", b"..", b"x\\y", b".git", b"README.md", b"readme.md")
    odd = [Entry("100644", name, blob) for name in names]
    odd += [Entry("120000", "out", bare.blob(b"/etc/passwd")), Entry("160000", "module", "0" * 39 + "1")]
    bare.point("main", bare.tree(*entries, *odd))
    (record,) = audit(bare.url)
    assert record["status"] == "ok"
    assert [row["name"] for row in record["skills"]] == ["tidy"]


def test_broken_archives_fail_alone(audit: Audit, tmp_path: Path) -> None:
    write(tmp_path, {"a.zip": b"", "b.zip": b"PK\3\4" * 9, "c.zip": zipped(plain("good"))})
    found = audit(*(tmp_path / f"{name}.zip" for name in "abc"))
    assert sorted(record["status"] for record in found) == ["failed", "failed", "ok"]


def test_records_that_were_tampered_with_are_shown_as_text(run: Run, tmp_path: Path) -> None:
    run("team", "audit", write(tmp_path / "a", {"skills/b/SKILL.md": BAD}), "--out", tmp_path / "out")
    path = tmp_path / "out" / "records.jsonl"
    record = json.loads(path.read_text())
    record["source"] = UGLY
    record["findings"][0] |= {"rule": UGLY, "level": UGLY}
    record["counts"]["rules"][UGLY] = 1
    path.write_text(json.dumps(record) + "\n")
    outcome = run("team", "audit", "--out", tmp_path / "out")
    assert not RAW.search(outcome.out)
    assert not RAW.search((tmp_path / "out" / "summary.md").read_text())
    assert "<script>alert" not in (tmp_path / "out" / "summary.html").read_text()


def test_a_damaged_record_is_passed_over(run: Run, tmp_path: Path) -> None:
    out = write(tmp_path / "out", {})
    wants = [{"name": "a", "source": "https://example.com/a.git", "version": "v1"}]
    bag = write(make_workspace(tmp_path / "bag", wants), {".skills/tidy/SKILL.md": BAD + "Four words or more here.\n"})
    run("team", "audit", bag, "/nowhere", "--out", out, "--jobs", "1")
    good = records(out)
    assert all(good[0][name] for name in ("targets", "findings", "skills", "dependencies"))
    bad = [line for record in good for line in damaged(record)]
    bad += [json.dumps({**good[1], "key": "e" * 64, "findings": 7}).encode() + b"\n"]
    (out / "records-x.jsonl").write_bytes(b"".join(bad))
    once = run("team", "audit", "--out", out)
    assert (once.code, once.err) == (1, "")
    found = summary(out)
    assert (found["sources"]["all"], found["passed_over"]) == (2, len(bad))
    assert len(bad) > 500
