"""The published schemas of what commands print: which records each command prints, and with which exit codes."""

from __future__ import annotations

from schema_commands import COMMANDS, DOCTOR, FINDINGS, HOOK, OUTCOME, RENAME, RULES
from schema_runtime import RUNTIME

from schemas import Command, Family
from skillbag.fleet.conformance import kit
from skillbag.report.answers import entry, inputs, memory, order, refresh, registry, runs, turn
from skillbag.report.capabilities.values import CapabilitiesJson
from skillbag.supply.links.machine import AgentList
from skillbag.supply.links.outcome import LinkOutcome

FAMILIES = (
    Family(
        "lifecycle",
        "What every command of the lifecycle prints with `--json`",
        "Version 1 of the contract: enter, turn, resolve, run, order, winner, refresh, remember and forget.",
        (
            Command(("enter",), (entry.EntryJson, order.OrderJson, entry.EntryRestJson), (0, 3)),
            Command(("resolve",), (inputs.ResolveJson,), (0, 3)),
            Command(("run",), (runs.InvocationJson, refresh.SessionPartJson), (0, 3)),
            Command(("order",), (order.OrderJson, order.ProhibitedJson, refresh.SessionPartJson), (0, 3)),
            Command(("turn",), (refresh.RefreshJson, order.OrderJson, turn.TurnPartJson), (0, 3)),
            Command(("winner",), (order.WinnerJson,), (0, 3)),
            Command(("refresh",), (refresh.RefreshJson,)),
            Command(("remember", "forget"), (memory.RememberedJson,)),
        ),
        trace=True,
    ),
    Family(
        "links",
        "What `skillbag agent link` and `skillbag agent unlink` print with `--json`",
        "Version 1 of the contract.",
        (
            Command(("link", "unlink"), (LinkOutcome,), (0, 1)),
            Command(("link",), (AgentList,)),
        ),
    ),
    Family(
        "registry",
        "What the commands about registries print with `--json`",
        "Version 1 of the contract: registry publish, registry serve, search and marketplace show.",
        (
            Command(("registry publish",), (registry.PublishJson,)),
            Command(("registry serve",), (registry.ServeJson,)),
            Command(("search",), (registry.SearchJson,)),
            Command(("marketplace show",), (registry.PublishedJson,)),
        ),
        mistakes=(2, 3, 4),
    ),
    RUNTIME,
    Family(
        "capabilities",
        "What `skillbag capabilities --json` prints",
        "Version 1 of the contract.",
        (Command(("capabilities",), (CapabilitiesJson,), (0, 1)),),
        mistakes=(2, 3, 4),
    ),
    Family(
        "conformance-report",
        "What `skillbag team conformance --json` prints",
        "Version 1 of the contract: a report, the list of cases with `--list`, or an error.",
        (
            Command(("conformance",), (kit.Report,), (0, 1)),
            Command(("conformance",), (kit.CaseList,)),
        ),
        mistakes=(2, 3, 4),
    ),
    COMMANDS,
    RULES,
    RENAME,
    DOCTOR,
    FINDINGS,
    HOOK,
    OUTCOME,
)
