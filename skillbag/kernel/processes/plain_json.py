"""JSON for the start of children: the standard library's own codec without its package, which compiles patterns first.

That takes as long as the interpreter's start. Where the codec is not there, or takes other arguments, it is `json`'s.
"""

from __future__ import annotations

import sys
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class _Settings:
    """What the scanner reads: that of `json.loads`."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int = float, int

    @staticmethod
    def parse_constant(name: str) -> None:
        raise ValueError(f"{name} is not JSON")


def _refuse(value: object) -> None:
    raise TypeError(f"a value of type {type(value).__name__} is not JSON")


def _codec() -> tuple[Callable[[str], Any], Callable[[Any], str]]:
    import _json

    codec: Any = _json
    scan = codec.make_scanner(_Settings)
    # One for all values, which does not look for circles: they end as what nests too deep does.
    pieces = codec.make_encoder(None, _refuse, codec.encode_basestring, None, ":", ",", False, False, False)

    def decode(text: str) -> Any:
        try:
            return scan(text.strip(), 0)[0]
        except StopIteration as error:
            raise ValueError("it is not JSON") from error

    def encode(value: Any) -> str:
        try:
            return "".join(pieces(value, 0))
        except RecursionError as error:
            raise ValueError("Circular reference, or it nests too deep") from error

    if decode(encode({"a": [1, "é", None]})) != {"a": [1, "é", None]}:
        raise ValueError("another codec")
    return decode, encode


def _slow_codec() -> tuple[Callable[[str], Any], Callable[[Any], str]]:
    import json

    return json.loads, json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


try:
    decode, encode = _codec()
except (ImportError, AttributeError, TypeError, ValueError):
    decode, encode = _slow_codec()


class _StandIn(ModuleType):
    """A module `json` for libraries that call its `loads` and `dumps` alone. Any other name loads the package."""

    loads, dumps = staticmethod(decode), staticmethod(encode)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        sys.modules.pop("json", None)
        import json

        return getattr(json, name)


def stand_in() -> None:
    """Give `import json` the two functions of this module, unless the package is loaded."""
    sys.modules.setdefault("json", _StandIn("json"))
