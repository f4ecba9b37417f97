"""What is denied, whoever approves it; which decision counts, and how they are listed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skillbag.kernel.manifest.names import Permission
from skillbag.runtime.broker.approvals import ByName
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.errors import NotPermittedError
from skillbag.runtime.skill import SkillSource
from tests.rows import each_row
from tests.runtime.broker.test_approvals import BOTH, NAMED
from tests.runtime.grantees import READ, SHELL, approvals, grantee


def test_a_denial_is_refused_and_not_asked_about(tmp_path: Path) -> None:
    known = approvals(tmp_path)
    known.grant(grantee(), ApprovalScope.ALWAYS)
    known.grant(grantee(), ApprovalScope.DENY, permissions=[SHELL])
    reported = 'permission "shell:exec" not approved for skill "kubernetes"; it was denied, and a person revokes that'
    for each in (grantee(), grantee(content="sha256:2")):
        assert approvals(tmp_path).missing(each, "s1") == ()
        with pytest.raises(NotPermittedError, match=f"^{re.escape(reported)}"):
            approvals(tmp_path).admit(each, "s1")


@pytest.mark.parametrize("by_name", [ByName(run=NAMED), ByName(settings=NAMED)], ids=["run", "settings"])
def test_a_denial_holds_against_an_approval_by_name(tmp_path: Path, by_name: ByName) -> None:
    known = approvals(tmp_path, by_name)
    assert known.missing(grantee()) == ()
    assert known.admit(grantee()).granted == {SHELL, READ}
    known.grant(grantee(), ApprovalScope.DENY, permissions=[SHELL])
    with pytest.raises(NotPermittedError):
        known.admit(grantee())
    assert known.list("kubernetes")[0].scope == "deny"


def test_a_denial_ends_the_approvals_of_all_sessions(tmp_path: Path) -> None:
    known = approvals(tmp_path)
    for session in ("s1", "s2"):
        known.grant(grantee(), ApprovalScope.SESSION, session)
    known.grant(grantee(), ApprovalScope.DENY)
    known.revoke("kubernetes")
    assert known.missing(grantee(), "s1") == known.missing(grantee(), "s2") == BOTH


@each_row("scope", [ApprovalScope.ONCE, ApprovalScope.SESSION, ApprovalScope.ALWAYS])
def test_the_last_decision_counts(tmp_path: Path, scope: ApprovalScope) -> None:
    known = approvals(tmp_path)
    known.grant(grantee(), ApprovalScope.DENY)
    known.grant(grantee(), scope, "s1")
    assert known.admit(grantee(), "s1").granted == {SHELL, READ}


def test_settings_deny_a_skill_whoever_approves_it(tmp_path: Path) -> None:
    named = frozenset({"kubernetes"})
    known = approvals(tmp_path, ByName(named, named, lambda skill, _: skill in named))
    known.grant(grantee(), ApprovalScope.ALWAYS)
    for each in (grantee(), grantee(declared=()), grantee(source=SkillSource.BUILTIN)):
        assert known.missing(each) == ()
        with pytest.raises(
            NotPermittedError, match=r'^skill "kubernetes" is not allowed: denied_skills of the settings'
        ):
            known.admit(each)


def test_a_built_in_skill_needs_no_approval_but_may_be_denied(tmp_path: Path) -> None:
    known = approvals(tmp_path)
    builtin = grantee(source=SkillSource.BUILTIN)
    assert known.missing(builtin) == ()
    assert known.admit(builtin).granted == {SHELL, READ}
    known.grant(builtin, ApprovalScope.DENY, permissions=[SHELL])
    with pytest.raises(NotPermittedError):
        known.admit(builtin)


def test_what_is_not_declared_can_not_be_granted(tmp_path: Path) -> None:
    known = approvals(tmp_path)
    with pytest.raises(NotPermittedError, match='permission "net:fetch" not declared in skill "kubernetes" manifest'):
        known.grant(grantee(), ApprovalScope.ALWAYS, permissions=[READ, Permission.NET_FETCH])
    assert known.list() == ()


def test_decisions_can_be_listed(tmp_path: Path) -> None:
    known = approvals(tmp_path)
    known.grant(grantee(), ApprovalScope.SESSION, "s1", [SHELL])
    known.grant(grantee(), ApprovalScope.DENY, permissions=[READ])
    known.grant(grantee("other"), ApprovalScope.ALWAYS, permissions=[READ])
    reported = [
        (each.permission, each.scope, each.session, each.origin, each.tree_hash) for each in known.list("kubernetes")
    ]
    assert reported == [
        ("file:read", "deny", "", "user:/home/me", "sha256:1"),
        ("shell:exec", "session", "s1", "user:/home/me", "sha256:1"),
    ]
    assert [each.skill for each in known.list()] == ["kubernetes", "kubernetes", "other"]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", each.approved_at) for each in known.list())


def test_a_hostile_name_is_only_a_name(tmp_path: Path) -> None:
    known = approvals(tmp_path)
    known.grant(grantee(), ApprovalScope.ALWAYS)
    assert known.revoke("' OR 1=1 --\x1b[2J") == "All permissions revoked for skill '' OR 1=1 --\\x1b[2J'"
    assert known.missing(grantee()) == ()
