"""`skillbag explain`, and its other name `skillbag rule`."""

from __future__ import annotations

import difflib
import json
import os
import sys
from collections.abc import Iterable, Sequence

import click

from skillbag.base.package_data import folder
from skillbag.cli.answers import Command
from skillbag.cli.options import combined, json_option
from skillbag.cli.streams import write
from skillbag.engine.config import Config, find_config, read_config
from skillbag.engine.planner import all_rules
from skillbag.report.columns import table
from skillbag.rules.loader import read_folder
from skillbag.rules.model import Rule, load_clauses
from skillbag.rules.pages import render_page

_EXPLAIN = """\
Explain the rule NAME, or list the rules of a family, a clause or an OWASP category (AST01). Without a name, list all
rules.
"""
_EXAMPLES = """\b
Examples:
  skillbag {command} catalog-unsorted  a rule, with examples
  skillbag {command} links             the rules of a family
  skillbag {command} skill.name        the rules of a clause
  skillbag {command}                   all rules
"""
_parameters = combined(
    click.argument("rule_id", required=False, metavar="[NAME]"),
    json_option,
    click.option("--config", type=click.Path(dir_okay=False), help="Use this configuration file."),
)


def _explain(rule_id: str | None, as_json: bool, config: str | None) -> None:
    path = config or find_config(os.getcwd())
    named = read_config(path) if path else Config(folder="")
    folders, packs = named.rules, named.packs
    rules = all_rules(folders, packs).rules
    if rule_id is None:
        _list(rules, as_json)
        return
    rule = next((rule for rule in rules if rule.id == rule_id), None)
    several = [rule for rule in rules if rule_id in _groups(rule)]
    if rule is None and several:
        _list(several, as_json)
        return
    if rule is None:
        close = difflib.get_close_matches(rule_id, [rule.id for rule in rules], 1)
        hint = f" Did you mean {close[0]!r}?" if close else " `skillbag explain` lists them all."
        raise click.UsageError(f"there is no rule {rule_id!r}.{hint}")
    files = (folder("rules"), *folders, *_pack_folders(packs))
    write(f"{json.dumps(_data(rule), indent=1) if as_json else page(rule, files)}\n", sys.stdout)


def _pack_folders(packs: Iterable[str]) -> list[str]:
    if not packs:
        return []
    from skillbag.rules.packs import RULES, find_pack, parse_pack

    return [os.path.join(find_pack(parse_pack(text)).folder, RULES) for text in packs]


explain = click.command("explain", cls=Command, help=_EXPLAIN, epilog=_EXAMPLES.format(command="explain"))(
    _parameters(_explain)
)
command = click.command(
    "rule", cls=Command, help=f"{_EXPLAIN}\nAnother name for explain.", epilog=_EXAMPLES.format(command="rule")
)(_parameters(_explain))


def _groups(rule: Rule) -> tuple[str | None, ...]:
    return (rule.family, rule.clause, (rule.clause or "").partition(".")[0], *rule.owasp)


def _list(rules: Sequence[Rule], as_json: bool) -> None:
    if as_json:
        write(json.dumps([_data(rule) for rule in rules], indent=1) + "\n", sys.stdout)
        return
    cells = ((rule.id, rule.level.value if rule.default else "off", rule.summary) for rule in rules)
    by_family: dict[str, list[str]] = {}
    for rule, line in zip(rules, table(cells, indent="  "), strict=True):
        by_family.setdefault(rule.family, []).append(line)
    write("".join(f"\n{family}\n" + "\n".join(lines) + "\n" for family, lines in by_family.items()), sys.stdout)


def _data(rule: Rule) -> dict[str, object]:
    names = ("id", "family", "clause", "level", "raised", "default", "heuristic", "owasp", "once")
    texts = ("summary", "message", "fix", "why")
    return {**{name: getattr(rule, name) for name in (*names, *texts)}, "targets": sorted(rule.targets)}


def page(rule: Rule, folders: Iterable[str]) -> str:
    """The page of `rule`, whose file lies in one of `folders`."""
    clauses = {clause.id: clause.gist for clause in load_clauses()}
    rule_file = next(file for path in folders for file in read_folder(path) if file.data["id"] == rule.id)
    options = {name.replace("_", "-"): value for name, value in rule.options._asdict().items()}
    data = {**rule_file.data, "family": rule.family}
    return render_page(data, rule.level.value, options, clauses.get(rule.clause or ""))
