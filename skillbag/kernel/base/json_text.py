"""JSON in files that people edit: what is wrong with it, as a clause of a sentence, and the line."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class BadJsonError(ValueError):
    """A text that is not JSON; `line` is 1-based."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


def json_value(text: str, pairs: Callable[[list[tuple[str, Any]]], object] | None = None) -> Any:
    """The value of a JSON text; `pairs` makes the value of each object.

    Raises:
        BadJsonError: it is not JSON, is nested too deep, or has a number that is too long.
    """
    import json

    try:
        return json.loads(text, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        raise BadJsonError(error.lineno, f"it is not JSON ({error.msg})") from error
    except (ValueError, RecursionError) as error:
        raise BadJsonError(1, "it is not JSON that can be read") from error
