"""The files that a manifest names: schemas of tools, rules for scans and what overrides them, and test cases."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.nodes import Mapping, Scalar, Sequence, YamlError, parse_yaml
from skillbag.kernel.documents.source import Document, DocumentProblem, Position
from skillbag.kernel.manifest.case_reader import CaseFile, case_files, read_cases
from skillbag.kernel.manifest.cases import SkillTestCase
from skillbag.kernel.manifest.names import BackendKind
from skillbag.kernel.manifest.reader import ActiveSkill
from skillbag.kernel.manifest.scan_rules import read_overrides, read_rules
from skillbag.kernel.manifest.shapes import ManifestFault
from skillbag.kernel.workspace.tree import FILE
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, short
from skillbag.lint.signals.syntax_trees import parsed, position


@Predicate("manifest-tool-schema-invalid", Subject.MANIFEST, values=("tool", "detail"))
def invalid_schema(active: ActiveSkill, _: NoOptions) -> Iterator[Match]:
    """Files of tools' schemas that hold no JSON Schema of an object, each once."""
    manifest = active.file.manifest
    tools = {tool.input_schema_file: tool.name for tool in manifest.tools if tool.input_schema_file} if manifest else {}
    for path, tool in tools.items():
        document = active.skill.read(path)
        if isinstance(document, DocumentProblem):
            at = Position(document.line, document.column)
            yield Match(document.path, values={"tool": tool, "detail": document.detail}, at=at)
            continue
        for start, detail in _faults(document):
            yield Match(document.path, start, start, {"tool": tool, "detail": detail})


def _faults(document: Document) -> Iterator[tuple[int, str]]:
    try:
        schema = json.loads(document.text)
    except json.JSONDecodeError as error:
        from skillbag.lint.checks.json_syntax import described

        at, what = described(document.text, error.pos, error.msg)
        yield at, f"it is not JSON: {what}"
        return
    except (RecursionError, ValueError):
        yield 0, "it is nested too deep, or has a number of too many digits"
        return
    if not isinstance(schema, dict):
        yield 0, "it is not an object of JSON"
    elif "type" in schema and schema["type"] != "object":
        yield _place(document, ["type"]), '`type` is not "object"; the input of a tool is an object'
    else:
        yield from _schema_faults(document, schema)


def _schema_faults(document: Document, schema: dict[str, object]) -> Iterator[tuple[int, str]]:
    # It takes longer to import than many skills to check, and few have such a file.
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import Draft202012Validator, validator_for

    try:
        validator_for(schema, default=Draft202012Validator).check_schema(schema)
    except SchemaError as error:
        yield _place(document, error.absolute_path), short(error.message)
    except (RecursionError, TypeError, ValueError):
        yield 0, "it can't be read as a JSON Schema"


def _place(document: Document, keys: Iterable[str | int]) -> int:
    """The offset of the value that keys lead to, or of the deepest one that is there. JSON is read as YAML."""
    node = parse_yaml(document.text)
    if node is None or isinstance(node, YamlError):
        return 0
    for key in keys:
        if isinstance(node, Mapping) and (inner := node.get(str(key))):
            node = inner
        elif isinstance(node, Sequence) and isinstance(key, int) and key < len(node.items):
            node = node.items[key]
        else:
            break
    return node.start


@Predicate("manifest-scan-rules-invalid", Subject.MANIFEST, values=("detail",))
def invalid_rules(active: ActiveSkill, _: NoOptions) -> Iterator[Match]:
    """What is wrong with the rules of a `sast_rules_file`."""
    if found := _named(active, "sast_rules_file"):
        yield from _matches(found, read_rules(found).faults)


@Predicate("manifest-overrides-invalid", Subject.MANIFEST, values=("detail",))
def invalid_overrides(active: ActiveSkill, _: NoOptions) -> Iterator[Match]:
    """What is wrong with an `overrides_file`."""
    if found := _named(active, "overrides_file"):
        yield from _matches(found, read_overrides(found).faults)


def _named(active: ActiveSkill, field: str) -> Document | DocumentProblem | None:
    manifest = active.file.manifest
    path = getattr(manifest.security_rules, field) if manifest and manifest.security_rules else ""
    return active.skill.read(path) if path else None


def _matches(document: Document | DocumentProblem, faults: Iterable[ManifestFault]) -> Iterator[Match]:
    for fault in faults:
        at = fault.position if isinstance(document, DocumentProblem) else None
        yield Match(document.path, fault.start, fault.end, {"detail": fault.message}, at=at)


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
