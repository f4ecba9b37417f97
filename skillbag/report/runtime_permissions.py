"""What the user has decided about permissions, and the audit log (skill runtime, section 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from skillbag.kernel.manifest.names import Permission
from skillbag.report.columns import table
from skillbag.report.encoding import json_object
from skillbag.report.sanitize import shown
from skillbag.runtime.broker.approvals import Approval
from skillbag.runtime.broker.audit import AuditEntry, Decision
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.skill import Grantee

_STALE = "Those marked * count no more: the skill's files, or the place that it is from, have changed since."


def approvals_values(name: str, approvals: Iterable[Approval], grantee: Grantee | None) -> dict[str, Any]:
    """The stored decisions about the skills of a name, as JSON; `current`: it counts for the one that is found now."""
    return json_object(
        skill=name,
        approvals=[
            {
                "permission": each.permission,
                "scope": each.scope,
                "session": each.session or None,
                "origin": each.origin,
                "approved_at": each.approved_at,
                "current": _counts(each, grantee),
            }
            for each in approvals
        ],
    )


def approvals_text(name: str, approvals: Sequence[Approval], grantee: Grantee | None) -> str:
    """A table of them."""
    if not approvals:
        return f"No permission approvals for skill '{shown(name)}'\n"
    rows = [(each.permission, _scope(each, grantee), each.approved_at) for each in approvals]
    lines = table([("PERMISSION", "SCOPE", "APPROVED_AT"), *rows])
    lines += [] if all(_counts(each, grantee) for each in approvals) else [_STALE]
    return "".join(f"{shown(line)}\n" for line in lines)


def audit_values(entries: Iterable[AuditEntry]) -> dict[str, Any]:
    """Entries of the audit log as JSON, the newest one last."""
    return json_object(entries=[entry._asdict() for entry in entries])


def audit_text(entries: Sequence[AuditEntry], skill: str | None, *, chosen: bool = False) -> str:
    """A table of them, and what to do about those that were refused. `chosen`: only some were asked for."""
    if not entries:
        about = f" for skill '{shown(skill)}'" if skill is not None else ""
        return f"The audit log has no {'such ' if chosen else ''}entries{about}.\n"
    rows = [(each.at, each.skill, each.permission or "-", each.decision, each.detail) for each in entries]
    lines = table([("AT", "SKILL", "PERMISSION", "DECISION", "DETAIL"), *rows])
    return "".join(f"{shown(line)}\n" for line in (*lines, *_advice(entries)))


def _advice(entries: Iterable[AuditEntry]) -> Iterator[str]:
    """What the user can do about refusals, once for each skill and kind of refusal."""
    for skill, decision in dict.fromkeys((each.skill, each.decision) for each in entries):
        match decision:
            case Decision.UNAPPROVED:
                yield f"A person can allow {skill} what was refused, on a terminal in this workspace."
            case Decision.UNDECLARED:
                yield f"The manifest of {skill} does not declare what it tried; its author can add the permission."
            case Decision.LIMITED:
                yield f"{skill} reached a limit of one turn; the settings of the section `runtime` have the limits."


def _counts(approval: Approval, grantee: Grantee | None) -> bool:
    if grantee is None or approval.origin != grantee.origin:
        return False
    # That of a guard of the user's remembers its files, whatever it declares.
    if approval.permission not in {*grantee.declared, Permission.HOOK_OBSERVE}:
        return False
    return approval.scope == ApprovalScope.DENY or approval.tree_hash == grantee.tree_hash


def _scope(approval: Approval, grantee: Grantee | None) -> str:
    session = f" ({approval.session})" if approval.session else ""
    return f"{approval.scope}{session}{'' if _counts(approval, grantee) else ' *'}"
