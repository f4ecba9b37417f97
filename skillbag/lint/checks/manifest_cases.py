"""The test cases of an active skill: files that can't be used, and handlers that no case names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.nodes import Mapping, Scalar, Sequence
from skillbag.kernel.documents.source import Document, Position
from skillbag.kernel.manifest.case_reader import CaseFile, case_files, read_cases
from skillbag.kernel.manifest.cases import SkillTestCase
from skillbag.kernel.manifest.names import BackendKind
from skillbag.kernel.manifest.reader import ActiveSkill
from skillbag.kernel.workspace.tree import FILE
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.lint.checks.syntax_trees import parsed, position

_REGISTERS = {"register_tool": "tool", "register_workflow": "workflow", "register_scanner": "scanner"}


_ENDINGS = {BackendKind.STARLARK: ".star", BackendKind.PLUGIN: ".py"}


class _Handler(NamedTuple):
    """A tool, workflow or scanner, and where the skill declares or registers it."""

    kind: str
    name: str
    path: str
    at: Position


@Predicate("manifest-cases-invalid", Subject.MANIFEST, values=("detail",))
def invalid_cases(active: ActiveSkill, _: NoOptions) -> Iterator[Match]:
    """What is wrong with the files of cases."""
    for file in _files(active):
        for fault in file.faults:
            at = None if file.document else fault.position
            yield Match(file.path, fault.start, fault.end, {"detail": fault.message}, at=at)


@Predicate("manifest-handler-untested", Subject.MANIFEST, values=("kind", "name"))
def untested_handler(active: ActiveSkill, _: NoOptions) -> Iterator[Match]:
    """Tools, workflows and scanners that no case names, of skills that have cases and code."""
    manifest = active.file.manifest
    files = _files(active)
    cases = [case for file in files for case in file.cases]
    if manifest is None or manifest.implementation is None or not cases or any(file.faults for file in files):
        return
    seen: set[tuple[str, str]] = set()
    for handler in (*_declared(active), *_registered(active)):
        key = (handler.kind, handler.name)
        if key not in seen and not any(_names(case, *key) for case in cases):
            yield Match(handler.path, values={"kind": handler.kind, "name": handler.name}, at=handler.at)
        seen.add(key)


def _files(active: ActiveSkill) -> list[CaseFile]:
    directory = active.skill.directory
    return [read_cases(path, directory) for path in case_files(directory)]


def _names(case: SkillTestCase, kind: str, name: str) -> bool:
    """Whether a case is about a handler; without a name, it is about all workflows or scanners."""
    match kind:
        case "tool":
            return case.call is not None and case.call.tool == name
        case "workflow":
            return case.run is not None and case.run.workflow in ("", name)
    return case.scan is not None and case.scan.scanner in ("", name)


def _declared(active: ActiveSkill) -> Iterator[_Handler]:
    root, document = active.file.mapping, active.file.document
    rules = root.get("security_rules") if root else None
    lists = {"tool": root.get("tools") if root else None}
    lists |= {"scanner": rules.get("scanners")} if isinstance(rules, Mapping) else {}
    for kind, items in lists.items():
        for item in items.items if isinstance(items, Sequence) else ():
            name = item.get("name") if isinstance(item, Mapping) else None
            if isinstance(name, Scalar) and document:
                yield _Handler(kind, name.value, active.file.path, document.position(name.start))


def _registered(active: ActiveSkill) -> Iterator[_Handler]:
    """What the code registers under a name that is written there."""
    manifest = active.file.manifest
    ending = _ENDINGS.get(manifest.implementation.backend) if manifest and manifest.implementation else None
    for entry in active.skill.listing.entries if ending else ():
        if entry.kind is not FILE or not entry.relative.endswith(ending or ""):
            continue
        document = active.skill.read(entry.relative)
        tree = parsed(document.text) if isinstance(document, Document) else None
        if tree is None or not isinstance(document, Document):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (kind := _REGISTERS.get(_function(node))) and node.args:
                name = node.args[0]
                if isinstance(name, ast.Constant) and isinstance(name.value, str):
                    yield _Handler(kind, name.value, document.path, position(name, document))


def _function(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
