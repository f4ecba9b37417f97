"""What an approval holds for: the whole content of a skill's folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.processes.confinement import Held
from skillbag.runtime.activation import grantees
from skillbag.runtime.activation.request import QuestionsError
from skillbag.runtime.broker import content
from skillbag.runtime.broker.content import content_hash
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.errors import NotPermittedError, RuntimeFaultError
from skillbag.runtime.sessions.runtime import Runtime
from tests.rows import each_row
from tests.runtime.worlds_active import active, opened, request
from tests.supply.install.worlds import write

CHANGES: dict[str, Callable[[Path], object]] = {
    "a file": lambda folder: (folder / "main.star").write_text("x"),
    "a module": lambda folder: write(folder, {"node_modules/a.js": "x"}),
    "bytecode": lambda folder: write(folder, {"__pycache__/a.pyc": "x"}),
    "junk": lambda folder: write(folder, {".DS_Store": "x"}),
    "a mode": lambda folder: (folder / "main.star").chmod(0o755),
    "a link": lambda folder: (folder / "link").symlink_to("main.star"),
    "a folder": lambda folder: (folder / "empty").mkdir(),
}


@each_row("change", CHANGES)
def test_every_change_counts(tmp_path: Path, change: str) -> None:
    folder = active(tmp_path / "w", "a")
    before = content_hash(str(folder))
    assert content_hash(str(folder)) == before
    CHANGES[change](folder)
    assert content_hash(str(folder)) != before


def test_a_link_out_of_the_skill_can_not_be_approved(tmp_path: Path) -> None:
    folder = active(tmp_path / "w", "a", permissions='["file:read"]')
    (folder / "out").symlink_to(tmp_path)
    with opened(tmp_path / "w") as runtime, pytest.raises(RuntimeFaultError, match="it is a link out of the skill"):
        runtime.activate("a")


REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "a pipe": (lambda folder: os.mkfifo(folder / "x"), "neither a file, a folder nor a link"),
    "an absolute link": (lambda folder: (folder / "x").symlink_to(folder / "main.star"), "an absolute one"),
    "too much": (lambda folder: (folder / "x").write_bytes(b"x" * 5000), "more than"),
}


@pytest.mark.skipif(os.name != "posix", reason="there are no pipes, and no skill runs")
@pytest.mark.parametrize("kind", REFUSED)
def test_what_can_not_be_copied_can_not_be_approved(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = active(tmp_path / "w", "a", permissions='["file:read"]')
    monkeypatch.setattr(content, "MAX_UNPACKED", 5000)
    make, message = REFUSED[kind]
    make(folder)
    with opened(tmp_path / "w") as runtime, pytest.raises(RuntimeFaultError, match=message):
        runtime.activate("a")


def test_an_edit_in_a_folder_that_no_lock_counts_ends_an_approval(tmp_path: Path) -> None:
    folder = active(tmp_path / "w", "a", permissions='["file:read"]')
    with opened(tmp_path / "w", approved=frozenset(), ask=lambda _: ApprovalScope.ALWAYS) as runtime:
        runtime.activate("a")
    write(folder, {"node_modules/x.js": "evil"})
    with opened(tmp_path / "w", approved=frozenset()) as runtime, pytest.raises(QuestionsError):
        runtime.activate("a")


def test_what_is_edited_while_the_question_is_open_is_not_approved(tmp_path: Path) -> None:
    folder = active(tmp_path / "w", "a", permissions='["file:read"]')

    def edit(_: object) -> ApprovalScope:
        (folder / "more.star").write_text("evil")
        return ApprovalScope.ALWAYS

    not_approved = pytest.raises(RuntimeFaultError, match="not approved")
    with opened(tmp_path / "w", approved=frozenset(), ask=edit) as runtime, not_approved:
        runtime.activate("a")
    with opened(tmp_path / "w", approved=frozenset()) as runtime:
        assert [question.skill for question in runtime.questions("a")] == ["a"]


def test_a_manifest_that_changed_since_it_was_found_is_not_used(tmp_path: Path) -> None:
    folder = active(tmp_path / "w", "a", permissions='["file:read", "shell:exec"]')
    text = (folder / "SKILL.yaml").read_text()
    with opened(tmp_path / "w") as runtime:
        (folder / "SKILL.yaml").write_text(text.replace(', "shell:exec"', ""))
        with pytest.raises(RuntimeFaultError, match="has changed meanwhile"):
            runtime.activate("a")


def test_an_unconfined_process_without_permissions_is_not_started_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    active(tmp_path / "w", "a", implementation="{backend: process, entrypoint: main.star}")
    monkeypatch.setattr(grantees, "available", lambda: Held(False, True, True))
    refused = pytest.raises(NotPermittedError, match="nobody has approved it by its name")
    with opened(tmp_path / "w", approved=frozenset()) as runtime, refused:
        runtime.activate("a")


def test_the_state_is_not_kept_where_skills_may_write(tmp_path: Path) -> None:
    root = tmp_path / "w"
    active(root, "a")
    with pytest.raises(UserError, match="SKILLBAG_STATE_DIR"):
        Runtime(request(root)._replace(state=str(root / ".local/state")))
