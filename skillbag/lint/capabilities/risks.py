"""The risk of each kind of fact, and of its marks: the only such table. `docs/capabilities.md` explains it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from skillbag.lint.capabilities.facts import FactKind, Risk

RISKS: Mapping[FactKind, Risk] = {
    FactKind.DOWNLOAD_RUN: Risk.HIGH,
    FactKind.REMOTE_INSTRUCTIONS: Risk.HIGH,
    FactKind.HOST: Risk.LOW,
    FactKind.UNKNOWN_HOST: Risk.LOW,
    FactKind.PROGRAM: Risk.INFO,
    FactKind.PACKAGE: Risk.LOW,
    FactKind.SECRET_FILE: Risk.LOW,
    FactKind.VARIABLE: Risk.INFO,
    FactKind.WALLET: Risk.MEDIUM,
    FactKind.WRITE_OUTSIDE: Risk.MEDIUM,
    FactKind.RIGHTS: Risk.MEDIUM,
    FactKind.PERSISTENCE: Risk.HIGH,
    FactKind.AGENT_FILE: Risk.INFO,
    FactKind.MCP_SERVER: Risk.MEDIUM,
    FactKind.HOOK: Risk.HIGH,
    FactKind.ALLOWED_TOOL: Risk.INFO,
    FactKind.INPUT: Risk.MEDIUM,
    FactKind.ENCODED_TEXT: Risk.LOW,
    FactKind.OPAQUE_FILE: Risk.INFO,
    FactKind.FINDING: Risk.HIGH,
}
"""The risk of a fact without marks that change it."""

MARKS: Mapping[tuple[FactKind, str], Risk] = {
    (FactKind.HOST, "sends"): Risk.MEDIUM,
    (FactKind.HOST, "public-address"): Risk.HIGH,
    (FactKind.UNKNOWN_HOST, "sends"): Risk.MEDIUM,
    (FactKind.PROGRAM, "shell"): Risk.LOW,
    (FactKind.PROGRAM, "run-time"): Risk.LOW,
    (FactKind.PACKAGE, "global"): Risk.MEDIUM,
    (FactKind.PACKAGE, "foreign"): Risk.MEDIUM,
    (FactKind.SECRET_FILE, "read"): Risk.HIGH,
    (FactKind.VARIABLE, "secret"): Risk.MEDIUM,
    (FactKind.VARIABLE, "all"): Risk.MEDIUM,
    (FactKind.WRITE_OUTSIDE, "system"): Risk.HIGH,
    (FactKind.RIGHTS, "own-file"): Risk.INFO,
    (FactKind.RIGHTS, "everyone"): Risk.HIGH,
    (FactKind.AGENT_FILE, "written"): Risk.MEDIUM,
    (FactKind.AGENT_FILE, "settings-written"): Risk.HIGH,
    (FactKind.ALLOWED_TOOL, "any-command"): Risk.MEDIUM,
    (FactKind.ALLOWED_TOOL, "everything"): Risk.HIGH,
    (FactKind.ENCODED_TEXT, "command"): Risk.HIGH,
    (FactKind.OPAQUE_FILE, "program"): Risk.HIGH,
    (FactKind.OPAQUE_FILE, "archive"): Risk.MEDIUM,
    (FactKind.OPAQUE_FILE, "unknown"): Risk.MEDIUM,
    (FactKind.OPAQUE_FILE, "outside"): Risk.MEDIUM,
}
"""The risk of a fact with such a mark; of several marks the highest counts. Other marks change nothing."""


def risk_of(kind: FactKind, marks: Iterable[str]) -> Risk:
    """The risk of a fact of this kind with these marks."""
    raised = [MARKS[kind, mark] for mark in marks if (kind, mark) in MARKS]
    return max(raised) if raised else RISKS[kind]
