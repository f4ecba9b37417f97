"""`skillbag team rules new` and `rules new-pack`: the files of a new rule, or of a whole pack, whose examples pass."""

from __future__ import annotations

import os
import re
from typing import Any

import yaml

from skillbag.kernel.base.package_data import folder
from skillbag.kernel.documents.nodes import core_value
from skillbag.kernel.model.findings import Severity
from skillbag.lint.rules.loader import RuleFile, read_folder
from skillbag.lint.rules.model import Rule
from skillbag.lint.rules.packs import RULES
from skillbag.supply.bootstrap.existing import CannotInitError, find
from skillbag.supply.bootstrap.plan import Action, SetupPlan, append, create
from skillbag.supply.bootstrap.templates import template, templates

_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_KEPT = ("targets", "check", "when", "options", "message", "fix", "plain", "why", "heuristic", "once", "examples")
_CODE = "predicates.py"


def generic_predicates() -> tuple[str, ...]:
    """The predicates that are made for rules of one's own: each has a rule to start from."""
    return tuple(sorted(name.removesuffix(".yaml") for name in os.listdir(templates("rules"))))


def plan_rule(root: str, name: str, where: str, like: Rule | str | None) -> SetupPlan:
    """A new rule in `where` (relative to the absolute `root`, with `/`).

    `like` another rule: with its predicate, options and examples; a text names a generic predicate. Without it `where`
    has to be a pack, and the rule gets a predicate of its own.

    Raises:
        CannotInitError: the name can't be one, the file exists, or `where` is no pack and needs to be one.
    """
    _check_id(name)
    is_pack = os.path.isdir(os.path.join(root, where, RULES))
    path = "/".join(part for part in (where, RULES if is_pack else "", f"{name}.yaml") if part)
    if find(root, path) is not None:
        raise CannotInitError(f"{path}: there is a rule of this name already")
    if isinstance(like, str):
        text = template(f"rules/{like}.yaml").replace(f"\nid: {like}\n", f"\nid: {name}\n")
        return SetupPlan(root, (create(path, text, f"a rule with {like}; make it your own"),))
    if like is not None:
        return SetupPlan(root, (create(path, _like(name, like), f"a rule like {like.id}; make it your own"),))
    if not is_pack:
        raise CannotInitError(
            f"{where}: a rule with code of its own belongs in a pack, which `skillbag team rules new-pack NAME` makes; "
            "--like RULE makes one from a rule that exists, --like PREDICATE from such as text-forbidden"
        )
    return SetupPlan(root, (create(path, _filled("rule.yaml", name), "the rule"), _predicate(root, where, name)))


def _predicate(root: str, where: str, name: str) -> Action:
    path = f"{where}/{_CODE}" if where else _CODE
    document = find(root, path)
    text = _filled("predicate.py.txt", name)
    if document is None:
        return create(path, _filled("predicates.py.txt", name) + text, "its predicate")
    return append(document, path, "\n\n" + text, "its predicate")


def plan_pack(root: str, name: str) -> SetupPlan:
    """A new pack below the absolute folder `root`: a distribution with a rule that has code of its own.

    Raises:
        CannotInitError: the name can't be one, or the folder exists.
    """
    _check_id(name)
    if os.path.lexists(os.path.join(root, name)):
        raise CannotInitError(
            f"{name}: it exists already; take another name, or add to it by `skillbag team rules new`"
        )
    package = name.replace("-", "_")
    rule = f"{name}-first"
    inner = f"{name}/{package}"
    return SetupPlan(
        root,
        (
            create(
                f"{name}/pyproject.toml", _filled("pyproject.toml.txt", name), "the distribution, and its entry point"
            ),
            create(f"{name}/README.md", _filled("readme.md.txt", name), "how to use it"),
            create(f"{inner}/__init__.py", f'"""The rules of {name}."""\n', "the package"),
            create(f"{inner}/{RULES}/{rule}.yaml", _filled("rule.yaml", rule), "a first rule"),
            create(
                f"{inner}/{_CODE}",
                _filled("predicates.py.txt", rule) + _filled("predicate.py.txt", rule),
                "its predicate",
            ),
        ),
    )


def _check_id(name: str) -> None:
    if not _ID.fullmatch(name) or len(name) > 64:
        raise CannotInitError(f"{name!r} can't be a name: use up to 64 of a-z and 0-9, with single hyphens between")


def _filled(name: str, value: str) -> str:
    text = template(f"rule_pack/{name}")
    words = {"name": value, "module": value.replace("-", "_"), "class": value.title().replace("-", "")}
    for mark, word in words.items():
        text = text.replace(f"{{{mark}}}", word)
    return text


class _Dumper(yaml.SafeDumper):
    """Texts of several lines as blocks, as people write them."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent the items of lists."""
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)


_Dumper.add_representer(str, _text)


def _like(name: str, rule: Rule) -> str:
    data: Any = core_value(_file_of(rule).node)
    # A clause would say that the standard asks for it; the clause's own rule does that.
    kept = {key: data[key] for key in _KEPT if key in data}
    level = {role: _capped(known, rule) for role, known in rule.roles.items()} or _capped(rule.level, rule)
    head = {"id": name, "summary": data["summary"], "level": level}
    first = (
        f"# Made from the rule {rule.id}: change options, texts and examples, then run `skillbag team rules test`.\n"
    )
    dumped: str = yaml.dump({**head, **kept}, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    return first + dumped


def _capped(level: Severity | None, rule: Rule) -> str:
    # Outside the family `security`, what may be wrong is no error.
    capped = Severity.WARNING if rule.heuristic and level is Severity.ERROR else level
    return capped.value if capped else "none"


def _file_of(rule: Rule) -> RuleFile:
    for rule_file in read_folder(folder("rules")):
        if rule_file.written.id == rule.id:
            return rule_file
    raise CannotInitError(f"--like {rule.id}: it is a rule of your own; copy its file")
