"""Types and records that the answers of several commands share, with what JSON Schema says about them."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from skillbag.kernel.base.json_records import ABSENT, Absent, fits

ASK_FIRST_MEANS = "When to ask first, as the skill declares nothing about risk; empty if there is no need to."
Text = Annotated[str, fits(minLength=1)]
PathText = Annotated[
    Text, "With `/`; relative to the working directory if inside it (`.` is the directory itself), else absolute."
]
Count = Annotated[int, fits(minimum=0)]
OneBased = Annotated[int, fits(minimum=1)]
SkillName = Annotated[str, fits(pattern="^[a-z0-9]+(-[a-z0-9]+)*$", maxLength=64), "A canonical name."]
ExecutionId = Annotated[str, fits(pattern="^[a-z0-9]+(_[a-z0-9]+)*$", maxLength=64), "The execution identifier."]
Reason = Annotated[str, "Why not, or why it is so; empty if there is nothing to explain."]
Program = Annotated[tuple[str, ...], "The words of the program that runs the skill's code; none for a prompt."]
Owner = Annotated[str, fits(minLength=1), "A skill's name, or `*` for any."]
Typed = Annotated[
    Any,
    fits(type=("string", "number", "boolean", "array", "object")),
    "A value, typed as YAML's core schema does.",
]
File = Annotated[str | None, fits(minLength=1), "The file, relative to the workspace, with `/`; null without a file."]
Line = Annotated[int | None, fits(minimum=1), "1-based; null without a file."]
LevelName = Annotated[
    str,
    fits(enum=("conversation", "user-context", "context", "entrypoint", "skill", "discovered")),
    "The level, highest first.",
]


class RemarksJson(NamedTuple):
    """What every answer of `skillbag runtime` ends with."""

    remarks: Annotated[tuple[Text, ...], "What does no harm, but should be known."]


class MistakeJson(NamedTuple):
    """It failed: the skill (1), wrong usage (2), or the environment (4)."""

    error: Annotated[Text, "What is wrong, where, and what to do."]
    remarks: tuple[Text, ...] | Absent = ABSENT
