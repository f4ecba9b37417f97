"""The risk of each kind of fact, and of its marks: the only such table. `docs/capabilities.md` explains it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from skillbag.lint.capabilities.facts import Kind, Risk

RISKS: Mapping[Kind, Risk] = {
    Kind.DOWNLOAD_RUN: Risk.HIGH,
    Kind.REMOTE_INSTRUCTIONS: Risk.HIGH,
    Kind.HOST: Risk.LOW,
    Kind.UNKNOWN_HOST: Risk.LOW,
    Kind.PROGRAM: Risk.INFO,
    Kind.PACKAGE: Risk.LOW,
    Kind.SECRET_FILE: Risk.LOW,
    Kind.VARIABLE: Risk.INFO,
    Kind.WALLET: Risk.MEDIUM,
    Kind.WRITE_OUTSIDE: Risk.MEDIUM,
    Kind.RIGHTS: Risk.MEDIUM,
    Kind.PERSISTENCE: Risk.HIGH,
    Kind.AGENT_FILE: Risk.INFO,
    Kind.MCP_SERVER: Risk.MEDIUM,
    Kind.HOOK: Risk.HIGH,
    Kind.ALLOWED_TOOL: Risk.INFO,
    Kind.INPUT: Risk.MEDIUM,
    Kind.ENCODED_TEXT: Risk.LOW,
    Kind.OPAQUE_FILE: Risk.INFO,
    Kind.FINDING: Risk.HIGH,
}
"""The risk of a fact without marks that change it."""

MARKS: Mapping[tuple[Kind, str], Risk] = {
    (Kind.HOST, "sends"): Risk.MEDIUM,
    (Kind.HOST, "public-address"): Risk.HIGH,
    (Kind.UNKNOWN_HOST, "sends"): Risk.MEDIUM,
    (Kind.PROGRAM, "shell"): Risk.LOW,
    (Kind.PROGRAM, "run-time"): Risk.LOW,
    (Kind.PACKAGE, "global"): Risk.MEDIUM,
    (Kind.PACKAGE, "foreign"): Risk.MEDIUM,
    (Kind.SECRET_FILE, "read"): Risk.HIGH,
    (Kind.VARIABLE, "secret"): Risk.MEDIUM,
    (Kind.VARIABLE, "all"): Risk.MEDIUM,
    (Kind.WRITE_OUTSIDE, "system"): Risk.HIGH,
    (Kind.RIGHTS, "own-file"): Risk.INFO,
    (Kind.RIGHTS, "everyone"): Risk.HIGH,
    (Kind.AGENT_FILE, "written"): Risk.MEDIUM,
    (Kind.AGENT_FILE, "settings-written"): Risk.HIGH,
    (Kind.ALLOWED_TOOL, "any-command"): Risk.MEDIUM,
    (Kind.ALLOWED_TOOL, "everything"): Risk.HIGH,
    (Kind.ENCODED_TEXT, "command"): Risk.HIGH,
    (Kind.OPAQUE_FILE, "program"): Risk.HIGH,
    (Kind.OPAQUE_FILE, "archive"): Risk.MEDIUM,
    (Kind.OPAQUE_FILE, "unknown"): Risk.MEDIUM,
    (Kind.OPAQUE_FILE, "outside"): Risk.MEDIUM,
}
"""The risk of a fact with such a mark; of several marks the highest counts. Other marks change nothing."""


def risk_of(kind: Kind, marks: Iterable[str]) -> Risk:
    """The risk of a fact of this kind with these marks."""
    raised = [MARKS[kind, mark] for mark in marks if (kind, mark) in MARKS]
    return max(raised) if raised else RISKS[kind]
