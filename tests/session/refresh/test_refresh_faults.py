"""Changed files that are malformed or unreadable: reported until they can be relied on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillbag import Session, open_workspace
from skillbag.session.refresh.refresh import FileChangeKind, Refresh
from tests.session.agents import CATALOG, CONVERT, SESSION, answer, changed, loaded, refresh, states
from tests.session.bags import skill_md
from tests.supply.install.worlds import call
from tests.support import PROJECT, Run
from tests.unprivileged import dropped, unprivileged

BROKEN: dict[str, bytes] = {
    "CONTEXT.md": b"# C\n\n```yaml\nprohibit: {skills: 5}\n```\n",
    "USER_CONTEXT.md": b"\xff",
    CATALOG: b"\x00",
}


@pytest.fixture
def root(run: Run, tmp_path: Path) -> Path:
    """A workspace with a session that has loaded a skill."""
    return loaded(run, tmp_path)


@pytest.mark.proves("lifecycle", "refresh.complete")
@pytest.mark.parametrize("path", BROKEN)
def test_what_changed_and_cannot_be_relied_on_is_a_sentence_until_it_is_fixed(run: Run, root: Path, path: str) -> None:
    before = states()[0].read_bytes()
    (root / path).write_bytes(BROKEN[path])
    for arguments in (["refresh"], ["order"], ["run", "tidy"]):
        outcome = run(*arguments, "--session", SESSION, cwd=root)
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err.startswith(f"error: {path}:")
    assert states()[0].read_bytes() == before
    (root / path).write_bytes(b"" if path == CATALOG else b"# C\n")
    assert refresh(run, root)["read"] == [path]


@pytest.mark.proves("lifecycle", "refresh.complete")
@pytest.mark.parametrize("arguments", [["run", "tidy"], ["order"]])
def test_pending_changes_are_shown_and_do_not_count_as_reported(run: Run, root: Path, arguments: list[str]) -> None:
    (root / CONVERT).write_text(skill_md("convert-to-pdf", "Converts files.", "Otherwise."))
    for _ in range(2):
        values = answer(run, root, *arguments, "--session", SESSION)
        assert changed(values["pending"]) == {CONVERT: "changed"}
    refresh(run, root)
    assert call(run, root, *arguments, "--session", SESSION)[1]["pending"]["nothing"] is True


@pytest.mark.proves("lifecycle", "refresh.complete")
def test_running_a_changed_skill_reads_it_again(run: Run, root: Path) -> None:
    (root / CONVERT).write_text(skill_md("convert-to-pdf", "Converts files.", "Otherwise."))
    code, values = call(run, root, "run", "convert_to_pdf", "--session", SESSION)
    assert (code, values["instructions"], values["pending"]["nothing"]) == (0, "Otherwise.", True)
    assert refresh(run, root)["nothing"] is True


@pytest.mark.proves("lifecycle", "refresh.trigger")
def test_a_file_that_cannot_be_read_any_more_is_a_change(run: Run, root: Path) -> None:
    (root / CONVERT).write_bytes(b"x" * ((1 << 20) + 1))
    values = refresh(run, root)
    assert (changed(values), values["read"]) == ({CONVERT: "changed"}, [CONVERT])
    assert refresh(run, root)["nothing"] is True
    (root / CONVERT).unlink()
    (root / CONVERT).mkdir()
    assert changed(refresh(run, root)) == {CONVERT: "changed"}


@pytest.mark.skipif(os.name != "posix", reason="modes and links of this kind are POSIX's")
def test_a_link_that_leads_out_is_not_followed(run: Run, root: Path, tmp_path: Path) -> None:
    text = (root / CONVERT).read_bytes()
    (tmp_path / "outside.md").write_bytes(text)
    (root / CONVERT).unlink()
    (root / CONVERT).symlink_to(tmp_path / "outside.md")
    values = refresh(run, root, "--trace")
    assert changed(values) == {CONVERT: "changed"}
    assert str(tmp_path / "outside.md") not in {opened["path"] for opened in values["trace"]}


def test_a_file_without_permission_is_a_change_and_back_again(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dropped(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(PROJECT))
    (root / CONVERT).chmod(0)
    reported = unprivileged(root, "refresh", "--session", SESSION).stdout
    assert reported == f"Changed: {CONVERT}\nRead now, before relying on it: {CONVERT}\n"
    (root / CONVERT).chmod(0o644)
    assert unprivileged(root, "refresh", "--session", SESSION).stdout == reported


@pytest.mark.proves("lifecycle", "refresh.complete")
def test_what_was_not_delivered_is_reported_again(root: Path) -> None:
    (root / CONVERT).write_text(skill_md("convert-to-pdf", "Converts files.", "Otherwise."))

    def lost(_: Refresh) -> None:
        raise BrokenPipeError

    for _ in range(2):
        with pytest.raises(BrokenPipeError):
            Session(open_workspace(str(root)), SESSION).refresh(deliver=lost)
    reported: list[Refresh] = []
    Session(open_workspace(str(root)), SESSION).refresh(deliver=reported.append)
    assert [(change.path, change.what) for change in reported[0].changed] == [(CONVERT, FileChangeKind.CHANGED)]
    assert Session(open_workspace(str(root)), SESSION).refresh().is_nothing
