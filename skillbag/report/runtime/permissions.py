"""What the user has decided about permissions, and the audit log (skill runtime, section 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, NamedTuple

from skillbag.kernel.manifest.names import Permission
from skillbag.report.answers.types import Text
from skillbag.report.sanitize import shown
from skillbag.report.views import Columns, lines_view, table_view
from skillbag.runtime.broker.approvals import Approval
from skillbag.runtime.broker.audit import AuditEntry, Decision
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.skill import Grantee

_STALE = "Those marked * count no more: the skill's files, or the place that it is from, have changed since."


class ApprovalJson(NamedTuple):
    """A stored decision."""

    permission: Permission
    scope: ApprovalScope
    session: str | None
    origin: str
    approved_at: Annotated[str, "UTC, ISO 8601."]
    current: Annotated[bool, "Whether it counts for the skill as it is now."]

    @classmethod
    def of(cls, stored: Approval, grantee: Grantee | None) -> ApprovalJson:
        """A decision, for the skill that is found now, if one is."""
        permission, scope = Permission(stored.permission), ApprovalScope(stored.scope)
        counts = _counts(stored, grantee)
        return cls(permission, scope, stored.session or None, stored.origin, stored.approved_at, counts)


class PermissionsJson(NamedTuple):
    """What the user has decided about a skill."""

    skill: Text
    approvals: tuple[ApprovalJson, ...]
    done: Annotated[str | None, "What this command has decided; null if it only showed it."]


class AuditJson(NamedTuple):
    """The last decisions about permissions, the newest one last."""

    entries: tuple[AuditEntry, ...]


_APPROVALS: Columns[ApprovalJson] = {
    "PERMISSION": lambda each: each.permission,
    "SCOPE": lambda each: f"{each.scope}{f' ({each.session})' if each.session else ''}{'' if each.current else ' *'}",
    "APPROVED_AT": lambda each: each.approved_at,
}
_ENTRIES: Columns[AuditEntry] = {
    "AT": lambda each: each.at,
    "SKILL": lambda each: each.skill,
    "PERMISSION": lambda each: each.permission or "-",
    "DECISION": lambda each: each.decision,
    "DETAIL": lambda each: each.detail,
}


def permissions_text(decided: PermissionsJson) -> str:
    """What was decided now, else a table of the decisions."""
    if decided.done:
        return f"{decided.done}\n"
    if not decided.approvals:
        return f"No permission approvals for skill '{shown(decided.skill)}'\n"
    lines = table_view(_APPROVALS, decided.approvals)
    return lines_view(lines if all(each.current for each in decided.approvals) else [*lines, _STALE])


def audit_text(entries: Sequence[AuditEntry], skill: str | None, *, chosen: bool = False) -> str:
    """A table of the entries, and what to do about those that were refused. `chosen`: only some were asked for."""
    if not entries:
        about = f" for skill '{shown(skill)}'" if skill is not None else ""
        return f"The audit log has no {'such ' if chosen else ''}entries{about}.\n"
    return lines_view([*table_view(_ENTRIES, entries), *_advice(entries)])


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
