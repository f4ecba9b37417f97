"""The published schemas of what commands print: which records each command prints, and with which exit codes."""

from __future__ import annotations

from schemas import Command, Family
from skillbag.report.answers import lifecycle as life

FAMILIES = (
    Family(
        "lifecycle",
        "What every command of the lifecycle prints with `--json`",
        "Version 1 of the contract: enter, resolve, run, order, winner, refresh, remember and forget.",
        (
            Command(("enter",), (life.EntryJson, life.OrderJson, life.EntryRestJson), (0, 3)),
            Command(("resolve",), (life.ResolveJson,), (0, 3)),
            Command(("run",), (life.InvocationJson, life.SessionPartJson), (0, 3)),
            Command(("order",), (life.OrderJson, life.ProhibitedJson, life.SessionPartJson), (0, 3)),
            Command(("winner",), (life.WinnerJson,), (0, 3)),
            Command(("refresh",), (life.RefreshJson,)),
            Command(("remember", "forget"), (life.RememberedJson,)),
        ),
        trace=True,
    ),
)
