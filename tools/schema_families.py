"""The published schemas of what commands print: which records each command prints, and with which exit codes."""

from __future__ import annotations

from schema_commands import COMMANDS, DOCTOR, RENAME, RULES
from schema_runtime import RUNTIME

from schemas import Command, Family
from skillbag.report import conformance
from skillbag.report.answers import entry, inputs, memory, order, refresh, runs

FAMILIES = (
    Family(
        "lifecycle",
        "What every command of the lifecycle prints with `--json`",
        "Version 1 of the contract: enter, resolve, run, order, winner, refresh, remember and forget.",
        (
            Command(("enter",), (entry.EntryJson, order.OrderJson, entry.EntryRestJson), (0, 3)),
            Command(("resolve",), (inputs.ResolveJson,), (0, 3)),
            Command(("run",), (runs.InvocationJson, refresh.SessionPartJson), (0, 3)),
            Command(("order",), (order.OrderJson, order.ProhibitedJson, refresh.SessionPartJson), (0, 3)),
            Command(("winner",), (order.WinnerJson,), (0, 3)),
            Command(("refresh",), (refresh.RefreshJson,)),
            Command(("remember", "forget"), (memory.RememberedJson,)),
        ),
        trace=True,
    ),
    RUNTIME,
    Family(
        "conformance-report",
        "What `skillbag conformance --json` prints",
        "Version 1 of the contract: a report, the list of cases with `--list`, or an error.",
        (
            Command(("conformance",), (conformance.ConformanceReportJson,), (0, 1)),
            Command(("conformance",), (conformance.CaseListJson,)),
        ),
        mistakes=(2, 3, 4),
    ),
    COMMANDS,
    RULES,
    RENAME,
    DOCTOR,
)
