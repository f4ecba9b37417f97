"""Findings as diagnostics, published for every file that has some, open or not."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from skillbag.language_server.positions import Text
from skillbag.language_server.session import Session
from skillbag.model.findings import Finding, Severity
from skillbag.model.result import RuleInfo
from skillbag.report.sanitize import shown

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}


def register(server: LanguageServer, session: Session) -> None:
    """Publish diagnostics after each check."""
    publisher = _Publisher(server, session)
    session.on_checked.append(publisher.publish)


class _Publisher:
    """Knows what was published."""

    def __init__(self, server: LanguageServer, session: Session) -> None:
        self._server, self._session = server, session
        self._published: dict[str, tuple[tuple[Finding, ...], int | None]] = {}

    def publish(self) -> None:
        """Publish what has changed since the last time. What is open in a newer version follows with the next check."""
        latest, documents = self._session.latest, self._session.documents
        wanted = {self._session.uri(path): findings for path, findings in latest.findings.items()}
        for uri in {**self._published, **wanted, **latest.versions}:
            document, version = documents.get(uri), latest.versions.get(uri)
            if document is not None and document.version != version:
                continue
            state = (wanted.get(uri, ()), version)
            if self._published.get(uri, ((), None)) != state:
                self._send(uri, *state)

    def _send(self, uri: str, findings: tuple[Finding, ...], version: int | None) -> None:
        diagnostics = of(self._session, uri)
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics, version))
        if findings or version is not None:
            self._published[uri] = (findings, version)
        else:
            self._published.pop(uri, None)


def of(session: Session, uri: str) -> list[types.Diagnostic]:
    """The diagnostics of a file, as of the last check."""
    path = session.path(uri)
    findings = session.latest.findings.get(path or "", ())
    text = (session.text(path) if path and findings else None) or Text("")
    return [diagnostic(finding, text, session.latest.rules.get(finding.rule)) for finding in findings]


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
    )


def range_of(finding: Finding, text: Text) -> types.Range:
    """The place of a finding in the client's units."""
    start = text.at(finding.line, finding.column)
    end = text.at(finding.end_line, finding.end_column)
    return text.range(start, end if end > start else text.line_end(start))
