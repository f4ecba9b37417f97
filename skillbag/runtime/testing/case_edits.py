"""Records written into files of cases; everything else in them stays as it is (skill runtime, section 13)."""

from __future__ import annotations

import os
from collections.abc import Sequence

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.documents.edit.lines import (
    HandEditError,
    NotEditableError,
    flow,
    last_line,
    line_start,
    with_lines,
)
from skillbag.kernel.documents.edit.mappings import with_entry, with_value, without_entry
from skillbag.kernel.documents.nodes import Mapping, Scalar, parse_yaml
from skillbag.kernel.documents.nodes import Sequence as YamlSequence
from skillbag.kernel.documents.source import Document, DocumentProblem, read_document
from skillbag.kernel.fs.without_links import write_beneath
from skillbag.kernel.manifest.cases import CASES_FOLDER, HostRecord, SkillTestCase, ToolCall


def write_records(path: str, directory: str, case: SkillTestCase) -> None:
    """Write the record of a case into the file of the skill in `directory` that it was read from.

    Raises:
        UserError: the file has changed since, or can't be edited safely. OSError: it can't be written.
    """
    document = read_document(path, directory)
    if isinstance(document, DocumentProblem):
        raise UserError(f"{path}: {document.detail}")
    try:
        text = with_records(document, case)
    except NotEditableError as error:
        raise HandEditError(f'{path}: the case "{case.name}" {error}; write its `host` by hand') from error
    write_beneath(directory, _names(path, directory), document.encode(text))


def with_records(document: Document, case: SkillTestCase) -> str:
    """The text of a file with another record of one of its cases.

    Raises:
        NotEditableError: the layout is unusual, or a comment would be lost.
    """
    text, node = document.text, _node(document.text, case)
    entry = node.entry("host")
    if text[node.start] == "{":
        value = f"[{', '.join(map(_record, case.host))}]"
        if entry:
            return with_value(text, entry, value)
        return with_entry(text, node, ["host"], value, document.newline) if case.host else text
    margin = " " * (node.start - line_start(text, node.start))
    lines = [f"{margin}host:", *(f"{margin}  - {_record(record)}" for record in case.host)] if case.host else []
    if entry is None:
        return with_lines(text, last_line(text, node.entries[-1].value.end, margin), lines, document.newline)
    start = line_start(text, entry.key.start)
    text = without_entry(text, node, "host")
    if start > len(text):
        # It was the last of a text without a line end.
        return with_lines(text, len(text), lines, document.newline)
    return text[:start] + "".join(line + document.newline for line in lines) + text[start:]


def write_new_case(directory: str, case: SkillTestCase) -> str:
    """Write a new file with one case of a tool into the skill in `directory`; gives its path.

    Raises:
        OSError: it can't be written.
    """
    act = case.act
    name = act.tool if isinstance(act, ToolCall) else "case"
    number, file = 1, f"{name}.yaml"
    while os.path.lexists(os.path.join(directory, CASES_FOLDER, file)):
        number += 1
        file = f"{name}-{number}.yaml"
    path = os.path.join(directory, CASES_FOLDER, file)
    write_beneath(directory, (CASES_FOLDER, file), _new_text(case).encode("utf-8", "backslashreplace"))
    return path


def _new_text(case: SkillTestCase) -> str:
    expect = {"error": case.expect.error} if case.expect.error else {"value": case.expect.value}
    call = case.call._asdict() if case.call else {}
    records = [f"  - {_record(record)}" for record in case.host]
    lines = [f"name: {flow(case.name)}", f"call: {flow(call)}", *(["host:"] if records else []), *records]
    return "".join(f"{line}\n" for line in (*lines, f"expect: {flow(expect)}"))


def _record(record: HostRecord) -> str:
    answer = f"error: {flow(record.error)}" if record.error else f"result: {flow(record.result)}"
    return f"{{call: {record.call}, args: {flow(dict(record.args))}, {answer}}}"


def _node(text: str, case: SkillTestCase) -> Mapping:
    node = parse_yaml(text)
    if isinstance(node, YamlSequence) and case.number < len(node.items):
        node = node.items[case.number]
    name = node.get("name") if isinstance(node, Mapping) else None
    if not isinstance(node, Mapping) or not isinstance(name, Scalar) or name.value != case.name:
        raise NotEditableError("is not in the file any more")
    return node


def _names(path: str, directory: str) -> Sequence[str]:
    return tuple(os.path.relpath(path, directory).split(os.sep))
