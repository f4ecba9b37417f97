"""Findings as diagnostics, published for every file that has some, open or not."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from skillbag.language_server.positions import Text
from skillbag.language_server.session import Fault, Session
from skillbag.model.findings import Finding, Severity
from skillbag.model.result import RuleInfo
from skillbag.report.sanitize import shown

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}

_WITHOUT_EFFECT = frozenset({"suppression-unused", "suppression-expired"})

_State = tuple[tuple[Finding, ...], Fault | None, int | None]
"""What was published of a file: findings, a fault, and the version of the open document."""
_NOTHING: _State = ((), None, None)


def register(server: LanguageServer, session: Session) -> None:
    """Publish diagnostics after each check."""
    publisher = _Publisher(server, session)
    session.on_checked.append(publisher.publish)


class _Publisher:
    """Knows what was published."""

    def __init__(self, server: LanguageServer, session: Session) -> None:
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


def of(session: Session, uri: str) -> list[types.Diagnostic]:
    """The diagnostics of a file, as of the last check."""
    path, latest = session.path(uri), session.latest
    findings = latest.findings.get(path or "", ())
    faults = [fault for fault in latest.faults if path and fault.path == path]
    text = (session.text(path) if path and (findings or faults) else None) or Text("")
    return [
        *(_fault(fault, text) for fault in faults),
        *(diagnostic(finding, text, latest.rules.get(finding.rule)) for finding in findings),
    ]


def _fault(fault: Fault, text: Text) -> types.Diagnostic:
    at = text.at(fault.line, fault.column)
    return types.Diagnostic(
        range=text.range(at, text.line_end(at)),
        message=shown(fault.message),
        severity=types.DiagnosticSeverity.Error,
        source="skillbag",
    )


def diagnostic(finding: Finding, text: Text, rule: RuleInfo | None) -> types.Diagnostic:
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


def range_of(finding: Finding, text: Text) -> types.Range:
    """The place of a finding in the client's units."""
    start = text.at(finding.line, finding.column)
    end = text.at(finding.end_line, finding.end_column)
    return text.range(start, end if end > start else text.line_end(start))
