"""`skillbag check ADDRESS`: a source is judged before anything of it is installed, and one sentence says what to do."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from skillbag.doors.cli.check_options import STDIN, CheckOptions, WrongUsageError
from skillbag.doors.cli.fetched import fetched_folder
from skillbag.doors.cli.streams import write
from skillbag.kernel.model.findings import Finding, Severity
from skillbag.kernel.model.result import CheckResult
from skillbag.lint.capabilities.collect import all_facts
from skillbag.lint.capabilities.facts import TAUGHT, FactKind, Risk
from skillbag.supply.sources.address import without_credentials

OF_FOLDERS = "name-folder-mismatch"
"""The rule that an installation cures in plain skills, where it has no clause: the folder gets the declared name."""
_NAMED = 3
"""Programs, packages or hosts that the sentence names."""

_VERBS = {
    FactKind.DOWNLOAD_RUN: "downloads and runs code",
    FactKind.SENT: "sends data away",
    FactKind.REMOTE_INSTRUCTIONS: "takes instructions from the network",
    FactKind.SECRET_FILE: "reads secret files",
    FactKind.WALLET: "names a wallet",
    FactKind.WRITE_OUTSIDE: "writes outside the workspace",
    FactKind.PERSISTENCE: "stays after the session",
    FactKind.AGENT_FILE: "writes files that steer agents",
    FactKind.HOOK: "brings hooks",
    FactKind.MCP_SERVER: "brings MCP servers",
}
_BROUGHT = frozenset([FactKind.HOOK, FactKind.MCP_SERVER])
"""What comes with a plugin from outside its skills; the rest there is for those who work on the source."""
_COUNTED = {FactKind.PROGRAM: ("runs", "program"), FactKind.PACKAGE: ("installs", "package")}


def check_source(options: CheckOptions, address: str, check: Callable[[CheckOptions], int]) -> int:
    """Fetch the source and `check` it, without its own configuration and without what its comments excuse.

    Raises:
        WrongUsageError: the options write, or there are other paths.
        UserError, OSError: as `fetched_folder` and `check`.
    """
    name = without_credentials(address)
    if len(options.paths) > 1:
        raise WrongUsageError(f"{name} is fetched first: check it alone, and the other paths in a run of their own.")
    changing = {
        "--fix": options.fix,
        "--watch": options.watch,
        "--staged": options.staged,
        "--format diff": options.diff,
    }
    if wrong := next((name for name, given in changing.items() if given or options.changed_since), None):
        raise WrongUsageError(f"{name} is fetched, and deleted after the check: {wrong} has nothing to do there.")
    # The source becomes the current folder.
    options = options._replace(
        output=_absolute(options.output),
        also=tuple((form, os.path.abspath(path)) for form, path in options.also),
        baseline=_absolute(options.baseline),
        write_baseline=_absolute(options.write_baseline),
        config=_absolute(options.config),
        cache=False,
        source=name,
    )
    with fetched_folder(address, quiet=options.quiet) as folder:
        return check(options._replace(paths=(folder,), root=folder))


def _absolute(path: str | None) -> str | None:
    return os.path.abspath(path) if path and path != STDIN else path


def say_verdict(result: CheckResult, address: str) -> None:
    """One sentence that answers whether the skills of the source may be installed."""
    write(f"{verdict(result, address, os.getcwd())}\n", sys.stdout)


def verdict(result: CheckResult, address: str, folder: str) -> str:
    """One sentence: whether the skills in the absolute `folder` may be installed, by what their check found."""
    signs = [finding for finding in result.findings if _is_sign(finding, result)]
    errors = [finding for finding in result.findings if finding.level is Severity.ERROR]
    kinds = len({finding.rule for finding in signs})
    if any(finding in signs for finding in errors):
        kind = f" of {kinds} different kinds" if kinds > 1 else ""
        unless = "" if kinds > 1 else ", unless you have read the place and it is a mistake"
        return f"{address}: {len(signs)} sign{'s' * (len(signs) > 1)} of malware{kind}: do not install it{unless}."
    does = _what_it_does(folder)
    what = f"it {does}" if does else "it runs nothing and contacts nobody"
    safe = f"{len(signs)} warnings about security: read them first" if signs else "no signs of malware"
    refused = ""
    if number := sum(finding.rule != OF_FOLDERS or bool(finding.clause) for finding in errors):
        refused = f" {number} error{'s' * (number > 1)}: skillbag add refuses the skills that have them."
    return f"{address}: {safe}; {what}.{refused}"


def _listed(parts: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def _is_sign(finding: Finding, result: CheckResult) -> bool:
    families = {rule.id: rule.family for rule in result.rules}
    return families.get(finding.rule) == "security" and finding.level in (Severity.ERROR, Severity.WARNING)


def _what_it_does(folder: str) -> str:
    """What the skills in a folder can do, in a few words. What is only named or taught is of less than medium risk."""
    facts = [
        fact
        for target in all_facts([folder])
        for skill, fact in target.facts
        if (skill.is_skill or fact.kind in _BROUGHT)
        and (fact.risk >= Risk.MEDIUM or (fact.kind not in _VERBS and TAUGHT not in fact.marks))
    ]
    found = {fact.kind for fact in facts}
    parts = [verb for kind, verb in _VERBS.items() if kind in found]
    for kind, (verb, noun) in _COUNTED.items():
        names = sorted({fact.value for fact in facts if fact.kind is kind})
        if names:
            parts.append(f"{verb} {_listed(names) if len(names) <= _NAMED else f'{len(names)} {noun}s'}")
    hosts = len({fact.value for fact in facts if fact.kind is FactKind.HOST})
    contacted = [f"{hosts} host{'s' * (hosts > 1)}"] * bool(hosts)
    contacted += ["hosts known at run time only"] * (FactKind.UNKNOWN_HOST in found)
    if contacted:
        parts.append(f"contacts {' and '.join(contacted)}")
    return _listed(parts)
