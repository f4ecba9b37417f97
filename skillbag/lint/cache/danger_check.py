"""The check that finds the dangers of a skill, and keeps them for the next time."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Sequence
from functools import cache

from skillbag.kernel.fs.atomic import write_atomic
from skillbag.kernel.fs.trace import recording
from skillbag.kernel.model.findings import Severity
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.summary import SkillSummary
from skillbag.kernel.workspace.target import SkillFolder, Target, TargetKind
from skillbag.lint.cache.entry import CacheEntry, dump, entry_of, revalidate
from skillbag.lint.cache.kept_dangers import KeptDangers, SkillDanger
from skillbag.lint.cache.store import evict
from skillbag.lint.engine.config import Config, choose
from skillbag.lint.engine.lint import FreshLinter, conclude, lint
from skillbag.lint.engine.rule_set import rules_for
from skillbag.lint.engine.verdict import TargetVerdict, Verdict
from skillbag.lint.rules.builtin import load_core_rules
from skillbag.lint.rules.model import SECURITY, Rule

_OF_OTHERS = "secret"
"""The rule about a key of the skill's own, which is no danger to its reader."""
_KEPT_FILES = 4000
"""Files that are kept."""
_LOCK = threading.Lock()
"""A server asks in several threads; the engine is made for one."""


def look_again(folder: str, root: str, path: str, kept: KeptDangers) -> tuple[SkillDanger, ...]:
    """The dangers of the skill: those that are kept if its files hold what they held, else of a new check.

    The file at `path` is written, if that is possible.
    """
    known = CacheEntry(kept.questions, b"", 0, kept.digest.encode(), b"", b"")
    if (same := revalidate(root, [known])[0]) is not None:
        found, entry = kept.found, same
    else:
        found, entry = _check(folder, root)
    if entry.digest:
        kept = KeptDangers(kept.edition, entry.questions, entry.stamps.hex(), entry.digest.decode(), found)
        with contextlib.suppress(OSError):
            place = os.path.dirname(path)
            os.makedirs(place, mode=0o700, exist_ok=True)
            write_atomic(path, dump(kept), root=place, mode=0o600, durable=False)
            evict(place, time.time(), _KEPT_FILES)
    return found


def _check(folder: str, root: str) -> tuple[tuple[SkillDanger, ...], CacheEntry]:
    above, name = os.path.split(folder)
    target = Workspace.of(Target(TargetKind.SKILLS, root, ()), (SkillFolder(name, folder, above),))
    rules = rules_for(target.kind, _rules(), searched=False)
    with _LOCK, recording() as trace:
        verdict = lint(target, rules, _SkillLinter(target, rules))
        linted = conclude(verdict, root, rules, defined=frozenset(), today="", suppressions=False)
    errors = tuple(each for each in linted.findings if each.level is Severity.ERROR)
    found = tuple(
        SkillDanger(each.rule, os.path.relpath(each.path, folder).replace(os.sep, "/"), each.line, each.message)
        for each in errors
    )
    return found, entry_of(trace, Verdict(errors))


class _SkillLinter(FreshLinter):
    """Lints one skill, and nothing around it."""

    def conclude(self, linted: Sequence[tuple[Verdict, SkillSummary]]) -> TargetVerdict:
        """The verdict of the skill."""
        verdicts = [verdict for verdict, _ in linted]
        return TargetVerdict(verdicts, len(verdicts), sum(verdict.files for verdict in verdicts))


@cache
def _rules() -> tuple[Rule, ...]:
    rules = choose(load_core_rules(), Config(folder=""))
    return tuple(rule for rule in rules if rule.family == SECURITY and rule.id != _OF_OTHERS)
