"""What a host runs unasked: the commands of hooks, commands that are run while a text is loaded, and their scripts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from skillbag.kernel.documents.source import DocumentProblem, read_document
from skillbag.kernel.model.findings import Finding, Severity
from skillbag.kernel.workspace.host_file import HostFile
from skillbag.kernel.workspace.text import TextFile, language_of
from skillbag.lint.checks.host_commands import commands_of, started_by
from skillbag.lint.checks.load_commands import loaded_spans

_KINDS = frozenset({"theft", "foreign-code", "harm"})
"""Kinds of malice for which it matters that nobody is asked."""


def raised_unasked(findings: Iterable[Finding], file: HostFile, signs: Mapping[str, str]) -> Iterator[Finding]:
    """The findings in a file; a warning about a command that the host runs without a question is an error."""
    spans: list[tuple[int, int]] | None = None
    for finding in findings:
        if (
            finding.level is Severity.WARNING
            and signs.get(finding.rule) in _KINDS
            and not isinstance(file.document, DocumentProblem)
        ):
            spans = _spans(file) if spans is None else spans
            at = file.document.offset(finding.line, finding.column)
            if any(start <= at < end for start, end in spans):
                message = f"{finding.message}. The host runs it without a question"
                finding = finding._replace(level=Severity.ERROR, message=message)
        yield finding


def _spans(file: HostFile) -> list[tuple[int, int]]:
    """The places of commands in a file that run by themselves."""
    nodes = [file.node(*(command.keys[:-1] or command.keys)) for command in commands_of(file) if command.is_unasked]
    found = [(node.start, node.end) for node in nodes if node]
    if file.kind == "claude-command" and isinstance(file.text, TextFile):
        found += loaded_spans(file.text)
    return found


def inner_texts(file: HostFile, seen: set[str]) -> Iterator[TextFile]:
    """Prompts of hooks, as prose, and the scripts of the plugin or project that hooks and servers start, each once."""
    if isinstance(file.text, TextFile) and file.text.language == "json" and '"prompt"' in file.text.document.text:
        yield TextFile(file.text.document, file.text.relative, "markdown")
    for command in commands_of(file):
        for _, path in started_by(file, command):
            if path in seen:
                continue
            seen.add(path)
            document = read_document(path, file.root)
            if not isinstance(document, DocumentProblem):
                relative = os.path.relpath(path, file.root).replace(os.sep, "/")
                yield TextFile(document, relative, language_of(relative) or "text")
