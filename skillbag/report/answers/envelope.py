"""What the JSON of every command begins with; `schemas/envelope.schema.json` is made of it."""

from __future__ import annotations

from skillbag.kernel.base.json_records import ABSENT, Absent, fits
from skillbag.kernel.base.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated

    from skillbag.report.answers.types import Text

VERSION = 1


class EnvelopeJson(NamedTuple):
    """An object with these keys, then the data of the command, which the schema of its family describes."""

    version: Annotated[int, fits(const=VERSION)]
    command: Annotated[
        Text,
        "The command's whole name, such as `runtime list`; `skillbag` where none is known."
        " Another name of a command gives that of the command.",
    ]
    exit: Annotated[
        int,
        fits(enum=(0, 1, 2, 3, 4)),
        "The exit code: 0 done, 1 findings or a failure of what was called, 2 bad usage,"
        " 3 a question must be answered first, 4 the environment failed.",
    ]
    error: Annotated[Text | Absent, "What is wrong, where, and what to do; a line each."] = ABSENT
