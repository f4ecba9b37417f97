"""What fetches each kind of source, as code that mypy reads: a kind without its module, or one that lacks a function,
fails there.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.workspace.source_kind import SourceKind

_PACKAGE = "skillbag.supply.sources"
_HEAD = '''\
"""What fetches each kind of source, for mypy. Made by tools/generate.py from the table of kinds; do not edit."""

from __future__ import annotations

from typing import Protocol, assert_never

{modules}
from skillbag.kernel.workspace.source_kind import SourceKind
from skillbag.supply.sources.fetched import Unpacked
from skillbag.supply.sources.source import Source
from skillbag.supply.sources.task import FetchTask


class KindModule(Protocol):
    """What the module of each kind has."""

    def fetch(self, task: FetchTask) -> Unpacked: ...


class PrefixModule(KindModule, Protocol):
    """What that of a kind with a prefix has."""

    def source_at(self, text: str) -> Source | None: ...


class RevisionsModule(KindModule, Protocol):
    """What that of a kind has whose versions are revisions."""

    def latest(self, task: FetchTask) -> str | None: ...
    def known_ref(self, task: FetchTask) -> str | None: ...
    def default_branch(self, task: FetchTask) -> str: ...
    def tags(self, task: FetchTask) -> tuple[str, ...]: ...
    def split_reference(self, task: FetchTask, rest: str) -> tuple[str, str]: ...


def module_for(kind: SourceKind) -> KindModule:
    """The module of a kind."""
    prefixed: PrefixModule
    revised: RevisionsModule
    match kind:
'''


def kind_modules() -> str:
    """The text of the module."""
    # With `from … import` mypy does not notice a module that has come since its last run.
    modules = "\n".join(sorted({f"import {_PACKAGE}.{kind.row.module}" for kind in SourceKind}))
    return _HEAD.format(modules=modules) + "".join(f"{line}\n" for line in _cases())


def _cases() -> Iterator[str]:
    for kind in SourceKind:
        yield f"        case SourceKind.{kind.name}:"
        wanted = {"prefixed": bool(kind.row.prefix), "revised": kind.has_revisions}
        module = f"{_PACKAGE}.{kind.row.module}"
        yield from (f"            {name} = {module}" for name, is_wanted in wanted.items() if is_wanted)
        yield f"            return {next((name for name, is_wanted in wanted.items() if is_wanted), module)}"
    yield "        case unknown:"
    yield "            assert_never(unknown)"
