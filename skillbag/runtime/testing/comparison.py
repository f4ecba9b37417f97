"""What a test case expects, compared with what came of it (skill runtime, section 13)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, NamedTuple

from skillbag.kernel.base.json_records import fits
from skillbag.kernel.documents.equality import meaning
from skillbag.kernel.manifest.cases import ABSENT, Expectation
from skillbag.runtime.skill import Json
from skillbag.runtime.testing.acts import CaseOutcome


class Difference(NamedTuple):
    """What differs, and both texts; of what is not expected at all, the one that came alone."""

    what: Annotated[str, fits(enum=("value", "contains", "error", "cancel", "score", "state", "host"))]
    expected: str
    actual: str


def differences(expect: Expectation, outcome: CaseOutcome) -> Iterator[Difference]:
    """All that is not as expected."""
    if expect.error:
        if expect.error not in outcome.error:
            yield Difference("error", expect.error, outcome.error or f"no error, but {_text(outcome.value)}")
    elif outcome.error and not (outcome.cancelled and expect.cancel):
        yield Difference("error", "", outcome.error)
        return
    if expect.value is not ABSENT and not _equal(expect.value, outcome.value):
        yield Difference("value", _text(expect.value), _text(_like(expect.value, outcome.value)))
    text = "\n".join(part for part in (_text(outcome.value), outcome.reason, outcome.error) if part)
    if expect.contains and expect.contains not in text:
        yield Difference("contains", expect.contains, text)
    if expect.cancel is not None and expect.cancel != outcome.cancelled:
        yield Difference("cancel", _text(expect.cancel), _text(outcome.cancelled))
    if expect.score is not None and expect.score != outcome.score:
        yield Difference("score", str(expect.score), str(outcome.score))
    if expect.state and expect.state != outcome.state:
        yield Difference("state", expect.state, str(outcome.state))


def _equal(expected: Json, actual: Json) -> bool:
    return actual is not ABSENT and meaning(expected) == meaning(_like(expected, actual))


def _like(expected: Json, actual: Json) -> Json:
    """A text as the JSON in it, where another value than a text is expected: that is how tools give values."""
    if not isinstance(actual, str) or isinstance(expected, str):
        return actual
    try:
        return json.loads(actual)
    except (ValueError, RecursionError):
        return actual


def _text(value: Json) -> str:
    """A value for people: a text as it is, others as JSON, an item a line."""
    if value is ABSENT:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True)
