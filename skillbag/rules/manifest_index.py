# ruff: noqa: E501
# fmt: off
"""Made by tools/generate.py from the files in rules/runtime/, and from the predicates: change those, then `make generate`.

RULES and PREDICATES: as in `index.py`. They are loaded only where there is a `SKILL.yaml`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

RULES: tuple[tuple[Any, ...], ...] = (
)

PREDICATES: dict[str, tuple[Any, ...]] = {
}
