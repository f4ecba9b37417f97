"""The published schemas of the commands that fill a schema of their own, and of those that share one."""

from __future__ import annotations

from schemas import Command, Family
from skillbag.agents.plugins.install import PluginChange
from skillbag.doors.cli.doctor_facts import DoctorJson
from skillbag.lint.symbols.rename_command import Renamed
from skillbag.report import outcome
from skillbag.report.answers import commands, findings, rules
from skillbag.report.answers.types import MistakeJson

COMMANDS = Family(
    "commands",
    "What the other commands print with `--json`",
    "Version 1 of the contract.",
    (
        Command(("completion",), (commands.CompletionJson,)),
        Command(("explain", "rule"), (commands.RulesJson,)),
        Command(("init", "new"), (commands.SetupJson,)),
        Command(("help",), (commands.HelpJson,)),
        Command(("tool",), (commands.CallJson,), (0, 3)),
        Command(("tool",), (commands.FailedCallJson,), (1, 3)),
        Command(("tool",), (commands.ToolsJson,)),
        Command(("tool",), (commands.DefinitionJson,)),
        Command(("mcp",), (commands.ServedJson,)),
        Command(("plugin", "plugin serve"), (commands.OfferedJson,)),
        Command(("plugin", "plugin serve"), (commands.HookAnswerJson,)),
        Command(("plugin", "plugin serve"), (commands.ServedCallJson,)),
        Command(("plugin install", "plugin uninstall"), (PluginChange,)),
        Command(("personal list",), (commands.PersonalListJson,)),
        Command(("personal restore",), (commands.KeptVersionsJson,)),
        Command(("personal root",), (commands.PersonalRootJson,)),
        Command(("personal add", "personal remove", "personal restore"), (commands.PersonalChangesJson,), (0, 2, 3, 4)),
        Command(("marketplace",), (commands.MarketplaceJson,)),
        Command(("marketplace add", "marketplace remove"), (commands.SourceChangeJson,)),
        Command(("marketplace update",), (commands.UpdatedSourcesJson,), (0, 4)),
        Command(("marketplace list",), (commands.OfferedSkillsJson,)),
        Command(("marketplace install",), (commands.InstalledJson,)),
    ),
    failure=Command((), (MistakeJson,), (1, 2, 3, 4)),
)

_CONTRACT = "Version 1 of the contract."

FINDINGS = Family(
    "findings",
    "What `skillbag check --format json` prints",
    _CONTRACT,
    (Command(("check",), (findings.CheckJson,), (0, 1)),),
    mistakes=(2, 3, 4),
)
RULES = Family(
    "rules",
    "What the commands of `skillbag team rules` print with `--json`",
    _CONTRACT,
    (
        Command(("rules new", "rules new-pack", "rules add"), (rules.WrittenRulesJson,)),
        Command(("rules fetch",), (rules.PacksJson,)),
        Command(("rules test",), (rules.TestedJson,), (0, 1)),
        Command(("rules predicates",), (rules.PredicatesJson,)),
    ),
    failure=Command((), (MistakeJson,), (2, 3, 4)),
)
RENAME = Family(
    "rename",
    "What `skillbag rename --json` prints",
    _CONTRACT,
    (Command(("rename",), (Renamed,)),),
    mistakes=(2, 3, 4),
)
DOCTOR = Family(
    "doctor",
    "What `skillbag doctor --json` prints",
    _CONTRACT,
    (Command(("doctor",), (DoctorJson,), (0, 1)),),
    mistakes=(2,),
)
HOOK = Family(
    "hook",
    "What `skillbag agent hook install` and `skillbag agent hook uninstall` print with `--json`",
    _CONTRACT,
    (Command(("hook install", "hook uninstall"), (commands.HookFileJson,)),),
    mistakes=(2, 3, 4),
)
OUTCOME = Family(
    "outcome",
    "What every command about installed skills prints with `--json`",
    "Version 1 of the contract: install, add, update, remove, list, tree, why, outdated, verify, diff, sync and cache.",
    (Command((), (outcome.OutcomeJson,), (0, 1, 2, 3, 4)),),
    failure=Command((), (MistakeJson,), (0, 1, 2, 3, 4)),
)
