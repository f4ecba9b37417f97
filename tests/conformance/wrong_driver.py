"""A deliberately wrong driver: it gives the answers of a good run again, with one fault planted.

Its arguments are `FOLDER [--fault NAME] [--unable OPERATION]`, the folder being what the recording driver wrote.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from tests.conformance.faults import FAULTS, Deed
from tests.conformance.recorded import Answer, apply, key_of, read_answers

OPERATIONS = ["enter", "resolve", "run", "order", "winner", "refresh", "remember", "forget", "install", "check"]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--fault", choices=sorted(FAULTS))
    parser.add_argument("--unable", choices=OPERATIONS, help="an operation that it does not know")
    options = parser.parse_args()
    known = [name for name in OPERATIONS if name != options.unable]
    answers = read_answers(options.folder)
    for line in sys.stdin:
        request = json.loads(line)
        if request["operation"] == "hello":
            name = {"name": "wrong", "version": options.fault or "not at all"}
            answer: dict[str, Any] = {"protocol": 1, **name, "operations": known}
        else:
            answer = {"id": request["id"], "outcome": outcome(answers, request, options.fault)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def outcome(answers: dict[str, Answer], request: dict[str, Any], fault: str | None) -> dict[str, Any]:
    key = key_of(request)
    right = answers.get(key.exact) or answers.get(key.loose)
    if right is None:
        # A fault has led to where the good run never was.
        return {"status": "lost"}
    deed = Deed(request, json.loads(json.dumps(right.outcome)), dict(right.effects))
    if fault is not None and request["operation"] in FAULTS[fault].operations:
        FAULTS[fault].plant(deed)
    apply(deed.effects, request["workspace"])
    return deed.outcome
