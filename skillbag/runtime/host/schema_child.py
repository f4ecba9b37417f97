"""The program that checks a value against a schema of a skill: JSON on standard input, the first fault on its output.

It prints nothing, or `schema FAULT` or `value FAULT`. It runs by itself, without the rest of the package.
"""

from __future__ import annotations

import json
import resource
import sys

MEMORY = 512 << 20
"""Bytes of address space."""

SECONDS = 8
"""Seconds of the processor."""


def main() -> None:
    """Check what standard input holds: an object with `schema` and `value`."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    asked = json.load(sys.stdin)

    from jsonschema import SchemaError
    from jsonschema.validators import Draft202012Validator, validator_for
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    kind = validator_for(asked["schema"], default=Draft202012Validator)
    try:
        kind.check_schema(asked["schema"])
        # An empty registry: nothing that a schema refers to is fetched.
        error = next(kind(asked["schema"], registry=Registry()).iter_errors(asked["value"]), None)
    except (SchemaError, Unresolvable) as fault:
        print("schema", getattr(fault, "message", fault))  # noqa: T201 - its output
        return
    if error is not None:
        print("value", f"{error.json_path}: {error.message}")  # noqa: T201 - its output


if __name__ == "__main__":
    main()
