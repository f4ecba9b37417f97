"""The files of a Starlark skill: its entrypoint and what they load, parsed and not run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.source import Document
from skillbag.kernel.fs.trace import mark_uncacheable
from skillbag.kernel.manifest.names import STARLARK_NAMES, BackendKind
from skillbag.kernel.manifest.paths import SkillFiles
from skillbag.kernel.manifest.reader import ActiveSkill
from skillbag.lint.checks.predicate import Match, Unjudged, short
from skillbag.lint.checks.starlark_process import NotParsedError, StarlarkFault, starlark_faults
from skillbag.lint.signals.syntax_trees import parsed, position, unclosed

_DEFAULT_ENTRYPOINT = "main.star"
_MAX_FILES = 200
"""Files of a skill that are parsed."""


class StarlarkFile(NamedTuple):
    """A file of a skill, its tree (None where it has none), and its faults."""

    document: Document
    tree: ast.Module | None
    faults: tuple[StarlarkFault, ...]


class StarlarkCode(NamedTuple):
    """The Starlark of a skill. `loads` are the places where a load fails; `unjudged` could not be parsed."""

    files: tuple[StarlarkFile, ...] = ()
    loads: tuple[Match, ...] = ()
    unjudged: tuple[Unjudged, ...] = ()


def starlark_code(active: ActiveSkill) -> StarlarkCode:
    """The Starlark of a skill, read once; empty for skills with another backend."""
    known = active.found.get("starlark")
    if not isinstance(known, StarlarkCode):
        known = active.found["starlark"] = _read(active)
    return known


def _read(active: ActiveSkill) -> StarlarkCode:
    implementation = active.file.manifest.implementation if active.file.manifest else None
    if implementation is None or implementation.backend is not BackendKind.STARLARK:
        return StarlarkCode()
    first = implementation.entrypoint or _DEFAULT_ENTRYPOINT
    return _Reader(active).read(first)


class _Reader:
    """Reads a skill's files from the entrypoint on."""

    def __init__(self, active: ActiveSkill) -> None:
        self._skill = active.skill
        self._plain = SkillFiles(active.skill.directory)
        self._files: dict[str, StarlarkFile | None] = {}
        self._loads: list[Match] = []
        self._unjudged: list[Unjudged] = []

    def read(self, first: str) -> StarlarkCode:
        """The code; what an entrypoint lacks as a file is reported elsewhere."""
        if not self._plain.fault(first):
            pending = [first]
            while pending and len(self._files) < _MAX_FILES:
                path = pending.pop()
                if path not in self._files:
                    file = self._files[path] = self._file(path)
                    pending += [label[2:] for _, label, _ in _loads(file) if not self._label_fault(label)]
            for file in self._files.values():
                self._loads += self._load_faults(file)
        files = tuple(file for file in self._files.values() if file)
        return StarlarkCode(files, tuple(self._loads), tuple(self._unjudged))

    def _file(self, path: str) -> StarlarkFile | None:
        document = self._skill.read(path)
        if not isinstance(document, Document):
            return None
        faults: tuple[StarlarkFault, ...] = ()
        try:
            faults = tuple(_placed(fault, document) for fault in starlark_faults(document.text))
        except NotParsedError as error:
            # Another time there may be an interpreter, or more time.
            mark_uncacheable()
            self._unjudged.append(Unjudged(document.path, str(error)))
        return StarlarkFile(document, parsed(document.text), faults)

    def _label_fault(self, label: str) -> str:
        if not label.startswith("//"):
            return 'give a path from the skill\'s folder, as in load("//lib.star", "name")'
        fault = self._plain.fault(label[2:])
        return f"the file {fault}" if fault else ""

    def _load_faults(self, file: StarlarkFile | None) -> Iterator[Match]:
        for call, label, names in _loads(file):
            detail = self._label_fault(label) or self._names_fault(label[2:], names)
            if detail and file:
                values = {"label": short(label), "detail": detail}
                yield Match(file.document.path, values=values, at=position(call.args[0], file.document))

    def _names_fault(self, path: str, names: list[str]) -> str:
        loaded = self._files.get(path)
        if loaded is None or loaded.tree is None:
            return ""
        defined = _exports(loaded.tree)
        missing = next((name for name in names if name not in defined and name not in STARLARK_NAMES), None)
        return f"the file defines no `{short(missing)}`" if missing else ""


def _placed(fault: StarlarkFault, document: Document) -> StarlarkFault:
    """A fault at the end of the text is one of what is still open there."""
    if fault.line:
        return fault
    if found := unclosed(document.text):
        line, column, text = found
        return fault._replace(line=line, column=column, text=text)
    end = document.position(len(document.text.rstrip()))
    return fault._replace(line=end.line, column=end.column, text="unexpected end of the file")


def _loads(file: StarlarkFile | None) -> Iterator[tuple[ast.Call, str, list[str]]]:
    """The load statements of a file: the call, the file's label, and the names that are taken from it."""
    for statement in file.tree.body if file and file.tree else ():
        call = statement.value if isinstance(statement, ast.Expr) else None
        match call:
            case ast.Call(func=ast.Name(id="load"), args=[ast.Constant(value=str() as label), *rest]):
                taken = [*rest, *(keyword.value for keyword in call.keywords)]
                names = [item.value for item in taken if isinstance(item, ast.Constant) and isinstance(item.value, str)]
                yield call, label, names


def _exports(tree: ast.Module) -> set[str]:
    """The names that a file defines itself and that others may load; those that it loads are not among them."""
    names: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef):
            names.add(statement.name)
        elif isinstance(statement, ast.Assign | ast.AugAssign):
            names |= {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    return {name for name in names if not name.startswith("_")}
