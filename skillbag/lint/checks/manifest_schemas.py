"""The schemas of a manifest's tools: JSON Schemas of an object."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from skillbag.kernel.documents.nodes import Mapping, Sequence, YamlError, parse_yaml
from skillbag.kernel.documents.source import Document, DocumentProblem, Position
from skillbag.kernel.manifest.reader import ActiveSkill
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, short


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
