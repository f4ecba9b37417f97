"""Is a source sound? The rules of `skillbag check --target source` say so, without what the source says of itself."""

from __future__ import annotations

import difflib
import os
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from skillbag.engine.config import Config, choose
from skillbag.engine.lint import lint_target
from skillbag.fs.read import is_within
from skillbag.model.findings import Finding, Level
from skillbag.rules.model import Rule, load_rules
from skillbag.sources.fetched import Fetched, PlainSkills
from skillbag.sources.skill_layout import plain_hint
from skillbag.workspace.model import Workspace
from skillbag.workspace.skill import SkillSummary
from skillbag.workspace.target import (
    SKILL_FILE,
    SKILL_ROOT,
    Kind,
    SkillFolder,
    Target,
    installed,
)

_SHOWN = 10
"""So many of a source's skills are named where the one that was asked for is not among them."""


class SourceFault(NamedTuple):
    """One reason to take nothing from a source.

    `source` is its declared form; `path` is relative to it, with `/`; line and column are 1-based, 0 where none is
    meant. `rule` and `clause` say what is broken, `fix` what its author can do. `skill` is the one that it is about,
    empty where nothing can be taken of the whole source.
    """

    source: str
    message: str
    path: str = ""
    line: int = 0
    column: int = 0
    rule: str = ""
    clause: str | None = None
    fix: str | None = None
    skill: str = ""


def verify_source(fetched: Fetched, names: Iterable[str]) -> tuple[SourceFault, ...]:
    """Why nothing may be installed from this source; empty where everything is well (clause bootstrap.validate).

    Errors of the default rules count, whatever configuration, suppressions and baseline the source has; and each of
    `names` must be a valid skill of it. Of a plain repository those alone are looked at (`skillbag check --target
    skills`): what else lies in it may be as it is.
    """
    if fetched.plain is not None:
        return tuple(_plain_faults(fetched, fetched.plain, tuple(dict.fromkeys(names))))
    workspace = Workspace(installed(Kind.SOURCE, fetched.root))
    linted = lint_target(workspace, load_default_rules(), defined=frozenset(), today="", suppressions=False)
    faults = [_fault(finding, fetched) for finding in linted.findings if finding.level is Level.ERROR]
    cards = {card.folder: card for card in linted.summaries}
    # Of a skill that is there and not valid, rules have told.
    faults += (_missing(name, cards, fetched) for name in dict.fromkeys(names) if name not in cards)
    faults += (fault for card in linted.summaries for fault in _unprintable(card, fetched))
    return tuple(faults)


def _plain_faults(fetched: Fetched, plain: PlainSkills, names: tuple[str, ...]) -> Iterator[SourceFault]:
    # The skills that are taken, and no others; a repository that is a skill itself has no folder around it.
    paths = sorted(plain.folders[name] for name in names if name in plain.folders)
    folders = tuple(SkillFolder(os.path.basename(path), path, os.path.dirname(path)) for path in paths)
    workspace = Workspace.of(Target(Kind.SKILLS, fetched.root, ()), folders)
    linted = lint_target(workspace, load_default_rules(), defined=frozenset(), today="", suppressions=False)
    for finding in linted.findings:
        # It is installed in a folder of the name that it declares.
        if finding.level is Level.ERROR and finding.rule != _FOLDER_NAME:
            yield _fault(finding, fetched)._replace(skill=_skill_at(finding.path, plain, names))
    for name in names:
        if name not in plain.folders:
            yield _not_plain(name, plain, fetched)._replace(skill=name)
    for card in linted.summaries:
        for fault in _unprintable(card, fetched):
            yield fault._replace(skill=_skill_at(card.path, plain, names))


def _skill_at(path: str, plain: PlainSkills, names: Iterable[str]) -> str:
    """The innermost of the named skills that holds the path."""
    holding = [name for name in names if name in plain.folders and is_within(plain.folders[name], path)]
    return max(holding, key=lambda name: len(plain.folders[name]), default="")


_FOLDER_NAME = "skill-name-folder-mismatch"


def _not_plain(name: str, plain: PlainSkills, fetched: Fetched) -> SourceFault:
    """Why a plain repository does not give the skill that is asked for."""
    source = fetched.source.declared
    if folders := plain.ambiguous.get(name):
        return SourceFault(
            source,
            f"several folders hold different skills named `{name}`: {', '.join(folders)}",
            folders[0],
            clause="bootstrap.validate",
            fix="Its author has to give each a name of its own.",
        )
    for path, reason in plain.refused.items():
        if os.path.basename(path) == name:
            message = "Its author has to put copies in the place of such links."
            return SourceFault(source, reason, path, clause="bootstrap.validate", fix=message)
    here = [declared for declared, folder in plain.folders.items() if os.path.basename(folder) == name != declared]
    fix = f"The folder `{name}` holds the skill `{here[0]}`." if here else _nearest(name, list(plain.folders))
    return SourceFault(source, f"there is no skill `{name}` in this repository", clause="bootstrap.validate", fix=fix)


@cache
def load_default_rules() -> tuple[Rule, ...]:
    """What runs without any configuration, less the rules of our extensions: another author's keys are their own."""
    return tuple(rule for rule in choose(load_rules(), Config(folder="")) if rule.family != "extensions")


def _fault(finding: Finding, fetched: Fetched) -> SourceFault:
    path = os.path.relpath(finding.path, fetched.root).replace(os.sep, "/")
    return SourceFault(
        fetched.source.declared,
        finding.message,
        path,
        finding.line,
        finding.column,
        finding.rule,
        finding.clause,
        finding.fix,
    )


def _unprintable(card: SkillSummary, fetched: Fetched) -> Iterator[SourceFault]:
    """A description goes into the catalog, which agents and terminals read: it must be what it seems to be."""
    text = card.description.value if card.description else ""
    if text.isprintable():
        return
    hidden = next((char for char in text if unicodedata.category(char) == "Cc" or char in _BIDIRECTIONAL), None)
    if hidden is not None:
        message = f"the description of `{card.folder}` holds the control character U+{ord(hidden):04X}"
        path = os.path.relpath(card.path, fetched.root).replace(os.sep, "/")
        yield SourceFault(fetched.source.declared, message, path, clause="root.catalog-line", fix="Take it out there.")


_BIDIRECTIONAL = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def _missing(name: str, cards: Mapping[str, SkillSummary], fetched: Fetched) -> SourceFault:
    return SourceFault(
        fetched.source.declared,
        f"there is no skill `{name}` in this source",
        f"{SKILL_ROOT}/{name}/{SKILL_FILE}",
        clause="bootstrap.validate",
        fix=" ".join(filter(None, (_offered(name, cards), plain_hint(fetched)))),
        skill=name,
    )


def _offered(name: str, cards: Mapping[str, SkillSummary]) -> str:
    return _nearest(name, sorted(card.folder for card in cards.values() if card.valid))


def _nearest(name: str, valid: Sequence[str]) -> str:
    if not valid:
        return "It offers no valid skill at all."
    nearest = difflib.get_close_matches(name, valid, 1)
    if nearest:
        return f"Did you mean `{nearest[0]}`?"
    more = f" and {len(valid) - _SHOWN} more" if len(valid) > _SHOWN else ""
    return f"It offers {', '.join(valid[:_SHOWN])}{more}."
