"""The source line of a finding with the place underlined: masked, escaped, and cut to the room there is."""

from __future__ import annotations

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.model.findings import Finding
from skillbag.report.columns import head_or_more, more_or_tail, width
from skillbag.report.sanitize import masked, visible

_REACH = 4096
"""How far around a finding a line is looked at, in code points: more than any terminal shows."""

_TAB = "    "


class Excerpt(NamedTuple):
    """A source line as shown, in three parts: what stands before the place, the place itself, and what follows."""

    before: str
    place: str
    after: str

    @property
    def source(self) -> str:
        """The line as shown, without white space at its end."""
        # The parts were made visible one by one; joined, they must not spell what opens a command in a job's log.
        return "".join(self).rstrip().replace("##[", "#?[").replace("##vso[", "#?vso[")

    @property
    def underline(self) -> str:
        """Blanks and carets that stand right under the place; one caret where the place is a point."""
        return " " * width(self.before) + "^" * max(1, width(self.place))


def excerpt(finding: Finding, room: int) -> Excerpt:
    """The excerpt of a finding, at most `room` columns wide; a longer line is a window with `…` at the cut ends."""
    before, place, after = (visible(part).replace("\t", _TAB) for part in _parts(finding))
    if width(place) > room - 2:
        place, after = head_or_more(place, room - 2), ""
    spare = room - max(1, width(place))
    after = head_or_more(after.rstrip(), max(spare // 2, spare - width(before)))
    return Excerpt(more_or_tail(before, spare - width(after)), place, after)


def _parts(finding: Finding) -> tuple[str, str, str]:
    line = finding.excerpt
    start = min(finding.column - 1, len(line))
    end = finding.end_column - 1 if finding.end_line == finding.line else len(line)
    end = min(max(start, end), start + _REACH, len(line))
    origin = max(0, start - _REACH)
    line, start, end = line[origin : end + _REACH], start - origin, end - origin
    clean = masked(line)
    if clean != line:
        start, end = _moved(line, clean, start), _moved(line, clean, end)
    return clean[:start], clean[start:end], clean[end:]


def _moved(line: str, clean: str, at: int) -> int:
    # A place behind a secret moves with the mask; a place inside one falls back to where the mask begins.
    before = masked(line[:at])
    if clean.startswith(before):
        return len(before)
    return next(index for index, char in enumerate(before) if clean[index : index + 1] != char)
