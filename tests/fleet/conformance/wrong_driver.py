"""A deliberately wrong driver: it gives the answers of a good run again, with one fault planted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from skillbag.fleet.conformance.kit import Driver
from tests.fleet.conformance.faults import FAULTS, Deed
from tests.fleet.conformance.recorded import Answer, apply, key_of, read_answers

OPERATIONS = ["enter", "resolve", "run", "order", "winner", "refresh", "remember", "forget", "install", "check", "put"]


class WrongDriver(Driver):
    """Takes the place of a driver's process. `unable` is an operation that it does not know."""

    def __init__(self, folder: str, fault: str | None = None, unable: str | None = None) -> None:
        self.failure = None
        self._number = 0
        self._answers = answers_in(folder)
        self._fault = fault
        self._operations = [name for name in OPERATIONS if name != unable]

    def _exchange(self, request: Mapping[str, Any]) -> dict[str, Any]:
        if request["operation"] == "hello":
            return {"protocol": 1, "name": "wrong", "version": "1", "operations": self._operations}
        return {"id": request["id"], "outcome": outcome(self._answers, request, self._fault)}

    def close(self) -> None:
        """There is no process to end."""

    stop = close


answers_in = cache(lambda folder: read_answers(Path(folder)))


def outcome(answers: Mapping[str, Answer], request: Mapping[str, Any], fault: str | None) -> dict[str, Any]:
    key = key_of(request)
    right = answers.get(key.exact) or answers.get(key.loose)
    if right is None:
        # A fault has led to where the good run never was.
        return {"status": "lost"}
    deed = Deed(json.loads(json.dumps(request)), json.loads(json.dumps(right.outcome)), dict(right.effects))
    if fault is not None and request["operation"] in FAULTS[fault].operations:
        FAULTS[fault].plant(deed)
    apply(deed.effects, request["workspace"])
    return deed.outcome
