"""`skillbag explain`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence

import click

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.command_support import look_of
from skillbag.doors.cli.options import FILE, json_option
from skillbag.kernel.base.name_lists import did_you_mean
from skillbag.kernel.base.package_data import folder
from skillbag.lint.engine.config import Config, find_config, read_config
from skillbag.lint.engine.planner import all_rules
from skillbag.lint.rules.builtin import load_clauses
from skillbag.lint.rules.general_fix import general_fix
from skillbag.lint.rules.loader import read_folder
from skillbag.lint.rules.model import Rule
from skillbag.lint.rules.pages import reading_lines, render_page
from skillbag.lint.rules.readings import readings_of
from skillbag.report.answers.commands import RuleJson, RulesJson
from skillbag.report.columns import aligned
from skillbag.report.folding import Look, folded, folded_row

_FENCED = re.compile(r"(?ms)(^(`{3,})\w*$.*?^\2$)")
_BROKEN = re.compile(r"(?<=[^\n])\n(?=[^\n#-])")
"""Where a sentence goes on in the next line."""

_EXAMPLES = """\b
Examples:
  skillbag explain catalog-unsorted   a rule, with examples
  skillbag explain links              the rules of a family
  skillbag explain skill.frontmatter  the rules of a clause
  skillbag explain                    all rules
"""


@click.command("explain", cls=CliCommand, epilog=_EXAMPLES)
@click.argument("rule_id", required=False, metavar="[NAME]")
@json_option
@click.option("--config", type=FILE, help="Use this configuration file.")
def command(rule_id: str | None, as_json: bool, config: str | None) -> None:
    """Explain the rule NAME, or list the rules of a family, a clause or an OWASP category (AST01). Without a name, list
    all rules.
    """
    with answering("explain", as_json=as_json) as say:
        path = config or find_config(os.getcwd())
        named = read_config(path) if path else Config(folder="")
        found = _found(rule_id, all_rules(named.rules, named.packs).rules)
        values = RulesJson(tuple(map(_data, found)))
        if as_json or [rule.id for rule in found] != [rule_id]:
            look = look_of(sys.stdout)
            text = "" if as_json else _clauses(rule_id) + _readings(rule_id, look) + _listed(found, look)
            say(CommandOutput(values, text))
            return
        files = (folder("rules"), *named.rules, *_pack_folders(named.packs))
        written = next(file.written for path in files for file in read_folder(path) if file.written.id == rule_id)
        page = render_page(written, found[0], load_clauses())
        say(CommandOutput(values, _folded(page, look_of(sys.stdout)) + "\n"))


def _found(name: str | None, rules: Sequence[Rule]) -> Sequence[Rule]:
    """The rules that a name means; without one all.

    Raises:
        click.UsageError: there are none.
    """
    if name is None:
        return rules
    found = [rule for rule in rules if rule.id == name] or [rule for rule in rules if name in _groups(rule)]
    # A clause of behaviour has no rule: tests of the program hold it.
    if not found and not _clauses(name):
        hint = did_you_mean(name, _names(rules), "`skillbag explain` lists them all")
        raise click.UsageError(f"there is no rule, family or clause {name!r}; {hint}")
    return found


def _names(rules: Iterable[Rule]) -> list[str]:
    """Everything that can be explained; families before rules that are as near."""
    groups = (name for rule in rules for name in _groups(rule) if name)
    clauses = (name for clause in load_clauses() for name in (clause.id, clause.id.partition(".")[0]))
    return list(dict.fromkeys((*groups, *clauses, *(rule.id for rule in rules))))


def _clauses(name: str | None) -> str:
    """The clauses that a name means, with what holds them; empty where it means none."""
    found = [clause for clause in load_clauses() if name in (clause.id, clause.id.partition(".")[0])]
    return "".join(f"{clause.id} ({clause.level}; {', '.join(clause.proved_by)}): {clause.gist}\n" for clause in found)


def _readings(name: str | None, look: Look) -> str:
    """How the standard's text is read where it leaves the clause of this name open."""
    found = readings_of([name] if name else [])
    lines = (line for each in found for line in ("", *reading_lines(each)))
    return "".join(f"{row}\n" for line in lines for row in (folded(line, look, "", "    ") if line else [""]))


def _pack_folders(packs: Iterable[str]) -> list[str]:
    if not packs:
        return []
    from skillbag.lint.rules.packs import RULES, find_pack, parse_pack

    return [os.path.join(find_pack(parse_pack(text)).folder, RULES) for text in packs]


def _groups(rule: Rule) -> tuple[str | None, ...]:
    return (rule.family, rule.clause, (rule.clause or "").partition(".")[0], *rule.owasp)


def _folded(page: str, look: Look) -> str:
    """The page with its sentences as wide as the terminal; examples stay as they are."""
    parts = _FENCED.split(page) if look.width else [page]
    for at in range(0, len(parts), 3) if look.width else ():
        lines = _BROKEN.sub(" ", parts[at]).split("\n")
        parts[at] = "\n".join("\n".join(folded(line, look, "", "  " * line.startswith("- "))) for line in lines)
    del parts[2::3]
    return "".join(parts)


def _listed(rules: Sequence[Rule], look: Look) -> str:
    cells = ((rule.id, rule.level.value if rule.default else "off", rule.summary) for rule in rules)
    by_family: dict[str, list[str]] = {}
    for rule, row in zip(rules, aligned(cells), strict=True):
        by_family.setdefault(rule.family, []).extend(folded_row(row, look, "  ", "    "))
    return "".join(f"\n{family}\n" + "\n".join(lines) + "\n" for family, lines in by_family.items())


def _data(rule: Rule) -> RuleJson:
    # The fields of a rule with these names mean the same.
    values = {name: getattr(rule, name) for name in RuleJson._fields}
    fix = None if rule.fix is None else general_fix(rule.fix)
    plain = rule.plain and rule.plain.level
    return RuleJson(**values | {"fix": fix, "targets": sorted(rule.targets), "plain": plain})
