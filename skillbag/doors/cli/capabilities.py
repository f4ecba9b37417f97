"""`skillbag capabilities`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import click

from skillbag import DOCUMENTATION
from skillbag.doors.cli.address_paths import address_among
from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering, json_text
from skillbag.doors.cli.messages import message
from skillbag.doors.cli.options import FILE, combined, deny_option, json_option
from skillbag.doors.cli.streams import write_report
from skillbag.kernel.base.errors import MissingExtraError, UserError
from skillbag.kernel.base.extras import missing
from skillbag.lint.capabilities.facts import FactKind
from skillbag.report.capabilities.values import TITLES, CapabilitiesJson, title_of, under_one_root
from skillbag.report.sanitize import shown

if TYPE_CHECKING:
    from skillbag.lint.capabilities.changes import CapabilityLimits
    from skillbag.lint.capabilities.facts import Fact, SkillFacts, TargetFacts

    Denied: TypeAlias = list[tuple[SkillFacts, str, tuple[Fact, ...]]]

_EXAMPLES = f"""\b
Examples:
  skillbag capabilities                          the skills of this workspace
  skillbag capabilities skills/pdf --json
  skillbag capabilities Org/skills               a source, before it is installed
  skillbag capabilities --format markdown -o capabilities.md
  skillbag capabilities --format cyclonedx -o bom.json
  skillbag capabilities --deny high --deny hook  for CI: exit with 1 if there is such a fact
  skillbag capabilities team/* --deny network    which skills of many repositories reach the network

\b
Exit codes: 0 done, 1 a fact is denied, 2 bad usage or no skill found, 4 the
environment failed, or the extra sbom is not installed.

What each fact means, and what a static reader can't see:
{DOCUMENTATION}/capabilities.md
"""
_FORMATS = ("text", "json", "markdown", "cyclonedx")


@click.command("capabilities", cls=CliCommand, epilog=_EXAMPLES)
@combined(
    click.argument("paths", nargs=-1, metavar="[PATH|ADDRESS]..."),
    click.option(
        "--format",
        "form",
        type=click.Choice(_FORMATS),
        help="The format of the report; cyclonedx needs the extra sbom.  [default: text]",
    ),
    click.option("--output", "-o", type=FILE, metavar="FILE", help="Write the report to this file."),
    deny_option,
    json_option,
)
def command(paths: tuple[str, ...], form: str | None, output: str | None, deny: tuple[str, ...], as_json: bool) -> None:
    """Show what skills can do, with file and line: hosts contacted, programs run, packages installed, secret files and
    variables read, writes outside the workspace, hooks, and more; and what they declare against what they do.

    Nothing is run, and a fact is no accusation.
    """
    if as_json and form not in (None, "json"):
        raise UserError(f"--json and --format {form} contradict each other: give one of them")
    as_json = as_json or form == "json"
    with answering("capabilities", as_json=as_json and output is None) as say:
        from skillbag.lint.capabilities.changes import limits_of

        targets = _targets(paths, quiet=as_json)
        targets = targets if as_json else under_one_root(targets)
        denied = _denied_skills(targets, limits_of(deny)) if deny else []
        code, errors = (1, _denied(denied, deny)) if denied else (0, "")
        if as_json and output is None:
            say(_values(targets, denied, code))
            return
        text = _renderer("json" if as_json else form or "text", output)(targets, denied, code)
        if output is not None:
            write_report(output, text)
            text = ""
        say(CommandOutput((), text, code, errors))


def _targets(paths: Sequence[str], *, quiet: bool) -> list[TargetFacts]:
    if (address := address_among(paths)) is None:
        return _facts(paths)
    if len(paths) > 1:
        raise UserError("a source is fetched first: read it alone, and the other paths in a run of their own")
    from skillbag.doors.cli.fetched import fetched_folder

    with fetched_folder(address, quiet=quiet) as folder:
        # Its folder is gone afterwards: what tells its skills apart is where they are in the source.
        return [target._replace(root=folder) for target in _facts([folder])]


def _facts(paths: Sequence[str]) -> list[TargetFacts]:
    from skillbag.kernel.workspace.discovery import NothingToCheckError
    from skillbag.lint.capabilities.collect import all_facts

    targets = all_facts([os.path.abspath(path) for path in paths or (".",)])
    if not any(target.skills for target in targets):
        raise NothingToCheckError("there is no skill here and no plugin, so there are no facts")
    return targets


def _denied_skills(targets: Sequence[TargetFacts], limits: CapabilityLimits) -> Denied:
    from skillbag.lint.capabilities.denied import denied_facts

    skills = ((skill, target.root) for target in targets for skill in target.skills)
    return [(skill, root, facts) for skill, root in skills if (facts := denied_facts(limits, skill))]


def _denied(denied: Denied, deny: Sequence[str]) -> str:
    """How much is denied, by skill, and the findings one by one: the report has the facts only."""
    count = sum(len(facts) for *_, facts in denied)
    lines = [f"{count} fact{'s are' if count != 1 else ' is'} denied by --deny {' --deny '.join(deny)}:"]
    for skill, root, facts in denied:
        title = title_of(skill, root)
        kinds = dict.fromkeys(TITLES[fact.kind.value] for fact in facts if fact.kind is not FactKind.FINDING)
        lines += [shown(f"{title}: {', '.join(kinds)}")] * bool(kinds)
        for fact in facts:
            if fact.kind is FactKind.FINDING:
                lines.append(f"{shown(f'{title}/{fact.places[0]}')}: check finds {fact.value}: {shown(fact.detail)}")
    return message("error", "\n  ".join(lines))


def _renderer(form: str, output: str | None) -> Callable[[Sequence[TargetFacts], Denied, int], str]:
    if form == "cyclonedx":
        return _cyclonedx
    return {"json": _json, "markdown": _markdown, "text": _text if output is None else _plain}[form]


def _values(targets: Sequence[TargetFacts], denied: Denied, code: int) -> CommandOutput:
    return CommandOutput(CapabilitiesJson.of(targets, denied), "", code)


def _json(targets: Sequence[TargetFacts], denied: Denied, code: int) -> str:
    return json_text("capabilities", _values(targets, denied, code))


def _markdown(targets: Sequence[TargetFacts], _: Denied, _code: int) -> str:
    from skillbag.report.capabilities.markdown import render

    return render(targets)


def _text(targets: Sequence[TargetFacts], _: Denied, _code: int) -> str:
    from skillbag.doors.cli.command_support import look_of
    from skillbag.report.capabilities.text import render

    return render(targets, look_of(sys.stdout))


def _plain(targets: Sequence[TargetFacts], _: Denied, _code: int) -> str:
    from skillbag.report.capabilities.text import render

    return render(targets)


def _cyclonedx(targets: Sequence[TargetFacts], _: Denied, _code: int) -> str:
    try:
        from skillbag.report.capabilities.cyclonedx import render
    except ImportError as error:
        raise MissingExtraError(missing("cyclonedx-python-lib", "--format cyclonedx", "sbom")) from error
    return render(targets)
