"""Rule packs: rules with predicates of their own, in an installed distribution or fetched from git, pinned.

A configuration names the packs that a check uses. What is in force is exactly the version, or the commit, that it
names. `check` fetches nothing: a repository that somebody clones could name a pack with any code in it, so a pack from
git is used only once its user has fetched it with `skillbag team rules fetch` (`supply.rule_packs.fetch`).
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.ownership import is_ours
from skillbag.kernel.base.short_hash import short_hash
from skillbag.kernel.base.user_dirs import state_folder
from skillbag.kernel.fs import tracked
from skillbag.kernel.fs.trace import mark_uncacheable
from skillbag.lint.rules.builtin import load_clauses
from skillbag.lint.rules.loader import BadRuleError, RuleFile, read_folder
from skillbag.lint.rules.model import LoadedRules, Rule
from skillbag.lint.rules.pack_code import load_predicates

GROUP = "skillbag.rules"
"""The entry points of packs: each names a Python package that has a folder `rules`."""
RULES = "rules"
"""The folder of a pack's rule files."""

_GIT = re.compile(
    r"git\+(?P<address>\S+?)@(?P<commit>[0-9a-f]{64}|[0-9a-f]{40})(?:#subdirectory=(?P<inside>[^#&\s]+))?"
)
_DISTRIBUTION = re.compile(r"(?P<name>[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)==(?P<version>\w[\w.!+-]*)", re.ASCII)


class BadPackError(UserError):
    """A pack that can't be used; the message says what to do."""


class PackReference(NamedTuple):
    """What a configuration says of a pack: `NAME==VERSION`, or `git+ADDRESS@COMMIT[#subdirectory=PATH]`.

    `address` is empty for a distribution; `pin` is its version, or the full commit.
    """

    text: str
    name: str
    pin: str
    address: str = ""
    inside: str = ""

    @property
    def folder(self) -> str:
        """Where the fetched pack lies: an absolute folder of the user's, one for each reference."""
        return os.path.join(state_folder(), "rule-packs", f"{self.name}-{short_hash(self.text, 16)}")


class Pack(NamedTuple):
    """A pack that is here: its name, its absolute folder, and, of a distribution, the Python package that it is."""

    name: str
    folder: str
    package: str = ""


def parse_pack(text: str) -> PackReference:
    """Read a reference to a pack.

    Raises:
        BadPackError: it is none, or it is not pinned.
    """
    if git := _GIT.fullmatch(text):
        inside = (git["inside"] or "").strip("/")
        if any(part in ("", ".", "..") for part in inside.split("/")) and inside:
            raise BadPackError(f"pack {text!r}: the subdirectory is not a plain path below the repository")
        return PackReference(text, _name_of(inside or git["address"]), git["commit"], git["address"], inside)
    if text.startswith("git+"):
        raise BadPackError(
            f"pack {text!r} is not pinned to a full commit; `skillbag team rules add` finds it and writes it"
        )
    if distribution := _DISTRIBUTION.fullmatch(text.replace(" ", "")):
        return PackReference(text, distribution["name"], distribution["version"])
    form = "NAME==VERSION of an installed distribution, or git+ADDRESS@COMMIT"
    raise BadPackError(f"pack {text!r} is not pinned; write {form}")


def _name_of(address: str) -> str:
    last = re.split(r"[/:\\]", address.rstrip("/"))[-1].removesuffix(".git")
    return re.sub(r"[^a-z0-9]+", "-", last.lower()).strip("-") or "pack"


def find_pack(reference: PackReference) -> Pack:
    """The pack that a reference names, without running any of its code.

    Raises:
        BadPackError: it is not here, is another version, or has no rules.
    """
    pack = _fetched(reference) if reference.address else _installed(reference)
    if not tracked.is_folder(os.path.join(pack.folder, RULES)):
        raise BadPackError(f"pack {reference.text}: {pack.folder} has no folder {RULES!r}")
    return pack


def _fetched(reference: PackReference) -> Pack:
    folder = reference.folder
    if not os.path.isdir(folder):
        raise BadPackError(
            f"pack {reference.text} is not here; look at what it holds, then run `skillbag team rules fetch`: "
            "its code runs with your rights"
        )
    if not is_ours(os.stat(folder)):
        raise BadPackError(
            f"{folder}: others could have written this pack; delete it, then run `skillbag team rules fetch`"
        )
    return Pack(reference.name, folder)


def _installed(reference: PackReference) -> Pack:
    try:
        found = distribution(reference.name)
    except PackageNotFoundError as error:
        raise BadPackError(
            f"pack {reference.text} is not installed beside skillbag; run pip install '{reference.text}' there"
        ) from error
    if found.version != reference.pin:
        raise BadPackError(
            f"pack {reference.text}: version {found.version} is installed; "
            f"run pip install '{reference.text}', or change the pin"
        )
    packages = [point.value for point in found.entry_points if point.group == GROUP]
    if len(packages) != 1:
        raise BadPackError(f"pack {reference.text} has {len(packages) or 'no'} entry points of {GROUP!r}; it needs one")
    return Pack(reference.name, _package_folder(reference, packages[0]), packages[0])


def _package_folder(reference: PackReference, package: str) -> str:
    # The folder of a package in another one is found by importing that one.
    spec = find_spec(package) if package.isidentifier() else None
    if spec is None or not spec.submodule_search_locations:
        raise BadPackError(f"pack {reference.text}: its entry point {package!r} is not a Python package at the top")
    return os.path.abspath(next(iter(spec.submodule_search_locations)))


def load_packs(references: Iterable[str], rules: tuple[Rule, ...]) -> LoadedRules:
    """`rules` and those of the packs that a configuration names, whose code is imported.

    Raises:
        BadPackError, BadRuleError: a pack or one of its rules can't be used, or the id of a rule is taken.
    """
    # A pack is part of an environment, of which the files of a check tell nothing.
    mark_uncacheable()
    loaded, digest = list(rules), hashlib.sha256()
    for reference in map(parse_pack, references):
        pack = find_pack(reference)
        for path in pack_files(pack.folder):
            with open(path, "rb") as handle:
                digest.update(f"{reference.text}\0{path}\0".encode("utf-8", "surrogateescape") + handle.read())
        loaded += bind_pack(pack, {rule.id for rule in loaded})
    return LoadedRules(tuple(loaded), digest.hexdigest())


def bind_pack(pack: Pack, taken: set[str]) -> list[Rule]:
    """The rules of a pack, with its own predicates, whose ids are not `taken`. Raises as `load_packs`."""
    try:
        own = load_predicates(pack.name, pack.folder, pack.package)
    except ValueError as error:
        raise BadPackError(f"pack {pack.name}: {error}") from error
    clauses = {clause.id: clause for clause in load_clauses()}
    bound: list[Rule] = []
    for rule_file in rule_files(pack):
        bound.append(rule_file.bind(clauses, taken | {rule.id for rule in bound}, own))
    return bound


def rule_files(pack: Pack) -> list[RuleFile]:
    """The rule files of a pack: those that lie in `rules` itself are of the family that has the pack's name.

    Raises:
        BadRuleError: there is none, or one is not of a rule's shape.
    """
    folder = os.path.join(pack.folder, RULES)
    found = list(read_folder(folder, family=pack.name))
    if not found:
        raise BadRuleError(f"{folder}: there are no rule files in this folder")
    return found


def pack_files(folder: str) -> list[str]:
    """The absolute paths of a pack's rule files and code, sorted."""
    found = []
    for current, _, names in os.walk(folder):
        found += [os.path.join(current, name) for name in names if name.endswith((".py", ".yaml", ".yml"))]
    return sorted(found)
