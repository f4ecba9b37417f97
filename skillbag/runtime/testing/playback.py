"""What skills ask of the host, answered from a record in its order: that of a test case, or of a trace (skill runtime,
section 13). Both have masked secrets, which stand for any text."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from skillbag.kernel.manifest.cases import RECORDED, HostRecord
from skillbag.runtime.errors import RuntimeFaultError, error_of
from skillbag.runtime.host.functions import FUNCTIONS
from skillbag.runtime.host.parameters import Parameter
from skillbag.runtime.skill import Json

MASK = "****"
"""Stands in a trace for a secret, whatever it was."""


class UnexpectedCall(NamedTuple):
    """A call that is not in the record at this place, its number there, and what the record has, if anything."""

    call: HostRecord
    number: int
    record: HostRecord | None

    def __str__(self) -> str:
        """The sentence about it."""
        if self.record is None:
            return f"this call is not recorded: {shown_call(self.call)}"
        recorded = shown_call(_complete(self.record))
        return f"the call is {shown_call(self.call)}, and call {self.number} of the record is {recorded}"


class Playback:
    """Answers each call from the next entry of the record; a call that is not the recorded one fails. Thread safe."""

    def __init__(self, records: Sequence[HostRecord]) -> None:
        self._records = records
        self._used = 0
        self._lock = threading.Lock()
        self.faults: list[UnexpectedCall] = []
        """What was called and is not in the record at this place."""

    def __call__(self, function: str, values: Mapping[str, Json], run: Callable[[], Json]) -> Json:
        """As `answer`, for a function of the host; those that reach nothing outside are carried out."""
        return self.answer(function, values) if function in RECORDED else run()

    def answer(self, function: str, values: Mapping[str, Json]) -> Json:
        """The recorded answer.

        Raises:
            RuntimeFaultError: the recorded error, or this call is not recorded.
        """
        call = HostRecord(function, values)
        with self._lock:
            record = self._records[self._used] if self._used < len(self._records) else None
            if record is None or record.call != function or not matches(_complete(record).args, _complete(call).args):
                self.faults.append(UnexpectedCall(call, self._used + 1, record))
                raise RuntimeFaultError(str(self.faults[-1]))
            self._used += 1
        if record.error or record.code is not None:
            raise error_of(record.code, record.error)
        return record.result

    @property
    def unused(self) -> Sequence[HostRecord]:
        """The recorded calls that were not made; none is known after a fault."""
        return self._records[self._used :] if not self.faults else ()


def shown_call(record: HostRecord) -> str:
    """A call as people read it."""
    return f"{record.call} {json.dumps(record.args, ensure_ascii=False)}"


def _complete(record: HostRecord) -> HostRecord:
    """The call with the defaults of the arguments that it leaves out."""
    function = FUNCTIONS.get(record.call)
    parameters = function.parameters if function else ()
    defaults = {each.name: each.default for each in parameters if _is_optional(each)}
    return record._replace(args=defaults | dict(record.args))


def _is_optional(parameter: Parameter) -> bool:
    return parameter.default is not Parameter._field_defaults["default"]


def matches(recorded: Json, actual: Json) -> bool:
    """Whether a value is the recorded one; a mask in that stands for any text."""
    if isinstance(recorded, str) and isinstance(actual, str):
        return recorded == actual or (MASK in recorded and _fits(recorded.split(MASK), actual))
    if isinstance(recorded, dict) and isinstance(actual, dict):
        if any(MASK in key for key in recorded):
            return len(recorded) == len(actual)
        return recorded.keys() == actual.keys() and all(matches(recorded[key], actual[key]) for key in recorded)
    if isinstance(recorded, list) and isinstance(actual, list):
        return len(recorded) == len(actual) and all(map(matches, recorded, actual))
    return isinstance(recorded, bool) == isinstance(actual, bool) and bool(recorded == actual)


def _fits(parts: list[str], text: str) -> bool:
    """Whether the parts are in the text, in order, from its beginning to its end. It takes linear time: the text and
    the trace are foreign."""
    first, *middle, last = parts
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for part in middle:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True
