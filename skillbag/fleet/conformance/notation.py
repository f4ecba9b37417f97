"""Our notation for what a context file or a skill states: the driver's answer to `put`."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from skillbag.fleet.conformance.kit import EMPTY, JsonObject
from skillbag.kernel.fs.changes import write_through

_BLOCK = re.compile(r"^```ya?ml\n(?:.*\n)*?(?=```$)", re.MULTILINE)


def put(path: str, stated: Mapping[str, Any]) -> None:
    """Write into the file what it is to state: blocks at its end, or keys of a skill's parameters.

    Raises:
        OSError: it can't be read or written.
    """
    text = ""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as handle:
            text = handle.read()
    blocks = _blocks(stated)
    if blocks:
        text += f"\n```yaml\n{_lines(blocks)}```\n"
    for parameter, keys in _of_parameters(stated):
        added = _lines(keys).replace("\\", r"\\")
        text = re.sub(rf"^( *)- name: {re.escape(parameter)}\n", rf"\g<0>\1  {added}", text, flags=re.MULTILINE)
    if stated.get("confirm") is True:
        text = _BLOCK.sub(lambda found: found[0] + "confirm: It may not be undone\n", text, count=1)
    write_through(path, text.encode())


def _blocks(stated: Mapping[str, Any]) -> JsonObject:
    """What a context file states, by the key of its block."""
    prohibit = stated.get("prohibit", EMPTY)
    blocks = {
        "parameters": stated.get("values"),
        "tags": stated.get("tags"),
        "prohibit": {"skills": prohibit.get("skills", []), "parameters": prohibit.get("values", {})}
        if prohibit
        else {},
        "overrides": stated.get("overrides"),
    }
    return {key: value for key, value in blocks.items() if value}


def _of_parameters(stated: Mapping[str, Any]) -> Iterator[tuple[str, JsonObject]]:
    """The keys of each parameter of a skill."""
    for name in ("allowed", "discover", "required-if", "persist"):
        for parameter, value in stated.get(name, EMPTY).items():
            yield parameter, {"values" if name == "allowed" else name: value}
    if stated.get("confirm") is not True:
        yield from ((parameter, {"confirm": "*"}) for parameter in stated.get("confirm", ()))


def _lines(mapping: JsonObject) -> str:
    """A mapping as YAML: a line for each key, with its value as JSON."""
    return "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in mapping.items())
