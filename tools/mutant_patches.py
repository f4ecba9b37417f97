"""The patches of `mutants.toml`, each of which switches off what a clause asks for, and the tests that must notice."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from clause_tests import read_proofs

from skillbag.lint.rules.model import Clause

PATCHES = Path(__file__).parent / "mutants.toml"
LINT, AGENT = "lint", "agent"


class BadPatchError(Exception):
    """A patch does not fit its file, or under it the tests do not run to their end."""


class Claim(NamedTuple):
    """That something proves a clause for one kind of behaviour."""

    clause: str
    kind: str

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests that do, as pytest names them; those of rules are their examples."""
        own = (proof for proof in read_proofs() if (proof.clause, proof.kind) == self)
        return tuple(f"{proof.path}::{proof.test}" for proof in own)


class Verdict(NamedTuple):
    """Of what makes a claim, the tests that failed while it was switched off, with the reason, and the others.

    `unnoticed`: what can go without a test that fails.
    """

    claim: Claim
    red: Mapping[str, str]
    green: Collection[str]
    unnoticed: Collection[str] = ()


class Patch(NamedTuple):
    """What goes (`off`), the claims whose tests must notice, and the edit: `find` stands once in `file`."""

    off: str
    claims: frozenset[Claim]
    file: str
    find: str
    put: str

    def applied_to(self, text: str) -> str:
        """The text of the file with the edit.

        Raises:
            BadPatchError: `find` does not stand in it once.
        """
        if text.count(self.find) != 1:
            times = text.count(self.find)
            raise BadPatchError(
                f"{self.file}: the text of the patch `{self.off}` stands there {times} times, not once; fit it"
            )
        return text.replace(self.find, self.put)


def read_patches(path: Path = PATCHES) -> tuple[Patch, ...]:
    """All patches, in the order of the file."""
    return tuple(map(_patch, tomllib.loads(path.read_text("utf-8"))["patch"]))


def _patch(table: dict[str, Any]) -> Patch:
    named: dict[str, list[str]] = table.pop("clauses")
    return Patch(claims=frozenset(Claim(clause, kind) for kind, names in named.items() for clause in names), **table)


def claims_of(clauses: Iterable[Clause]) -> tuple[Claim, ...]:
    """What is to be switched off: all but what an agent does, which no program can."""
    return tuple(Claim(clause.id, kind) for clause in clauses for kind in clause.proved_by if kind != AGENT)
