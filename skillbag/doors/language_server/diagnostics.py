"""Findings as diagnostics, published for every file that has some, open or not.

A client that takes published diagnostics is not offered to ask for them: it would show both. One that can only ask is
answered, and notified when to ask again.
"""

from __future__ import annotations

import asyncio
import logging

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from skillbag.doors.language_server.positions import EditorText
from skillbag.doors.language_server.session import CheckProblem, EditorSession
from skillbag.kernel.model.findings import Finding, Severity
from skillbag.kernel.model.result import RuleInfo
from skillbag.report.sanitize import shown

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}

_WITHOUT_EFFECT = frozenset({"suppression-unused", "suppression-expired"})

_State = tuple[tuple[Finding, ...], CheckProblem | None, int | None]
"""What was published of a file: findings, a fault, and the version of the open document."""
_NOTHING: _State = ((), None, None)
_log = logging.getLogger(__name__)


def begin(server: LanguageServer, session: EditorSession) -> None:
    """Publish after each check, or answer, as the client can; call it before the capabilities are sent."""
    abilities = session.client.text_document
    if abilities and abilities.diagnostic and not abilities.publish_diagnostics:
        session.on_checked.append(_Refresher(server, session).refresh)
        _register_answers(server, session)
    else:
        session.on_checked.append(_Publisher(server, session).publish)


def _register_answers(server: LanguageServer, session: EditorSession) -> None:
    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, types.DiagnosticOptions(True, True, "skillbag"))
    async def of_document(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        await session.settled()
        return types.RelatedFullDocumentDiagnosticReport(of(session, params.text_document.uri))

    @server.feature(types.WORKSPACE_DIAGNOSTIC)
    async def of_workspace(params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
        await session.settled()
        faulty = {fault.path for fault in session.latest.faults if fault.path}
        uris = {session.uri(path) for path in session.latest.findings.keys() | faulty}
        # Of these the client knows something, which may be no longer so.
        uris.update(each.uri for each in params.previous_result_ids)
        return types.WorkspaceDiagnosticReport([_report(session, uri) for uri in sorted(uris)])


def _report(session: EditorSession, uri: str) -> types.WorkspaceFullDocumentDiagnosticReport:
    # The client sends back only the documents whose report has a result id.
    return types.WorkspaceFullDocumentDiagnosticReport(
        uri, of(session, uri), session.latest.versions.get(uri), result_id="0"
    )


class _Refresher:
    """Knows which state the client was last asked to take."""

    def __init__(self, server: LanguageServer, session: EditorSession) -> None:
        self._server, self._session = server, session
        self._known = session.latest
        workspace = session.client.workspace
        self._can = bool(workspace and workspace.diagnostics and workspace.diagnostics.refresh_support)
        self._tasks: set[asyncio.Task[None]] = set()

    def refresh(self) -> None:
        """Let the client ask again, for all documents, if anything has changed."""
        before, self._known = self._known, self._session.latest
        if self._can and (before.findings, before.faults) != (self._known.findings, self._known.faults):
            task = asyncio.get_running_loop().create_task(self._ask())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _ask(self) -> None:
        try:
            await self._server.workspace_diagnostic_refresh_async(None)
        except Exception as error:
            _log.info("the client does not ask for diagnostics again: %s", error)


class _Publisher:
    """Knows what was published."""

    def __init__(self, server: LanguageServer, session: EditorSession) -> None:
        self._server, self._session = server, session
        self._published: dict[str, _State] = {}

    def publish(self) -> None:
        """Publish what has changed since the last time. What is open in a newer version follows with the next check."""
        latest, documents = self._session.latest, self._session.documents
        faulty = {fault.path: fault for fault in latest.faults if fault.path}
        paths = {**latest.findings, **faulty}
        wanted = {self._session.uri(path): (latest.findings.get(path, ()), faulty.get(path)) for path in paths}
        for uri in {**self._published, **wanted, **latest.versions}:
            document, version = documents.get(uri), latest.versions.get(uri)
            if document is not None and document.version != version:
                continue
            state = (*wanted.get(uri, ((), None)), version)
            if self._published.get(uri, _NOTHING) != state:
                self._send(uri, state)

    def _send(self, uri: str, state: _State) -> None:
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, of(self._session, uri), state[2])
        )
        if state == _NOTHING:
            self._published.pop(uri, None)
        else:
            self._published[uri] = state


def of(session: EditorSession, uri: str) -> list[types.Diagnostic]:
    """The diagnostics of a file, as of the last check."""
    path, latest = session.path(uri), session.latest
    findings = latest.findings.get(path or "", ())
    faults = [fault for fault in latest.faults if path and fault.path == path]
    text = (session.text(path) if path and (findings or faults) else None) or EditorText("")
    return [
        *(_fault(fault, text) for fault in faults),
        *(diagnostic(finding, text, latest.rules.get(finding.rule)) for finding in findings),
    ]


def _fault(fault: CheckProblem, text: EditorText) -> types.Diagnostic:
    at = text.at(fault.line, fault.column)
    return types.Diagnostic(
        range=text.range(at, text.line_end(at)),
        message=shown(fault.message),
        severity=types.DiagnosticSeverity.Error,
        source="skillbag",
    )


def diagnostic(finding: Finding, text: EditorText, rule: RuleInfo | None) -> types.Diagnostic:
    """A finding as the protocol has it; a single point is shown as the rest of its line."""
    url = rule.url if rule else None
    return types.Diagnostic(
        range=range_of(finding, text),
        message=shown(finding.message),
        severity=_SEVERITIES[finding.level],
        code=finding.rule,
        code_description=types.CodeDescription(url) if url else None,
        source="skillbag",
        tags=[types.DiagnosticTag.Unnecessary] if finding.rule in _WITHOUT_EFFECT else None,
    )


def range_of(finding: Finding, text: EditorText) -> types.Range:
    """The place of a finding in the client's units."""
    start = text.at(finding.line, finding.column)
    end = text.at(finding.end_line, finding.end_column)
    return text.range(start, end if end > start else text.line_end(start))
