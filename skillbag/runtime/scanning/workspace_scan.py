"""A scan of the workspace of a runtime, as every door runs it (skill runtime, section 8)."""

from __future__ import annotations

from collections.abc import Iterable

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.manifest.names import SkillType
from skillbag.lint.engine.fingerprints import fingerprinted
from skillbag.runtime.scanning.scan import Scan, complete, scan
from skillbag.runtime.scanning.sources import SkillFailure
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.sessions.triggered import activate_triggered, is_of


def scan_workspace(runtime: Runtime, paths: Iterable[str] = ()) -> Scan:
    """Scan the runtime's workspace by its `security-rule` skills: those that are active, and those that the workspace
    triggers, which are activated. `OnSecurityScanComplete` fires at the end.

    `paths` are absolute paths of files and folders; without any, all files that git sees are scanned, up to 1 MiB each.

    Raises:
        UserError: there is no workspace, or a path is not in it.
        QuestionsError: the user must be asked before a skill can be activated.
    """
    found = scan_triggered(runtime, paths)
    complete(runtime, found)
    return found


def scan_triggered(runtime: Runtime, paths: Iterable[str]) -> Scan:
    """The same, for callers that change the findings before they call `complete`. Skills that could not be activated
    are among the errors. Raises as `scan_workspace`."""
    root = runtime.request.workspace
    if root is None:
        raise UserError("there is no workspace here; run this in one, or name it with --workspace")
    failed = activate_triggered(runtime, is_of(SkillType.SECURITY_RULE))
    found = scan(runtime, root, paths)
    errors = (*(SkillFailure(name, "", why) for name, why in failed.items()), *found.errors)
    findings = tuple(fingerprinted(found.result.findings))
    return found._replace(result=found.result._replace(findings=findings), errors=errors)
