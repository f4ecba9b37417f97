"""A file that is found under two names, one of them a link, is changed once, under its own."""

from __future__ import annotations

from pathlib import Path

from skillbag.kernel.model.findings import TextEdit
from skillbag.lint.engine.fixes import plan_fixes
from tests.report.report_results import made_finding
from tests.supply.sources.archives import posix


@posix
def test_links_alone_are_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one\n", "utf-8")
    links = [tmp_path / "b.md", tmp_path / "c.md"]
    for link in links:
        link.symlink_to(tmp_path / "a.md")
    edits = [TextEdit(str(link), 0, 3, "two") for link in links]
    assert plan_fixes(made_finding(path=e.path, root=str(tmp_path), edits=(e,)) for e in edits) == ()


@posix
def test_a_file_and_a_link_to_it(tmp_path: Path) -> None:
    file, link = tmp_path / "a.md", tmp_path / "b.md"
    file.write_text("one\n", "utf-8")
    link.symlink_to(file)
    edits = [TextEdit(str(path), 0, 3, word) for path, word in ((file, "two"), (link, "three"))]
    found = [made_finding(path=edit.path, root=str(tmp_path), edits=(edit,)) for edit in edits]
    assert [(fix.path, fix.new) for fix in plan_fixes(found)] == [(str(file), b"two\n")]
