"""Running the examples of rule files: a rule finds each place that its failing examples expect, and nothing else."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.json_records import fits
from skillbag.kernel.fs.atomic import write_atomic
from skillbag.kernel.fs.read import is_within
from skillbag.kernel.model.findings import Finding
from skillbag.kernel.workspace.discovery import NothingToCheckError, find_targets
from skillbag.kernel.workspace.model import Workspace
from skillbag.lint.engine.config import Config
from skillbag.lint.engine.fixes import apply_changes, plan_fixes
from skillbag.lint.engine.lint import lint_target
from skillbag.lint.engine.planner import all_rules
from skillbag.lint.rules.builtin import load_rules
from skillbag.lint.rules.loader import RuleFile, read_folder
from skillbag.lint.rules.model import Rule, literals_of, read_options
from skillbag.lint.rules.pack_code import code_of
from skillbag.lint.rules.packs import RULES, Pack, bind_pack, find_pack, parse_pack, rule_files
from skillbag.lint.rules.written import RuleExample, RuleExamples

_TODAY = "2026-06-15"
"""The day of the examples, for suppressions with a date."""


class ExampleResult(NamedTuple):
    """One example of a rule: `pass` or `fail`, its number from 1, and what is wrong; no faults if all is right."""

    rule: str
    kind: Annotated[str, fits(enum=("pass", "fail"))]
    number: Annotated[int, fits(minimum=1)]
    faults: Annotated[tuple[str, ...], "Empty if the rule does what the example says."]


def run_examples(rule: Rule, examples: RuleExamples) -> Iterator[ExampleResult]:
    """Run the examples of a rule file, each in a scratch folder of its own.

    Raises:
        OSError: the scratch folder can't be written, or git, which an example needs, is not here.
    """
    for kind, of_kind in (("pass", examples.pass_), ("fail", examples.fail)):
        for number, example in enumerate(of_kind, 1):
            with tempfile.TemporaryDirectory(prefix="skillbag-example-") as scratch:
                root = os.path.realpath(scratch)
                build(root, example)
                yield ExampleResult(rule.id, kind, number, tuple(_faults(root, with_options(rule, example), example)))


def _faults(root: str, rule: Rule, example: RuleExample) -> Iterator[str]:
    try:
        found = list(findings_of(root, rule, example))
    except NothingToCheckError:
        yield "its files are nothing that a check looks at: a skill is skills/NAME/SKILL.md"
        return
    expected = list(example.expect)
    places = [_as_expected(place_of(finding, root), expected) for finding in found]
    for place in Counter(expected) - Counter(places):
        yield f"nothing is found at {place}"
    for place in Counter(places) - Counter(expected):
        yield f"found at {place}, which is not expected: {found[places.index(place)].message}"
    yield from _fix_faults(root, found, example)


def _fix_faults(root: str, found: Sequence[Finding], example: RuleExample) -> Iterator[str]:
    if not example.fixed:
        return
    apply_changes(plan_fixes(found))
    for name, text in example.fixed.items():
        with open(os.path.join(root, name), "rb") as handle:
            if handle.read() != text.encode("utf-8"):
                yield f"after the safe fixes, {name} is not what `fixed` says"


def build(root: str, example: RuleExample) -> None:
    """Write the files, links and repository of an example below the absolute folder `root`."""
    for name, data in example.contents().items():
        write_atomic(_made(root, name), data, root=root, durable=False)
    for name, target in example.links.items():
        os.symlink(target, _made(root, name))
    for name in example.executable:
        os.chmod(_made(root, name), 0o755)  # noqa: S103 -- as a checkout makes it
    if example.git is not None:
        _track(root, example.git)


def _made(root: str, name: str) -> str:
    path = os.path.normpath(os.path.join(root, name))
    # The example of somebody's pack may not write elsewhere, through a link neither.
    if not is_within(root, path) or not is_within(root, os.path.realpath(path)):
        raise UserError(f"an example has the file {name!r}, which is not below its folder")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


def _track(root: str, names: Sequence[str]) -> None:
    git = ("git", "-C", root)
    subprocess.run([*git, "init", "-q"], check=True)
    if names:
        subprocess.run([*git, "add", "-f", "--", *names], check=True)


def findings_of(root: str, rule: Rule, example: RuleExample) -> Iterator[Finding]:
    """The findings of one rule in what `build` has written; only this rule runs.

    The rules about suppressions depend on the findings of others, so with one of them all rules run.

    Raises:
        NothingToCheckError: there is nothing that a check looks at.
    """
    running = load_rules() if rule.family == "suppressions" else (rule,)
    for target in find_targets([root], example.target):
        linted = lint_target(Workspace(target), running, defined={other.id for other in running}, today=_TODAY)
        yield from (finding for finding in linted.findings if finding.rule == rule.id)


def with_options(rule: Rule, example: RuleExample) -> Rule:
    """The rule with the options that an example gives."""
    given = {**rule.given, **read_options(rule.predicate, example.options)}
    return rule._replace(given=given, literals=literals_of(rule.predicate, given))


def place_of(finding: Finding, root: str) -> str:
    """`path:line:column` of a finding, relative to `root`, with `/`."""
    return f"{os.path.relpath(finding.path, root).replace(os.sep, '/')}:{finding.line}:{finding.column}"


def _as_expected(place: str, expected: Sequence[str]) -> str:
    """The place without its column, if that is how it is expected."""
    line = place.rpartition(":")[0]
    return line if line in expected else place


def named_rules(paths: Iterable[str]) -> list[tuple[RuleFile, Rule]]:
    """The rules in folders that the user names: of a pack, of a project with packs in it, or of rule files.

    Raises:
        UserError: there are none, or one of them can't be used.
    """
    pairs = []
    for path in map(os.path.abspath, paths):
        if not (packs := _packs(path)):
            pairs += _plain_rules(path)
        for folder in packs:
            pairs += _pack_rules(Pack(os.path.basename(folder).replace("_", "-"), folder))
    return pairs


def packs_with_code(paths: Iterable[str]) -> list[str]:
    """The packs among what `named_rules` takes whose code it would import."""
    return [folder for path in paths for folder in _packs(os.path.abspath(path)) if code_of(folder)]


def _packs(path: str) -> list[str]:
    inner = (entry.path for entry in sorted(os.scandir(path), key=lambda each: each.name) if entry.is_dir())
    return [folder for folder in (path, *inner) if os.path.isdir(os.path.join(folder, RULES))]


def configured_rules(config: Config) -> list[tuple[RuleFile, Rule]]:
    """The rules of the folders and packs that a configuration names. Raises as `named_rules`."""
    pairs = [pair for folder in config.rules for pair in _plain_rules(folder)]
    for text in config.packs:
        pairs += _pack_rules(find_pack(parse_pack(text)))
    if not pairs:
        raise UserError("no rules to test: name their folder, or configure `rules` or `packs`")
    return pairs


def _plain_rules(folder: str) -> list[tuple[RuleFile, Rule]]:
    rules = {rule.id: rule for rule in all_rules((folder,)).rules}
    pairs = [(file, rules[file.written.id]) for file in read_folder(folder)]
    if not pairs:
        raise UserError(f"{folder}: there are no rule files in it")
    return pairs


def _pack_rules(pack: Pack) -> list[tuple[RuleFile, Rule]]:
    rules = bind_pack(pack, {rule.id for rule in load_rules()})
    return list(zip(rule_files(pack), rules, strict=True))
