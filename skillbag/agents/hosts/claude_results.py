"""The results of Claude Code's tools as text, and a changed text put back: Claude Code drops a result of another shape
than the tool's own."""

from __future__ import annotations

import json

from skillbag.kernel.base.call_input import Json

_PATHS = (("file", "content"), ("content",), ("result",))
"""Where the text of a result is that is an object (`Read`, `Grep`, `WebFetch`)."""

_COPIES = ("persistedOutputPath", "persistedOutputSize")
"""A file with the output, which would be shown instead."""


def text_of(response: Json) -> str:
    """The text of a result, for hooks: all that the agent would read of it. JSON where the shape is not known."""
    if isinstance(response, str):
        return response
    if isinstance(response, dict) and isinstance(response.get("stdout"), str):
        return "\n".join(filter(None, (response["stdout"], response.get("stderr"))))
    if (blocks := _blocks(response)) is not None:
        return "\n".join(block["text"] for block in blocks if "text" in block)
    for path in _PATHS:
        if (found := _at(response, path)) is not None:
            return found
    return json.dumps(response, ensure_ascii=False)


def with_text(response: Json, text: str) -> Json:
    """The result with this text instead of its own; None if there is no place for it."""
    if isinstance(response, str):
        return text
    if isinstance(response, dict) and isinstance(response.get("stdout"), str):
        kept = {key: value for key, value in response.items() if key not in _COPIES}
        return {**kept, "stdout": text, **({"stderr": ""} if "stderr" in response else {})}
    if (blocks := _blocks(response)) is not None:
        replaced = [{"type": "text", "text": text}, *(block for block in blocks if "text" not in block)]
        return replaced if isinstance(response, list) else {**response, "content": replaced}
    for path in _PATHS:
        if _at(response, path) is not None:
            return _put(response, path, text)
    return _same_shape(response, text)


def _blocks(response: Json) -> list[Json] | None:
    """The content blocks of a result, as tools of MCP servers have them."""
    blocks = response.get("content") if isinstance(response, dict) else response
    if isinstance(blocks, list) and blocks and all(isinstance(block, dict) and "type" in block for block in blocks):
        return blocks
    return None


def _at(response: Json, path: tuple[str, ...]) -> str | None:
    for key in path:
        response = response.get(key) if isinstance(response, dict) else None
    return response if isinstance(response, str) else None


def _put(response: Json, path: tuple[str, ...], text: str) -> Json:
    key, *rest = path
    return {**response, key: _put(response[key], tuple(rest), text) if rest else text}


def _same_shape(response: Json, text: str) -> Json:
    """The value that a hook wrote as JSON, if it has the keys of the result."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    is_alike = isinstance(value, dict) and isinstance(response, dict) and value.keys() == response.keys()
    return value if is_alike else None
