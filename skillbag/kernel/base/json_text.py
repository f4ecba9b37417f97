"""JSON in files that people edit: what is wrong with it, as a clause of a sentence, and the line."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class BadJsonError(ValueError):
    """A text that is not JSON; `line` is 1-based."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


class RepeatedKeyError(BadJsonError):
    """An object of the text has `key` twice."""

    def __init__(self, key: str) -> None:
        super().__init__(1, f"the key `{key[:80]}` is given twice")
        self.key = key


def json_value(text: str, *, unique: bool = False) -> Any:
    """The value of a JSON text, with `unique` of one whose objects have each key once.

    Raises:
        RepeatedKeyError: one has not. BadJsonError: it is not JSON, is nested too deep, or has a number that is too
            long.
    """
    import json

    try:
        return json.loads(text, object_pairs_hook=_unique if unique else None)
    except RepeatedKeyError:
        raise
    except json.JSONDecodeError as error:
        raise BadJsonError(error.lineno, f"it is not JSON ({error.msg})") from error
    except (ValueError, RecursionError) as error:
        raise BadJsonError(1, "it is not JSON that can be read") from error


def _unique(pairs: list[tuple[str, object]]) -> object:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        raise RepeatedKeyError(next(key for number, key in enumerate(keys) if key in keys[:number]))
    return value
