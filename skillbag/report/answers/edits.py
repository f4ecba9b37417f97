"""What `check --fix` would do, as JSON has it: a change of one file, of several kinds."""

from __future__ import annotations

from skillbag.kernel.base.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated, Literal

    from skillbag.report.answers.types import Count, OneBased, PathText


class PlaceJson(NamedTuple):
    """A place in a text, its byte order mark not counted; line ends are as in the file."""

    line: Annotated[OneBased, "1-based; a line ends with a line feed."]
    column: Annotated[OneBased, "1-based, in Unicode code points."]
    offset: Annotated[Count, "0-based, in Unicode code points from the start of the text."]


class ReplaceEditJson(NamedTuple):
    """Replace the text from `start` to `end`."""

    path: PathText
    kind: Literal["replace"]
    start: PlaceJson
    end: PlaceJson
    text: str


class WriteEditJson(NamedTuple):
    """Write the whole text; there may be no such file yet."""

    path: PathText
    kind: Literal["write"]
    text: str


class RenameEditJson(NamedTuple):
    """Rename the file; any text is written first."""

    path: PathText
    kind: Literal["rename"]
    to: PathText


class ModeEditJson(NamedTuple):
    """Make the file executable for all who may read it."""

    path: PathText
    kind: Literal["make-executable"]


EditJson = ReplaceEditJson | WriteEditJson | RenameEditJson | ModeEditJson
