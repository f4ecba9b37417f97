"""What `--verbose` tells: steps that a user may wonder about look at `listener`, which is None without it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

listener: Callable[[str], None] | None = None
"""Set by `doors/cli/manner.py`; it is given a phrase such as `fetches https://host.example/skills.git`."""


def log_step(phrase: str, *values: object) -> None:
    """Tell the listener, if there is one; each `{}` of the phrase is replaced by a value."""
    if listener is not None:
        listener(phrase.format(*values))
