"""Times as the user gives them: how long, how long ago, or a date."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    _Time = click.ParamType[datetime]
    _Span = click.ParamType[float]
else:
    # Generic for type checkers alone in older versions of click.
    _Time = _Span = click.ParamType

_AGO = re.compile(r"(\d{1,6})(s|m|h|d|w)")
_SPAN = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)(s|m|h)")
_DAY = 86_400.0
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class Since(_Time):
    """`30m`, `12h`, `1d` (also `s` and `w`), or a date or time of ISO 8601, which is local unless it names its zone."""

    name = "since"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """The time with its zone."""
        text = str(value)
        try:
            if ago := _AGO.fullmatch(text):
                return datetime.now(UTC) - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
            return datetime.fromisoformat(text).astimezone(UTC)
        except (ValueError, OverflowError, OSError):
            self.fail("write how long ago, such as 30m, 12h or 1d, or a date, such as 2026-01-31", param, ctx)


class Seconds(_Span):
    """A span such as `2s`, `1m` or `0.5s`, in seconds; more than 0 and at most a day."""

    name = "seconds"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The seconds."""
        span = _SPAN.fullmatch(str(value))
        seconds = timedelta(**{_UNITS[span[2]]: float(span[1])}).total_seconds() if span else 0
        if not 0 < seconds <= _DAY:
            self.fail("write how long, such as 2s or 1m", param, ctx)
        return seconds
