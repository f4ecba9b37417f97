"""The broker before every operation: declared, approved, rate, audit."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from skillbag.kernel.manifest.names import Permission
from skillbag.runtime.broker.approvals import ByName
from skillbag.runtime.broker.audit import KEPT, Audit, Decision
from skillbag.runtime.broker.database_file import StoreError
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.errors import NotPermittedError, RateLimitedError
from skillbag.runtime.skill import SkillSource
from tests.rows import each_row
from tests.runtime.grantees import READ, SHELL, approvals, broker, grantee, store

UNAPPROVED = '^permission "shell:exec" not approved for skill "kubernetes"$'
NAMED = ByName(run=frozenset({"kubernetes"}))


def test_what_is_declared_and_approved_is_allowed_and_written_down(tmp_path: Path) -> None:
    approvals(tmp_path).grant(grantee(), ApprovalScope.ALWAYS)
    requested = broker(tmp_path)
    assert requested.admit(grantee()) == {SHELL, READ}
    requested.demand(grantee(), SHELL, "kubectl get pods")
    last = Audit(store(tmp_path)).entries()[-1]
    assert last[2:7] == ("s1", "kubernetes", "shell:exec", "allowed", "kubectl get pods")


def test_a_skill_that_is_not_active_is_approved_for_nothing(tmp_path: Path) -> None:
    approvals(tmp_path).grant(grantee(), ApprovalScope.ALWAYS)
    requested = broker(tmp_path)
    with pytest.raises(NotPermittedError, match=UNAPPROVED):
        requested.demand(grantee(), SHELL)
    requested.admit(grantee())
    requested.demand(grantee(), SHELL)
    requested.release(grantee())
    with pytest.raises(NotPermittedError, match=UNAPPROVED):
        requested.demand(grantee(), SHELL)


def test_auto_approval_skips_the_approval_alone(tmp_path: Path) -> None:
    for by_name in (NAMED, ByName(settings=NAMED.run)):
        requested = broker(tmp_path, by_name=by_name)
        requested.admit(grantee())
        with pytest.raises(
            NotPermittedError, match=r'^permission "net:fetch" not declared in skill "kubernetes" manifest$'
        ):
            requested.demand(grantee(), Permission.NET_FETCH)
        for _ in range(20):
            requested.demand(grantee(), SHELL)
        with pytest.raises(RateLimitedError, match=r'^rate limit exceeded for "shell:exec": 21/20 per turn$'):
            requested.demand(grantee(), SHELL)
        requested.begin_turn()
        requested.demand(grantee(), SHELL)


def test_every_refusal_is_written_down(tmp_path: Path) -> None:
    requested = broker(tmp_path, per_turn={SHELL: 0}, by_name=NAMED)
    with pytest.raises(NotPermittedError):
        requested.admit(grantee("other"))
    with pytest.raises(NotPermittedError):
        requested.demand(grantee(), SHELL)
    requested.admit(grantee())
    with pytest.raises(NotPermittedError):
        requested.demand(grantee(), Permission.NET_FETCH, "https://example.com/")
    with pytest.raises(RateLimitedError):
        requested.demand(grantee(), SHELL)
    reported = [(each.skill, each.permission, each.decision) for each in Audit(store(tmp_path)).entries()]
    assert reported == [
        ("other", "", Decision.UNAPPROVED),
        ("kubernetes", "shell:exec", Decision.UNAPPROVED),
        ("kubernetes", "", Decision.ADMITTED),
        ("kubernetes", "net:fetch", Decision.UNDECLARED),
        ("kubernetes", "shell:exec", Decision.LIMITED),
    ]


def test_what_was_approved_once_holds_until_the_end_of_the_activation(tmp_path: Path) -> None:
    approvals(tmp_path).grant(grantee(), ApprovalScope.ONCE)
    requested = broker(tmp_path)
    requested.admit(grantee())
    approvals(tmp_path).grant(grantee("other"), ApprovalScope.ALWAYS)
    for _ in range(3):
        requested.demand(grantee(), SHELL)
    requested.release(grantee())
    with pytest.raises(NotPermittedError):
        requested.admit(grantee())


@each_row("scope", [ApprovalScope.ONCE, ApprovalScope.SESSION, ApprovalScope.ALWAYS, None])
def test_a_revocation_by_another_process_counts_at_once(tmp_path: Path, scope: ApprovalScope | None) -> None:
    other = approvals(tmp_path)
    if scope:
        other.grant(grantee(), scope, "s1")
    requested = broker(tmp_path, by_name=ByName() if scope else NAMED)
    requested.admit(grantee())
    requested.demand(grantee(), SHELL)
    other.revoke("kubernetes")
    for permission in (SHELL, READ):
        assert not requested.is_approved(grantee(), permission)
    with pytest.raises(NotPermittedError, match=UNAPPROVED):
        requested.demand(grantee(), SHELL)


@each_row("scope", [ApprovalScope.ONCE, ApprovalScope.SESSION, ApprovalScope.ALWAYS, None])
def test_a_denial_by_another_process_counts_at_once(tmp_path: Path, scope: ApprovalScope | None) -> None:
    other = approvals(tmp_path)
    if scope:
        other.grant(grantee(), scope, "s1")
    requested = broker(tmp_path, by_name=ByName() if scope else NAMED)
    requested.admit(grantee())
    requested.demand(grantee(), SHELL)
    other.grant(grantee(), ApprovalScope.DENY, permissions=[SHELL])
    with pytest.raises(NotPermittedError, match=UNAPPROVED):
        requested.demand(grantee(), SHELL)
    requested.demand(grantee(), READ)
    # What was held ended with the denial; only what is approved from now on counts.
    other.grant(grantee(), ApprovalScope.ONCE, permissions=[SHELL])
    assert not requested.is_approved(grantee(), SHELL)
    other.grant(grantee(), ApprovalScope.ALWAYS, permissions=[SHELL])
    requested.demand(grantee(), SHELL)


def test_a_revocation_is_seen_however_much_was_written_since(tmp_path: Path) -> None:
    approvals(tmp_path).grant(grantee(), ApprovalScope.ONCE)
    requested = broker(tmp_path)
    requested.admit(grantee())
    approvals(tmp_path).revoke("kubernetes")
    busy = Audit(store(tmp_path))
    for _ in range(KEPT + 600):
        busy.write("other", "file:read", Decision.ALLOWED)
    assert not requested.is_approved(grantee(), SHELL)


def test_what_is_held_ends_with_the_database_that_could_revoke_it(tmp_path: Path) -> None:
    approvals(tmp_path).grant(grantee(), ApprovalScope.ONCE)
    requested = broker(tmp_path)
    requested.admit(grantee())
    requested.demand(grantee(), SHELL)
    for path in tmp_path.glob("runtime.db*"):
        path.unlink()
    with pytest.raises(NotPermittedError, match=UNAPPROVED):
        requested.demand(grantee(), SHELL)


def test_another_origin_or_content_is_another_skill(tmp_path: Path) -> None:
    approvals(tmp_path).grant(grantee(), ApprovalScope.ALWAYS)
    requested = broker(tmp_path)
    requested.admit(grantee())
    for other in (grantee(source=SkillSource.PROJECT), grantee(content="sha256:2")):
        assert not requested.is_approved(other, SHELL)


def test_two_activations_end_one_by_one(tmp_path: Path) -> None:
    """A skill is loaded anew beside the old one, with the same content."""
    requested = broker(tmp_path, by_name=NAMED)
    requested.admit(grantee())
    requested.admit(grantee())
    requested.release(grantee())
    assert requested.is_approved(grantee(), SHELL)
    requested.release(grantee())
    assert not requested.is_approved(grantee(), SHELL)
    requested.release(grantee())


def test_the_limits_of_the_callers_are_charged(tmp_path: Path) -> None:
    names = ("outer", "inner", "other")
    requested = broker(tmp_path, per_turn={SHELL: 2}, by_name=ByName(run=frozenset(names)))
    outer, inner, other = map(grantee, names)
    for each in (outer, inner, other):
        requested.admit(each)
    requested.demand(inner, SHELL, chain=(outer,))
    requested.demand(outer, SHELL)
    with pytest.raises(RateLimitedError, match=r"3/2 per turn"):
        requested.demand(other, SHELL, chain=(outer, inner))
    # Nothing was charged to the others.
    requested.demand(other, SHELL)
    requested.demand(other, SHELL)
    requested.demand(inner, SHELL)


def test_skills_invoke_each_other_eight_deep(tmp_path: Path) -> None:
    skill = grantee("caller", [Permission.SKILL_INVOKE])
    requested = broker(tmp_path, by_name=ByName(run=frozenset({"caller"})))
    requested.admit(skill)
    requested.demand(skill, Permission.SKILL_INVOKE, chain=(skill,) * 7)
    with pytest.raises(RateLimitedError, match=r'^rate limit exceeded for "skill:invoke": 9/8 nested calls$'):
        requested.demand(skill, Permission.SKILL_INVOKE, chain=(skill,) * 8)


def test_what_can_not_be_written_down_is_not_allowed(tmp_path: Path) -> None:
    requested = broker(tmp_path, by_name=NAMED)
    requested.admit(grantee())
    requested.demand(grantee(), SHELL)
    with closing(sqlite3.connect(tmp_path / "runtime.db")) as newer:
        newer.execute("PRAGMA user_version=2")
    other = broker(tmp_path, by_name=NAMED)
    with pytest.raises(StoreError, match="newer"):
        other.admit(grantee())
    with pytest.raises(NotPermittedError):
        other.demand(grantee(), SHELL)
    (tmp_path / "runtime.db").rename(tmp_path / "gone")
    (tmp_path / "runtime.db").mkdir()
    with pytest.raises(StoreError, match="no regular file"):
        requested.demand(grantee(), SHELL)


def test_many_threads_never_get_more_than_the_limit(tmp_path: Path) -> None:
    requested = broker(tmp_path, by_name=NAMED)
    requested.admit(grantee())
    allowed: list[int] = []

    def work() -> None:
        for _ in range(10):
            try:
                requested.demand(grantee(), SHELL)
            except RateLimitedError:
                continue
            allowed.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(allowed) == 20
    entries = Audit(store(tmp_path)).entries("kubernetes", 1000)
    assert [each.decision for each in entries].count(Decision.ALLOWED) == 20
