"""What `skillbag runtime replay` prints: the first difference, or that there is none (skill runtime, section 13)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from skillbag.report.encoding import json_object
from skillbag.report.runtime_testing import difference_lines
from skillbag.report.sanitize import shown
from skillbag.report.summary import counted
from skillbag.runtime.skill import Json
from skillbag.runtime.testing.comparison import Difference
from skillbag.runtime.testing.replaying import Replayed


def replay_lines(replayed: Replayed, trace: str) -> Iterator[str]:
    """The lines for people."""
    done = f"{counted(replayed.calls, 'call')} and {counted(replayed.hooks, 'hook')}"
    if replayed.deviation is None:
        yield f"The same: {done}."
        return
    different = replayed.deviation
    yield shown(f"{trace}:{different.line}: different after {done}")
    found = Difference(different.what, _text(different.expected), _text(different.actual))
    yield from difference_lines(found)


def replay_values(replayed: Replayed) -> dict[str, Any]:
    """The same as JSON."""
    difference = replayed.deviation._asdict() if replayed.deviation else None
    return json_object(calls=replayed.calls, hooks=replayed.hooks, difference=difference, remarks=list(replayed.notes))


def _text(value: Json) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True)
