"""The clock of `check --config timing=true`: slow steps look at `timed`, which is None unless a check is timed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec, Protocol, TypeVar

    Given = ParamSpec("Given")
    Done = TypeVar("Done")

    class Timed(Protocol):
        """Does `work` with what it is given; its time counts for the phase, and not for what asked for it."""

        def __call__(
            self, phase: str, work: Callable[Given, Done], /, *given: Given.args, **named: Given.kwargs
        ) -> Done: ...


timed: Timed | None = None
"""Set by `lint/engine/timing.py` for the time of one check."""
