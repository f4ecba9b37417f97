"""The code of active skills: Starlark as the interpreter reads it, phases of hooks, and entrypoints of other kinds."""

from __future__ import annotations

import ast
import difflib
import os
from collections.abc import Collection, Iterator

from skillbag.kernel.documents.nodes import Mapping, Scalar
from skillbag.kernel.documents.source import Document, Position
from skillbag.kernel.fs import tracked
from skillbag.kernel.fs.read import read
from skillbag.kernel.manifest.names import HOOK_PHASES, STARLARK_NAMES, BackendKind
from skillbag.kernel.manifest.paths import SkillFiles
from skillbag.kernel.manifest.reader import ActiveSkill
from skillbag.kernel.model.findings import MakeExecutable
from skillbag.kernel.workspace.extras import modes_count
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, Unjudged, match_at, short
from skillbag.lint.checks.starlark_code import starlark_code
from skillbag.lint.signals.syntax_trees import parsed, position

_DEFAULT_PLUGIN = "skill.py"
_FACTORIES = frozenset({"new_skill", "NewSkill"})
_DYNAMIC = frozenset({"globals", "vars", "exec", "eval", "setattr"})
"""Functions by which a module can get names that its text does not show."""

_HEAD = 1024
"""Bytes at which a program is known to be no text."""


@Predicate("starlark-syntax-invalid", Subject.MANIFEST, values=("detail",))
def invalid_syntax(active: ActiveSkill, _: NoOptions) -> Iterator[Match | Unjudged]:
    """Starlark files that the interpreter can't parse; and those that can't be parsed here."""
    code = starlark_code(active)
    yield from code.unjudged
    for file in code.files:
        for fault in file.faults:
            if fault.kind == "syntax":
                at = Position(fault.line, fault.column)
                yield Match(file.document.path, values={"detail": fault.text}, at=at)


@Predicate("starlark-name-unknown", Subject.MANIFEST, values=("name", "nearest"))
def unknown_name(active: ActiveSkill, _: NoOptions) -> Iterator[Match | Unjudged]:
    """Names in Starlark files that nothing defines."""
    code = starlark_code(active)
    yield from code.unjudged
    for file in code.files:
        for fault in file.faults:
            if fault.kind == "name":
                values = {"name": short(fault.text), "nearest": _hint(fault.text, STARLARK_NAMES, fault.hint)}
                yield Match(file.document.path, values=values, at=Position(fault.line, fault.column))


@Predicate("starlark-load-invalid", Subject.MANIFEST, values=("label", "detail"))
def invalid_load(active: ActiveSkill, _: NoOptions) -> Iterator[Match | Unjudged]:
    """Load statements for files or names that are not there."""
    yield from starlark_code(active).loads


@Predicate("hook-phase-unknown", Subject.MANIFEST, values=("phase", "nearest", "phases"))
def unknown_phase(active: ActiveSkill, _: NoOptions) -> Iterator[Match]:
    """Hooks that are registered for a phase, as a literal, that does not exist."""
    for document, tree in _trees(active):
        for node in ast.walk(tree):
            phase = _phase(node)
            if phase is not None and phase.value not in HOOK_PHASES:
                text = str(phase.value)
                values = {"phase": short(text), "nearest": _hint(text, HOOK_PHASES), "phases": ", ".join(HOOK_PHASES)}
                yield Match(document.path, values=values, at=position(phase, document))


def _trees(active: ActiveSkill) -> Iterator[tuple[Document, ast.Module]]:
    for file in starlark_code(active).files:
        if file.tree is not None:
            yield file.document, file.tree
    plugin = _plugin(active)
    if plugin is not None and (tree := parsed(plugin.text)) is not None:
        yield plugin, tree


def _phase(node: ast.AST) -> ast.Constant | None:
    """The phase that a call of `register_hook` names with a text."""
    match node:
        case ast.Call(func=ast.Name(id="register_hook") | ast.Attribute(attr="register_hook")):
            keywords = [keyword.value for keyword in node.keywords if keyword.arg == "phase"]
            first = next(iter((*node.args, *keywords)), None)
            return first if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
    return None


def _hint(text: str, known: Collection[str], otherwise: str = "") -> str:
    folded = {name.lower(): name for name in known}
    close = difflib.get_close_matches(text[:40].lower(), folded, 1, 0.75)
    meant = folded[close[0]] if close else otherwise
    return f"; did you mean `{meant}`?" if meant else ""


@Predicate("plugin-factory-missing", Subject.MANIFEST, values=("entrypoint", "factory"))
def missing_factory(active: ActiveSkill, _: NoOptions) -> Iterator[Match]:
    """Plugins whose module plainly has no factory."""
    document, entrypoint = _plugin(active), _entrypoint(active)
    tree = parsed(document.text) if document else None
    if document is None or tree is None or entrypoint is None:
        return
    named = entrypoint.value.partition(":")[2]
    wanted = {named} if named else _FACTORIES
    if wanted.isdisjoint(_defined(tree)) and not _is_dynamic(tree):
        factory = named or "new_skill"
        yield match_at(active.file.path, entrypoint, {"entrypoint": short(entrypoint.value), "factory": short(factory)})


def _plugin(active: ActiveSkill) -> Document | None:
    """The module of a plugin; None where it is a package, or no file of the skill."""
    entrypoint = _of_backend(active, BackendKind.PLUGIN)
    if entrypoint is None:
        return None
    module = (entrypoint or _DEFAULT_PLUGIN).partition(":")[0]
    path = module if module.endswith(".py") else module.replace(".", "/") + ".py"
    if SkillFiles(active.skill.directory).fault(path):
        return None
    document = active.skill.read(path)
    return document if isinstance(document, Document) else None


def _defined(tree: ast.Module) -> Iterator[str]:
    """All names that anything in a module defines or imports, wherever that is."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.Name(ctx=ast.Store()):
                yield node.id
            case ast.alias():
                yield (node.asname or node.name).partition(".")[0]


def _is_dynamic(tree: ast.Module) -> bool:
    return any(
        (isinstance(node, ast.Name) and node.id in _DYNAMIC)
        or (isinstance(node, ast.alias) and node.name == "*")
        or (isinstance(node, ast.FunctionDef) and node.name == "__getattr__")
        for node in ast.walk(tree)
    )


@Predicate("entrypoint-not-executable", Subject.MANIFEST, values=("entrypoint", "detail"))
def not_executable(active: ActiveSkill, _: NoOptions) -> Iterator[Match]:
    """Entrypoints of processes that are files of the skill and can't be run. There are no findings on Windows."""
    name, node = _of_backend(active, BackendKind.PROCESS), _entrypoint(active)
    if not name or node is None or os.name == "nt" or SkillFiles(active.skill.directory).fault(name):
        return
    path = f"{active.skill.directory}/{name}"
    raw, mode = read(path, active.skill.root), tracked.mode(path)
    if not isinstance(raw, bytes) or mode is None:
        return
    head = raw[:_HEAD]
    if b"\0" not in head and not head.startswith(b"#!"):
        detail = "is a text without a line `#!` that names its interpreter"
        yield match_at(active.file.path, node, {"entrypoint": short(name), "detail": detail})
    elif not mode & 0o111 and modes_count(active.skill.root):
        values = {"entrypoint": short(name), "detail": "lacks the executable bit"}
        yield match_at(active.file.path, node, values, (MakeExecutable(path),))


def _of_backend(active: ActiveSkill, backend: BackendKind) -> str | None:
    """The entrypoint of a skill with this backend; None for others."""
    implementation = active.file.manifest.implementation if active.file.manifest else None
    return implementation.entrypoint if implementation and implementation.backend is backend else None


def _entrypoint(active: ActiveSkill) -> Scalar | None:
    """Where the manifest names the entrypoint."""
    implementation = active.file.mapping.get("implementation") if active.file.mapping else None
    node = implementation.get("entrypoint") if isinstance(implementation, Mapping) else None
    return node if isinstance(node, Scalar) else None
