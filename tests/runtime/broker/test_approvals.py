"""What counts as approved: every scope, over restarts, edits, sessions and names."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.manifest.names import Permission
from skillbag.runtime.broker.approvals import Approvals, ByName
from skillbag.runtime.broker.audit import Audit
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.errors import NotPermittedError
from skillbag.runtime.skill import SkillSource
from tests.rows import each_row
from tests.runtime.grantees import READ, SHELL, approvals, grantee, store

BOTH = (READ, SHELL)
NAMED = frozenset({"kubernetes"})


def test_without_a_decision_everything_must_be_asked(tmp_path: Path) -> None:
    known = approvals(tmp_path)
    assert known.missing(grantee()) == BOTH
    with pytest.raises(NotPermittedError, match=r'^permission "file:read" not approved for skill "kubernetes"$'):
        known.admit(grantee())


def test_looking_makes_no_database(tmp_path: Path) -> None:
    opened = store(tmp_path / "state")
    known = Approvals(opened)
    assert known.missing(grantee()) == BOTH
    assert known.list() == ()
    assert Audit(opened).entries() == ()
    assert not (tmp_path / "state").exists()


def test_once_is_for_one_activation(tmp_path: Path) -> None:
    approvals(tmp_path).grant(grantee(), ApprovalScope.ONCE)
    known = approvals(tmp_path)
    assert known.missing(grantee()) == ()
    assert known.admit(grantee()).granted == {SHELL, READ}
    assert known.missing(grantee()) == BOTH
    with pytest.raises(NotPermittedError):
        approvals(tmp_path).admit(grantee())
    assert known.list() == ()


def test_a_refused_activation_consumes_nothing(tmp_path: Path) -> None:
    known = approvals(tmp_path)
    known.grant(grantee(), ApprovalScope.ONCE, permissions=[READ])
    with pytest.raises(NotPermittedError, match=r"shell:exec"):
        known.admit(grantee())
    assert known.missing(grantee()) == (SHELL,)


def test_once_is_not_consumed_where_something_else_approves(tmp_path: Path) -> None:
    known = approvals(tmp_path)
    known.grant(grantee(), ApprovalScope.ONCE)
    known.grant(grantee(), ApprovalScope.SESSION, "s1")
    known.admit(grantee(), "s1")
    approvals(tmp_path, ByName(run=frozenset({"kubernetes"}))).admit(grantee())
    assert known.missing(grantee()) == ()


def test_a_session_is_approved_for_itself_alone(tmp_path: Path) -> None:
    approvals(tmp_path).grant(grantee(), ApprovalScope.SESSION, "s1")
    known = approvals(tmp_path)
    for _ in range(2):
        assert known.admit(grantee(), "s1").granted == {SHELL, READ}
    assert known.missing(grantee(), "s2") == BOTH
    assert known.missing(grantee()) == BOTH


@pytest.mark.parametrize("session", [None, ""])
def test_without_a_session_nothing_is_approved_for_it(tmp_path: Path, session: str | None) -> None:
    known = approvals(tmp_path)
    with pytest.raises(UserError, match="no session to approve permissions for; name one with --session ID"):
        known.grant(grantee(), ApprovalScope.SESSION, session)
    assert known.list() == ()


def test_always_holds_until_it_is_revoked(tmp_path: Path) -> None:
    approvals(tmp_path).grant(grantee(), ApprovalScope.ALWAYS)
    for session in (None, "s1", "s2"):
        assert approvals(tmp_path).admit(grantee(), session).granted == {SHELL, READ}
    assert approvals(tmp_path).revoke("kubernetes") == "All permissions revoked for skill 'kubernetes'"
    assert approvals(tmp_path).missing(grantee()) == BOTH


@each_row("scope", [ApprovalScope.ONCE, ApprovalScope.SESSION, ApprovalScope.ALWAYS])
def test_an_approval_ends_when_the_skill_is_edited(tmp_path: Path, scope: ApprovalScope) -> None:
    known = approvals(tmp_path)
    known.grant(grantee(), scope, "s1")
    edited = grantee(content="sha256:2")
    assert known.missing(edited, "s1") == BOTH
    with pytest.raises(NotPermittedError):
        known.admit(edited, "s1")
    assert known.missing(grantee(), "s1") == ()


@each_row("scope", [ApprovalScope.ONCE, ApprovalScope.SESSION, ApprovalScope.ALWAYS])
def test_a_project_skill_inherits_nothing_of_a_user_skill(tmp_path: Path, scope: ApprovalScope) -> None:
    known = approvals(tmp_path)
    known.grant(grantee(), scope, "s1")
    assert known.missing(grantee(source=SkillSource.PROJECT), "s1") == BOTH
    assert known.missing(grantee("other"), "s1") == BOTH


def test_a_permission_that_is_declared_later_is_asked_for(tmp_path: Path) -> None:
    known = approvals(tmp_path)
    known.grant(grantee(), ApprovalScope.ALWAYS)
    more = grantee(declared=[*BOTH, Permission.NET_FETCH])
    assert known.missing(more) == (Permission.NET_FETCH,)
