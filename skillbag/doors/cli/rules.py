"""`skillbag team rules`: a team's own rules and rule packs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from skillbag.doors.cli import person
from skillbag.doors.cli.answers import CliGroup, CommandOutput, answering
from skillbag.doors.cli.exit_codes import EXIT_QUESTION
from skillbag.doors.cli.messages import message
from skillbag.doors.cli.options import FILE, dry_run_option, json_option, offline_option
from skillbag.doors.cli.outputs import check_plan
from skillbag.doors.cli.progress import Progress, progress
from skillbag.doors.cli.streams import write
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.json_records import ABSENT, Absent
from skillbag.kernel.base.name_lists import did_you_mean
from skillbag.lint.checks.lazy_predicate import all_predicates
from skillbag.lint.checks.predicate import Predicate
from skillbag.lint.engine.config import Config, find_config, read_config
from skillbag.report.answers.commands import SetupFileJson
from skillbag.report.answers.rules import (
    PackJson,
    PacksJson,
    PredicateJson,
    PredicatesJson,
    TestedJson,
    WrittenRulesJson,
)
from skillbag.report.answers.types import MistakeJson
from skillbag.report.columns import table
from skillbag.report.sanitize import shown, shown_page

if TYPE_CHECKING:
    from skillbag.lint.rules.model import Rule
    from skillbag.supply.bootstrap.plan import SetupPlan
    from skillbag.supply.rule_packs.examples import ExampleResult
    from skillbag.supply.rule_packs.fetch import FetchedPack
    from skillbag.supply.sources.fetch import Fetcher

_EXAMPLES = """\b
Examples:
  skillbag team rules new no-simply --like text-forbidden    a rule with a generic predicate, for your folder of rules
  skillbag team rules new body-short --like body-too-long    a rule like one of ours
  skillbag team rules new-pack house-rules                   a pack, for rules with code of their own
  skillbag team rules test                                   run the examples of your rules
  skillbag team rules add house-rules==1.0.0                 use a pack that is installed beside skillbag
  skillbag team rules add https://example.com/Org/rules.git  use one from git, pinned to a commit

\b
The configuration names folders of rules (`rules`) and pinned packs (`packs`). A check uses these and fetches nothing.
Exit codes: 0 done, 1 an example fails, 2 bad usage, 3 a question must be answered first, 4 the environment failed.
"""
_config_option = click.option("--config", type=FILE, help="Use this configuration file.")


@click.group("rules", cls=CliGroup, epilog=_EXAMPLES)
def command() -> None:
    """Write and test rules of your own, and use packs of rules."""


@command.command(
    "new", epilog="\b\nExamples:\n  skillbag team rules new body-short --like body-too-long --folder team-rules"
)
@click.argument("name", metavar="ID")
@click.option("--like", metavar="NAME", help="Start from this rule, or from the example of a generic predicate.")
@click.option(
    "--folder", metavar="DIR", help="A folder of rules, or a pack.  [default: the configuration's, or team-rules]"
)
@dry_run_option
@json_option
def new(name: str, like: str | None, folder: str | None, dry_run: bool, as_json: bool) -> None:
    """Write the rule ID, whose examples pass, to start from.

    Without --like it gets a predicate of its own, which only a pack can hold.
    """
    from skillbag.supply.rule_packs.new import plan_rule

    with answering("rules new", as_json=as_json) as say:
        config, here = _config(None), os.getcwd()
        where = folder or (os.path.relpath(config.rules[0], here) if config.rules else "team-rules")
        plan = plan_rule(here, name, _relative(where, here), _rule_like(like))
        next_ = [f"skillbag team rules test {where}"]
        if folder is None and not config.rules:
            next_.insert(0, f"write `rules = [{where!r}]` into skillbag.toml".replace("'", '"'))
        say(_carried_out(plan, dry_run, next_))


@command.command("new-pack", epilog="\b\nExamples:\n  skillbag team rules new-pack house-rules")
@click.argument("name")
@dry_run_option
@json_option
def new_pack(name: str, dry_run: bool, as_json: bool) -> None:
    """Write a pack into the new folder NAME: a Python distribution with a rule that has code of its own."""
    from skillbag.supply.rule_packs.new import plan_pack

    with answering("rules new-pack", as_json=as_json) as say:
        say(_carried_out(plan_pack(os.getcwd(), name), dry_run, [f"skillbag team rules test {name}"]))


@command.command(
    "test", epilog="\b\nExamples:\n  skillbag team rules test\n  skillbag team rules test team-rules house-rules"
)
@click.argument("paths", nargs=-1, type=click.Path(exists=True, file_okay=False), metavar="[FOLDER]...")
@_config_option
@json_option
def test(paths: tuple[str, ...], config: str | None, as_json: bool) -> None:
    """Run the examples of the rules in folders and packs; by default of those that the configuration names.

    This runs the code of packs: on a terminal, or with SKILLBAG_ALLOW_CODE=1 in the environment.
    """
    from skillbag.supply.rule_packs.examples import configured_rules, named_rules, packs_with_code, run_examples

    with answering("rules test", as_json=as_json) as say:
        for folder in packs_with_code(paths):
            person.check_code(f"running the code of the pack {shown(folder)}")
        pairs = named_rules(paths) if paths else configured_rules(_config(config))
        results = [result for file, rule in pairs for result in run_examples(rule, file.written.examples)]
        failed = sum(bool(result.faults) for result in results)
        values = TestedJson(tuple(results), len(pairs), failed)
        say(CommandOutput(values, _results_text(results, len(pairs), failed), 1 if failed else 0))


@command.command("add", epilog="\b\nExamples:\n  skillbag team rules add https://example.com/Org/rules.git@v1.2")
@click.argument("pack")
@click.option("--yes", is_flag=True, help="Allow the pack's code without a question.")
@_config_option
@dry_run_option
@json_option
def add(pack: str, yes: bool, config: str | None, dry_run: bool, as_json: bool) -> None:
    """Pin PACK in the configuration, and fetch it.

    PACK is NAME==VERSION of an installed distribution, or ADDRESS[@VERSION][#subdirectory=PATH] of a git repository.
    """
    from skillbag.lint.rules.packs import find_pack
    from skillbag.supply.rule_packs.fetch import fetch_pack, pin
    from skillbag.supply.rule_packs.pinning import plan_pin

    with answering("rules add", as_json=as_json) as say:
        here = os.getcwd()
        with _fetching(yes, as_json) as (fetcher, consent):
            reference = pin(pack, fetcher, here)
            plan = plan_pin(here, config or find_config(here), reference)
            is_here = dry_run or not reference.address or fetch_pack(reference, fetcher, consent, here)
        if not is_here:
            say(_declined(consent.refusal))
            return
        if not dry_run:
            find_pack(reference)
        say(_carried_out(plan, dry_run, ["skillbag check"], reference.text))


@command.command(
    "fetch",
    epilog="\b\nExamples:\n  skillbag team rules fetch\n  skillbag team rules fetch --yes   with SKILLBAG_ALLOW_CODE=1",
)
@click.option("--yes", is_flag=True, help="Allow the code of packs without a question.")
@_config_option
@offline_option
@json_option
def fetch(yes: bool, config: str | None, offline: bool, as_json: bool) -> None:
    """Fetch the packs from git that the configuration names, at their pinned commits.

    Their code runs with your rights in each check from then on, so you are asked first.
    """
    from skillbag.lint.rules.packs import find_pack, parse_pack
    from skillbag.supply.rule_packs.fetch import fetch_pack

    with answering("rules fetch", as_json=as_json) as say:
        named = _config(config)
        references = [parse_pack(text) for text in named.packs]
        from_git = [each for each in references if each.address]
        with _fetching(yes, as_json, offline=offline) as (fetcher, consent):
            is_here = all(fetch_pack(each, fetcher, consent, named.folder) for each in from_git)
        if not is_here:
            say(_declined(consent.refusal))
            return
        packs = tuple(PackJson(each.text, find_pack(each).folder) for each in references)
        lines = [f"{shown(each.pack)}: {shown(each.folder)}\n" for each in packs]
        say(CommandOutput(PacksJson(packs), "".join(lines) or "The configuration names no packs.\n"))


@command.command("predicates", epilog="\b\nExamples:\n  skillbag team rules predicates link")
@click.argument("word", required=False)
@json_option
def predicates(word: str | None, as_json: bool) -> None:
    """List the predicates that a rule can name in `check:`, with their options; with WORD those whose names have it.

    Those for rules of your own come first. https://example.com/OWNER/NAME/blob/main/docs/own-rules.md explains them.
    """
    with answering("rules predicates", as_json=as_json) as say:
        from skillbag.supply.rule_packs.new import generic_predicates

        generic = generic_predicates()
        found = [each for name, each in sorted(all_predicates().items()) if (word or "") in name]
        found.sort(key=lambda each: each.name not in generic)
        if not found:
            raise UserError(f"no predicate has {word!r} in its name; `skillbag team rules predicates` lists them all")
        rows = tuple(map(_shown, found))
        cells = [(row.name, ", ".join(row.options), row.about) for row in rows]
        say(CommandOutput(PredicatesJson(rows), "".join(f"{line}\n" for line in table(cells))))


def _shown(predicate: Predicate) -> PredicateJson:
    options = {key.replace("_", "-"): value for key, value in predicate.options._field_defaults.items()}
    about = " ".join((predicate.check.__doc__ or "").split())
    return PredicateJson(predicate.name, predicate.subject, predicate.values, options, about)


def _config(path: str | None) -> Config:
    path = path or find_config(os.getcwd())
    return read_config(os.path.abspath(path)) if path else Config(folder=os.getcwd())


def _relative(folder: str, here: str) -> str:
    relative = os.path.relpath(os.path.abspath(folder), here).replace(os.sep, "/")
    if relative.startswith("../"):
        raise UserError(f"--folder {folder}: it is not below this folder; run the command in the folder above it")
    return "" if relative == "." else relative


def _rule_like(name: str | None) -> Rule | str | None:
    from skillbag.lint.engine.planner import all_rules
    from skillbag.supply.rule_packs.new import generic_predicates

    if name is None or name in generic_predicates():
        return name
    rules = {rule.id: rule for rule in all_rules(()).rules}
    if name not in rules:
        hint = did_you_mean(name, [*rules, *generic_predicates()], "`skillbag explain` lists the rules")
        raise UserError(f"--like {name}: there is no rule or generic predicate of this name; {hint}")
    return rules[name]


def _results_text(results: Sequence[ExampleResult], rules: int, failed: int) -> str:
    lines = []
    for result in results:
        lines += [f"{result.rule}: {result.kind} example {result.number}: {shown(fault)}" for fault in result.faults]
    outcome = f"{failed} of {len(results)} examples fail" if failed else f"{len(results)} examples pass"
    return "".join(f"{line}\n" for line in [*lines, f"{rules} rule{'s' * (rules != 1)}: {outcome}."])


def _carried_out(plan: SetupPlan, dry_run: bool, next_: Sequence[str], pack: str | Absent = ABSENT) -> CommandOutput:
    from skillbag.supply.bootstrap.plan import apply

    if plan.changes and not dry_run:
        check_plan(plan)
        apply(plan)
    files = tuple(SetupFileJson(action.act, action.path, action.why) for action in plan.actions)
    end = "Nothing was written: this was a dry run." if dry_run else f"Next: {', then '.join(next_)}"
    text = shown_page(str(plan)).rstrip("\n") + f"\n{end}\n"
    return CommandOutput(WrittenRulesJson(plan.root, files, dry_run, tuple(next_), pack), text)


class _Consent:
    """Asks whether the code of a pack may run, where somebody can answer."""

    def __init__(self, under_way: Progress, *, yes: bool, can_ask: bool) -> None:
        self._under_way, self._yes, self._can_ask = under_way, yes, can_ask
        self.refusal = ""
        """Why the code may not run, once that is so."""

    def __call__(self, pack: FetchedPack) -> bool:
        name = shown(pack.reference.text)
        files = ", ".join(shown(os.path.join(pack.root, path)) for path in pack.code)
        if self._yes or not self._can_ask:
            person.check_code(f"allowing the code of {name} ({files}), which then runs in each check")
        if self._yes:
            return True
        if not self._can_ask:
            self.refusal = f"the code of {name} is not allowed yet: read {files}, then add --yes; nothing was written"
            return False
        code = "".join(f"  {shown(os.path.join(pack.root, path))}\n" for path in pack.code)
        with self._under_way.paused():
            write(message("warning", f"{name} has code that runs with your rights in each check:") + code, sys.stderr)
            answer = click.confirm("Allow it?", err=True)
        self.refusal = "" if answer else f"the code of {name} may not run; nothing was written"
        return answer


@contextmanager
def _fetching(yes: bool, as_json: bool, *, offline: bool = False) -> Iterator[tuple[Fetcher, _Consent]]:
    from skillbag.supply.sources.fetch import Fetcher

    with progress(as_json) as under_way:
        fetcher = Fetcher(offline=offline, progress=under_way.tell)
        try:
            yield fetcher, _Consent(under_way, yes=yes, can_ask=not as_json and person.is_present())
        finally:
            fetcher.close()


def _declined(sentence: str) -> CommandOutput:
    return CommandOutput(MistakeJson(sentence), "", EXIT_QUESTION, message("question", sentence))
