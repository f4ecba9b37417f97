"""The audit log: what is written, masked, printable, and bounded."""

from __future__ import annotations

import re
from pathlib import Path

from skillbag.runtime.broker.audit import KEPT, LONGEST_DETAIL, Audit, Decision
from skillbag.runtime.broker.decisions import ApprovalScope
from tests.runtime.grantees import approvals, grantee, store


def detail(folder: Path, text: str) -> str:
    """How this detail is stored."""
    log = Audit(store(folder))
    log.write("kubernetes", "shell:exec", Decision.ALLOWED, text)
    return log.entries()[-1].detail


def test_entries_can_be_read_again_in_order(tmp_path: Path) -> None:
    for number in range(3):
        Audit(store(tmp_path), "s1").write("kubernetes", "shell:exec", Decision.ALLOWED, f"step {number}", number)
    Audit(store(tmp_path)).write("other", "file:read", Decision.UNDECLARED)
    log = Audit(store(tmp_path))
    assert [each.detail for each in log.entries()] == ["step 0", "step 1", "step 2", ""]
    assert [each.detail for each in log.entries("kubernetes", 2)] == ["step 1", "step 2"]
    last = log.entries("kubernetes")[-1]
    assert last[2:] == ("s1", "kubernetes", "shell:exec", "allowed", "step 2", 2)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", last.at)
    assert log.entries()[-1].session == ""


def test_secrets_are_masked(tmp_path: Path) -> None:
    token = "ghp_" + "R8vq2LxN5tYcW0bKz7HdM3pJf9SgE1uAoi4T"
    stored = detail(tmp_path, f"curl -H 'Authorization: token {token}' https://me:hunter2secret@example.com/")
    assert token not in stored
    assert "hunter2secret" not in stored
    assert stored.startswith("curl -H")
    assert token.encode() not in b"".join(path.read_bytes() for path in tmp_path.glob("runtime.db*"))


def test_a_secret_at_the_cut_is_masked_too(tmp_path: Path) -> None:
    token = "ghp_" + "R8vq2LxN5tYcW0bKz7HdM3pJf9SgE1uAoi4T"
    assert token[:12] not in detail(tmp_path, "x" * (LONGEST_DETAIL - 13) + " " + token)


def test_control_characters_are_escaped(tmp_path: Path) -> None:
    assert detail(tmp_path, "a\x1b[2J\nb\u202ec\x9b\ud800é") == "a\\x1b[2J\\nb\\u202ec\\x9b\\ud800é"
    Audit(store(tmp_path), "s\x1b").write("k\x1b", "x", Decision.UNDECLARED)
    last = Audit(store(tmp_path)).entries("k\x1b")[-1]
    assert (last.session, last.skill) == ("s\\x1b", "k\\x1b")


def test_a_long_detail_is_cut(tmp_path: Path) -> None:
    assert detail(tmp_path, "x" * 100_000) == "x" * LONGEST_DETAIL + "…"


def test_the_oldest_entries_go(tmp_path: Path) -> None:
    opened = store(tmp_path)
    approvals(tmp_path).grant(grantee(), ApprovalScope.DENY)
    for _ in range(3):
        approvals(tmp_path).revoke("kubernetes")
    log = Audit(opened)
    for number in range(KEPT + 600):
        log.write("kubernetes", "shell:exec", Decision.ALLOWED, str(number))
    entries = log.entries(limit=10**6)
    allowed = [each for each in entries if each.decision == Decision.ALLOWED]
    assert KEPT <= len(allowed) < KEPT + 500
    assert allowed[-1].detail == str(KEPT + 599)
    # The last withdrawals stay: an active skill may not have seen them yet.
    assert [each.decision for each in entries[:3]] == [Decision.DENIED, Decision.DENIED, Decision.REVOKED]
    assert len(entries) == len(allowed) + 3


def test_decisions_of_the_user_are_written_down(tmp_path: Path) -> None:
    from skillbag.runtime.broker.decisions import ApprovalScope

    known = approvals(tmp_path)
    known.grant(grantee(), ApprovalScope.SESSION, "s1")
    known.admit(grantee(), "s1")
    known.grant(grantee(), ApprovalScope.DENY)
    known.revoke("kubernetes")
    reported = [
        (each.permission, each.decision, each.detail, each.session) for each in Audit(store(tmp_path)).entries()
    ]
    assert reported == [
        ("file:read", "granted", "session", "s1"),
        ("shell:exec", "granted", "session", "s1"),
        ("", "admitted", "file:read, shell:exec", "s1"),
        ("file:read", "denied", "deny", ""),
        ("shell:exec", "denied", "deny", ""),
        ("", "revoked", "", ""),
    ]
