"""The program that checks values against schemas of skills. It runs by itself, without the rest of the package.

A request is two lines of JSON: the schema and the value. The answer is a line, a JSON list: `["", ""]` where the value
matches, else what has the fault (`schema` or `value`) and the fault. A check that takes too long ends the process.
"""

from __future__ import annotations

import json
import resource
import sys
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from signal import ITIMER_PROF, setitimer
    from typing import Any
else:
    # `signal` itself imports modules that take a while.
    from _signal import ITIMER_PROF, setitimer

MEMORY = 512 << 20
"""Bytes of address space."""

SECONDS = 8
"""Seconds of the processor for one check."""

LONGEST = 4000
"""Characters of a fault that are answered."""


def main() -> None:
    """Answer requests until the end of the input."""
    from jsonschema import SchemaError
    from jsonschema.validators import Draft202012Validator, validator_for
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    @lru_cache(maxsize=8)
    def validator_of(line: bytes) -> Any:
        schema = json.loads(line)
        kind = validator_for(schema, default=Draft202012Validator)
        kind.check_schema(schema)
        # An empty registry: nothing that a schema refers to is fetched.
        return kind(schema, registry=Registry())

    def fault(schema: bytes, value: bytes) -> tuple[str, str]:
        try:
            error = next(validator_of(schema).iter_errors(json.loads(value)), None)
        except (SchemaError, Unresolvable) as wrong:
            return "schema", str(getattr(wrong, "message", wrong))
        return ("value", f"{error.json_path}: {error.message}") if error else ("", "")

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    source, output = sys.stdin.buffer, sys.stdout.buffer
    while schema := source.readline():
        value = source.readline()
        setitimer(ITIMER_PROF, SECONDS)
        kind, text = fault(schema, value)
        setitimer(ITIMER_PROF, 0)
        output.write(json.dumps([kind, text[:LONGEST]]).encode() + b"\n")
        output.flush()


if __name__ == "__main__":
    main()
