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
from tests.runtime.grantees import READ, SHELL, approvals, broker, grantee, store

UNAPPROVED = '^permission "shell:exec" not approved for skill "kubernetes"$'
NAMED = ByName(run=frozenset({"kubernetes"}))


def test_what_is_declared_and_approved_is_allowed_and_written_down(tmp_path: Path) -> None:
    approvals(tmp_path).grant(grantee(), ApprovalScope.ALWAYS)
    asked = broker(tmp_path)
    assert asked.admit(grantee()) == {SHELL, READ}
    asked.demand(grantee(), SHELL, "kubectl get pods")
    last = Audit(store(tmp_path)).entries()[-1]
    assert last[2:7] == ("s1", "kubernetes", "shell:exec", "allowed", "kubectl get pods")


def test_a_skill_that_is_not_active_is_approved_for_nothing(tmp_path: Path) -> None:
    approvals(tmp_path).grant(grantee(), ApprovalScope.ALWAYS)
    asked = broker(tmp_path)
    with pytest.raises(NotPermittedError, match=UNAPPROVED):
        asked.demand(grantee(), SHELL)
    asked.admit(grantee())
    asked.demand(grantee(), SHELL)
    asked.release(grantee())
    with pytest.raises(NotPermittedError, match=UNAPPROVED):
        asked.demand(grantee(), SHELL)


def test_auto_approval_skips_the_approval_alone(tmp_path: Path) -> None:
    for by_name in (NAMED, ByName(settings=NAMED.run)):
        asked = broker(tmp_path, by_name=by_name)
        asked.admit(grantee())
        with pytest.raises(
            NotPermittedError, match=r'^permission "net:fetch" not declared in skill "kubernetes" manifest$'
        ):
            asked.demand(grantee(), Permission.NET_FETCH)
        for _ in range(20):
            asked.demand(grantee(), SHELL)
        with pytest.raises(RateLimitedError, match=r'^rate limit exceeded for "shell:exec": 21/20 per turn$'):
            asked.demand(grantee(), SHELL)
        asked.begin_turn()
        asked.demand(grantee(), SHELL)


def test_every_refusal_is_written_down(tmp_path: Path) -> None:
    asked = broker(tmp_path, per_turn={SHELL: 0}, by_name=NAMED)
    with pytest.raises(NotPermittedError):
        asked.admit(grantee("other"))
    with pytest.raises(NotPermittedError):
        asked.demand(grantee(), SHELL)
    asked.admit(grantee())
    with pytest.raises(NotPermittedError):
        asked.demand(grantee(), Permission.NET_FETCH, "https://example.com/")
    with pytest.raises(RateLimitedError):
        asked.demand(grantee(), SHELL)
    told = [(each.skill, each.permission, each.decision) for each in Audit(store(tmp_path)).entries()]
    assert told == [
        ("other", "", Decision.UNAPPROVED),
        ("kubernetes", "shell:exec", Decision.UNAPPROVED),
        ("kubernetes", "", Decision.ADMITTED),
        ("kubernetes", "net:fetch", Decision.UNDECLARED),
        ("kubernetes", "shell:exec", Decision.LIMITED),
    ]


def test_what_was_approved_once_holds_until_the_end_of_the_activation(tmp_path: Path) -> None:
    approvals(tmp_path).grant(grantee(), ApprovalScope.ONCE)
    asked = broker(tmp_path)
    asked.admit(grantee())
    approvals(tmp_path).grant(grantee("other"), ApprovalScope.ALWAYS)
    for _ in range(3):
        asked.demand(grantee(), SHELL)
    asked.release(grantee())
    with pytest.raises(NotPermittedError):
        asked.admit(grantee())


@pytest.mark.parametrize("scope", [ApprovalScope.ONCE, ApprovalScope.SESSION, ApprovalScope.ALWAYS, None])
def test_a_revocation_by_another_process_counts_at_once(tmp_path: Path, scope: ApprovalScope | None) -> None:
    other = approvals(tmp_path)
    if scope:
        other.grant(grantee(), scope, "s1")
    asked = broker(tmp_path, by_name=ByName() if scope else NAMED)
    asked.admit(grantee())
    asked.demand(grantee(), SHELL)
    other.revoke("kubernetes")
    for permission in (SHELL, READ):
        assert not asked.is_approved(grantee(), permission)
    with pytest.raises(NotPermittedError, match=UNAPPROVED):
        asked.demand(grantee(), SHELL)


@pytest.mark.parametrize("scope", [ApprovalScope.ONCE, ApprovalScope.SESSION, ApprovalScope.ALWAYS, None])
def test_a_denial_by_another_process_counts_at_once(tmp_path: Path, scope: ApprovalScope | None) -> None:
    other = approvals(tmp_path)
    if scope:
        other.grant(grantee(), scope, "s1")
    asked = broker(tmp_path, by_name=ByName() if scope else NAMED)
    asked.admit(grantee())
    asked.demand(grantee(), SHELL)
    other.grant(grantee(), ApprovalScope.DENY, permissions=[SHELL])
    with pytest.raises(NotPermittedError, match=UNAPPROVED):
        asked.demand(grantee(), SHELL)
    asked.demand(grantee(), READ)
    # What was held ended with the denial; only what is approved from now on counts.
    other.grant(grantee(), ApprovalScope.ONCE, permissions=[SHELL])
    assert not asked.is_approved(grantee(), SHELL)
    other.grant(grantee(), ApprovalScope.ALWAYS, permissions=[SHELL])
    asked.demand(grantee(), SHELL)


def test_a_revocation_is_seen_however_much_was_written_since(tmp_path: Path) -> None:
    approvals(tmp_path).grant(grantee(), ApprovalScope.ONCE)
    asked = broker(tmp_path)
    asked.admit(grantee())
    approvals(tmp_path).revoke("kubernetes")
    busy = Audit(store(tmp_path))
    for _ in range(KEPT + 600):
        busy.write("other", "file:read", Decision.ALLOWED)
    assert not asked.is_approved(grantee(), SHELL)


def test_what_is_held_ends_with_the_database_that_could_revoke_it(tmp_path: Path) -> None:
    approvals(tmp_path).grant(grantee(), ApprovalScope.ONCE)
    asked = broker(tmp_path)
    asked.admit(grantee())
    asked.demand(grantee(), SHELL)
    for path in tmp_path.glob("runtime.db*"):
        path.unlink()
    with pytest.raises(NotPermittedError, match=UNAPPROVED):
        asked.demand(grantee(), SHELL)


def test_another_origin_or_content_is_another_skill(tmp_path: Path) -> None:
    approvals(tmp_path).grant(grantee(), ApprovalScope.ALWAYS)
    asked = broker(tmp_path)
    asked.admit(grantee())
    for other in (grantee(source=SkillSource.PROJECT), grantee(content="sha256:2")):
        assert not asked.is_approved(other, SHELL)


def test_two_activations_end_one_by_one(tmp_path: Path) -> None:
    """A skill is loaded anew beside the old one, with the same content."""
    asked = broker(tmp_path, by_name=NAMED)
    asked.admit(grantee())
    asked.admit(grantee())
    asked.release(grantee())
    assert asked.is_approved(grantee(), SHELL)
    asked.release(grantee())
    assert not asked.is_approved(grantee(), SHELL)
    asked.release(grantee())


def test_the_limits_of_the_callers_are_charged(tmp_path: Path) -> None:
    names = ("outer", "inner", "other")
    asked = broker(tmp_path, per_turn={SHELL: 2}, by_name=ByName(run=frozenset(names)))
    outer, inner, other = map(grantee, names)
    for each in (outer, inner, other):
        asked.admit(each)
    asked.demand(inner, SHELL, chain=(outer,))
    asked.demand(outer, SHELL)
    with pytest.raises(RateLimitedError, match=r"3/2 per turn"):
        asked.demand(other, SHELL, chain=(outer, inner))
    # Nothing was charged to the others.
    asked.demand(other, SHELL)
    asked.demand(other, SHELL)
    asked.demand(inner, SHELL)


def test_skills_invoke_each_other_eight_deep(tmp_path: Path) -> None:
    skill = grantee("caller", [Permission.SKILL_INVOKE])
    asked = broker(tmp_path, by_name=ByName(run=frozenset({"caller"})))
    asked.admit(skill)
    asked.demand(skill, Permission.SKILL_INVOKE, chain=(skill,) * 7)
    with pytest.raises(RateLimitedError, match=r'^rate limit exceeded for "skill:invoke": 9/8 nested calls$'):
        asked.demand(skill, Permission.SKILL_INVOKE, chain=(skill,) * 8)


def test_what_can_not_be_written_down_is_not_allowed(tmp_path: Path) -> None:
    asked = broker(tmp_path, by_name=NAMED)
    asked.admit(grantee())
    asked.demand(grantee(), SHELL)
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
        asked.demand(grantee(), SHELL)


def test_many_threads_never_get_more_than_the_limit(tmp_path: Path) -> None:
    asked = broker(tmp_path, by_name=NAMED)
    asked.admit(grantee())
    allowed: list[int] = []

    def work() -> None:
        for _ in range(10):
            try:
                asked.demand(grantee(), SHELL)
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
