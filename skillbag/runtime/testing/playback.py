"""What skills ask of the host, answered from a record in its order (skill runtime, section 13)."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence

from skillbag.kernel.manifest.cases import RECORDED, HostRecord
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.host.functions import FUNCTIONS
from skillbag.runtime.host.parameters import Parameter
from skillbag.runtime.skill import Json


class Playback:
    """Answers each call from the next entry of the record; a call that is not the recorded one fails. Functions that
    reach nothing outside are carried out. Thread safe."""

    def __init__(self, records: Sequence[HostRecord]) -> None:
        self._records = records
        self._used = 0
        self._lock = threading.Lock()
        self.faults: list[str] = []
        """What was called and is not in the record at this place, as sentences."""

    def __call__(self, function: str, values: Mapping[str, Json], run: Callable[[], Json]) -> Json:
        """The recorded answer.

        Raises:
            RuntimeFaultError: the recorded error, or this call is not recorded.
        """
        if function not in RECORDED:
            return run()
        record = self._next(function, values)
        if record.error:
            raise RuntimeFaultError(record.error)
        return record.result

    @property
    def unused(self) -> tuple[str, ...]:
        """The recorded calls that were not made, as sentences."""
        rest = self._records[self._used :] if not self.faults else ()
        return tuple(f"this recorded call was not made: {_shown(each.call, each.args)}" for each in rest)

    def _next(self, function: str, values: Mapping[str, Json]) -> HostRecord:
        with self._lock:
            called = _shown(function, values)
            if self._used >= len(self._records):
                return self._fail(f"this call is not recorded: {called}")
            record = self._records[self._used]
            if record.call != function or _complete(record) != values:
                recorded = _shown(record.call, _complete(record))
                return self._fail(f"the call is {called}, and call {self._used + 1} of the record is {recorded}")
            self._used += 1
            return record

    def _fail(self, fault: str) -> HostRecord:
        self.faults.append(fault)
        raise RuntimeFaultError(fault)


def _complete(record: HostRecord) -> dict[str, Json]:
    """The arguments of a recorded call, with the defaults of those that it leaves out."""
    parameters = FUNCTIONS[record.call].parameters
    return {each.name: each.default for each in parameters if _is_optional(each)} | dict(record.args)


def _is_optional(parameter: Parameter) -> bool:
    return parameter.default is not Parameter._field_defaults["default"]


def _shown(function: str, values: Mapping[str, Json]) -> str:
    return f"{function} {json.dumps(values, ensure_ascii=False)}"
