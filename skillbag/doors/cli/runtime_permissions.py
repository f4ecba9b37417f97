"""`skillbag runtime permissions|audit`: what the user has decided, and what was done with it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.person import check_person
from skillbag.doors.cli.runtime_queries import check_known
from skillbag.doors.cli.runtime_session import failure, runtime_at, runtime_options, with_remarks
from skillbag.doors.cli.since import Since
from skillbag.kernel.base.errors import UserError

if TYPE_CHECKING:
    from skillbag.runtime.sessions.runtime import Runtime

_PERMISSIONS = """\b
Examples:
  skillbag runtime permissions kubernetes
  skillbag runtime permissions kubernetes --grant always
  skillbag runtime permissions kubernetes --grant session --session s1
  skillbag runtime permissions kubernetes --deny
  skillbag runtime permissions kubernetes --revoke    it is asked again

\b
All permissions that the skill declares are granted or denied. A grant is for the skill's files as they are now.
To grant, and to decide about a guard of yours, needs a terminal: a person.
"""
_AUDIT = """\b
Examples:
  skillbag runtime audit
  skillbag runtime audit --skill kubernetes --since 12h
  skillbag runtime audit --decision unapproved --limit 20 --json

\b
Decisions: allowed; refused as undeclared, unapproved or limited; admitted at an activation; granted, denied and revoked
by the user.
"""
DECISIONS = ("allowed", "undeclared", "unapproved", "limited", "admitted", "granted", "denied", "revoked")
"""Those of the log, which is not imported for it."""


@click.command("permissions", cls=CliCommand, epilog=_PERMISSIONS)
@click.argument("name")
@click.option("--revoke", is_flag=True, help="Forget all decisions about it; active ones lose all at once.")
@click.option("--grant", type=click.Choice(["once", "session", "always"]), help="Allow what it declares.")
@click.option("--deny", is_flag=True, help="Refuse what it declares, without asking.")
@runtime_options
def permissions(name: str, revoke: bool, grant: str | None, deny: bool, as_json: bool, **reach: Any) -> None:
    """Show or decide what a skill may do."""
    from skillbag.report.runtime.permissions import ApprovalJson, PermissionsJson, permissions_text

    if sum((revoke, grant is not None, deny)) > 1:
        raise click.UsageError("Give one of --grant, --deny and --revoke.")
    with answering("runtime permissions", as_json=as_json, on_error=failure) as say, runtime_at(**reach) as runtime:
        done = ""
        is_found = any(found.name == name for found in runtime.found.skills)
        if not is_found and not runtime.approvals.list(name):
            check_known(runtime, name)
        if grant is not None:
            check_person(f"granting permissions to {name}")
        elif deny or revoke:
            _check_guard(runtime, name, "deny" if deny else "revoke")
        if revoke:
            vanished = "" if is_found else "; no skill of this name is found now"
            done = f"{runtime.approvals.revoke(name)}{vanished}"
        elif grant is not None or deny:
            done = _decide(runtime, name, grant or "deny")
        grantee = runtime.grantee(name) if is_found else None
        stored = tuple(ApprovalJson.of(each, grantee) for each in runtime.approvals.list(name))
        decided = PermissionsJson(name, stored, done or None)
        say(with_remarks(CommandOutput(decided, permissions_text(decided)), runtime.remarks))


@click.command("audit", cls=CliCommand, epilog=_AUDIT)
@click.option("--skill", metavar="NAME", help="Only entries about this skill.")
@click.option("--since", type=Since(), metavar="TIME", help="Only from then on: 30m, 12h or 1d ago, or a date.")
@click.option("--decision", type=click.Choice(DECISIONS), help="Only entries with this decision.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True, help="The last so many.")
@runtime_options
def audit(
    skill: str | None, since: datetime | None, decision: str | None, limit: int, as_json: bool, **reach: Any
) -> None:
    """Show the log of permissions.

    The newest entry is the last.
    """
    from skillbag.report.runtime.permissions import AuditJson, audit_text

    with answering("runtime audit", as_json=as_json, on_error=failure) as say, runtime_at(**reach) as runtime:
        entries = runtime.audit.entries(skill, limit, since, decision)
        text = audit_text(entries, skill, chosen=bool(since or decision))
        say(with_remarks(CommandOutput(AuditJson(entries), text), runtime.remarks))


def _check_guard(runtime: Runtime, name: str, decision: str) -> None:
    """Raises NeedsPersonError without a person, if the skill may be a guard, or was denied by the user."""
    from skillbag.kernel.manifest.names import Permission
    from skillbag.runtime.broker.decisions import ApprovalScope
    from skillbag.runtime.broker.session_records import recorded_guards
    from skillbag.runtime.skill import is_of_user

    stored = runtime.approvals.list(name)
    is_users = any(found.name == name and is_of_user(found.origin) for found in runtime.found.skills)
    is_guard = any(is_of_user(each.origin) or each.permission == Permission.HOOK_OBSERVE for each in stored)
    is_denied = decision == "revoke" and any(each.scope == ApprovalScope.DENY for each in stored)
    try:
        is_guard = is_guard or any(each.skill == name for each in recorded_guards(runtime.request.state))
    except OSError:
        # In the session whose record can't be read it may be one.
        is_guard = True
    if is_users or is_guard or is_denied:
        check_person(f"the decision to {decision} the permissions of {name}")


def _decide(runtime: Runtime, name: str, scope: str) -> str:
    """Decide about all permissions that the skill declares, and what else it would be asked about; gives the sentence
    about it."""
    from skillbag.runtime.broker.decisions import ApprovalScope

    check_known(runtime, name)
    grantee = runtime.grantee(name)
    chosen = grantee.declared.union(runtime.approvals.missing(grantee, runtime.request.session))
    if not chosen:
        advice = "; denied_skills of your settings names skills that are never active"
        raise UserError(f'skill "{name}" declares no permissions, so there is nothing to decide{advice}')
    runtime.approvals.grant(grantee, ApprovalScope(scope), runtime.request.session, chosen)
    names = ", ".join(sorted(chosen))
    if scope == ApprovalScope.DENY:
        return f"Permissions denied for skill '{name}': {names}"
    return f"Permissions granted for skill '{name}' ({scope}): {names}"
