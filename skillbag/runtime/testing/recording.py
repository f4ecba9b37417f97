"""Runs a case with the functions of the host themselves, and writes what they answer into its file, where everything
else stays as it is (skill runtime, section 13)."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence

from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.documents.edit.lines import (
    HandEditError,
    NotEditableError,
    flow,
    last_line,
    line_start,
    with_lines,
)
from skillbag.kernel.documents.edit.mappings import with_entry, with_value, without_entry
from skillbag.kernel.documents.nodes import Mapping as YamlMapping
from skillbag.kernel.documents.nodes import Scalar, parse_yaml
from skillbag.kernel.documents.nodes import Sequence as YamlSequence
from skillbag.kernel.documents.source import Document, DocumentProblem, read_document
from skillbag.kernel.fs.without_links import write_beneath
from skillbag.kernel.manifest.cases import (
    ABSENT,
    CASES_FOLDER,
    RECORDED,
    Expectation,
    HostRecord,
    SkillTestCase,
    ToolCall,
)
from skillbag.kernel.secrets.detection import mask
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.skill import FoundSkill, Json
from skillbag.runtime.testing.acts import CaseOutcome, perform
from skillbag.runtime.testing.running import Situation, opened
from skillbag.runtime.triggers.settings import Sandbox


class Recorder:
    """Carries out each call and keeps its answer, secrets masked. Thread safe."""

    def __init__(self) -> None:
        self.records: list[HostRecord] = []
        """The calls in the order in which they began."""
        self._lock = threading.Lock()
        self._inside = 0
        """Workflows of other skills that run: what they call is a part of the answer."""

    def __call__(self, function: str, values: Mapping[str, Json], run: Callable[[], Json]) -> Json:
        """The function's answer."""
        with self._lock:
            is_kept = function in RECORDED and not self._inside
            self._inside += function == "invoke_skill"
            place = len(self.records)
            if is_kept:
                self.records.append(HostRecord(function, _masked(dict(values))))
        try:
            result = run()
        except (UserError, OSError) as error:
            if is_kept:
                self.records[place] = self.records[place]._replace(error=mask(format_error(error)))
            raise
        finally:
            with self._lock:
                self._inside -= function == "invoke_skill"
        if is_kept:
            self.records[place] = self.records[place]._replace(result=_masked(result))
        return result


def approve(runtime: Runtime, name: str) -> None:
    """Ask the user about a skill as for an activation; what they allow once is used up.

    Raises:
        QuestionsError: nobody can answer. NotPermittedError: it is denied.
    """
    runtime.ask(name)
    grantee = runtime.grantee(name)
    runtime.broker.admit(grantee)
    runtime.broker.release(grantee)


def record(
    found: FoundSkill, case: SkillTestCase, sandbox: Sandbox, completer: Callable[[str], str] | None
) -> SkillTestCase:
    """The case with what the host answers now, in the case's own workspace, and with an expectation, if it has none.

    Programs run, and the network is reached: the user must have approved that.

    Raises:
        UserError: the workspace of the case can't be made. OSError: the environment fails.
    """
    recorder = Recorder()
    situation = Situation(recorder, {**os.environ, **case.env}, False, completer, sandbox)
    with opened(found, case, situation) as (runtime, _):
        outcome = perform(runtime, found.name, case)
    expect = case.expect if case.expect != Expectation() else _expectation(outcome)
    return case._replace(host=tuple(recorder.records), expect=expect)


def _expectation(outcome: CaseOutcome) -> Expectation:
    if outcome.error or outcome.value is ABSENT:
        return Expectation(error=mask(outcome.error) or "no error")
    value = outcome.value
    if isinstance(value, str):
        try:
            decoded = json.loads(value)
        except (ValueError, RecursionError):
            decoded = value
        # A number that is a text stays one: the tool gave a text.
        value = decoded if isinstance(decoded, dict | list) else value
    return Expectation(value=_masked(value))


def _masked(value: Json) -> Json:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {key: _masked(item) for key, item in value.items()}
    return [_masked(item) for item in value] if isinstance(value, list | tuple) else value


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


def _node(text: str, case: SkillTestCase) -> YamlMapping:
    node = parse_yaml(text)
    if isinstance(node, YamlSequence) and case.number < len(node.items):
        node = node.items[case.number]
    name = node.get("name") if isinstance(node, YamlMapping) else None
    if not isinstance(node, YamlMapping) or not isinstance(name, Scalar) or name.value != case.name:
        raise NotEditableError("is not in the file any more")
    return node


def _names(path: str, directory: str) -> Sequence[str]:
    return tuple(os.path.relpath(path, directory).split(os.sep))
