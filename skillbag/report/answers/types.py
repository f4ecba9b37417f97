"""Types of values in the answers of several commands, with what JSON Schema says about them."""

from __future__ import annotations

from typing import Annotated, Any

from skillbag.kernel.base.json_records import fits

Text = Annotated[str, fits(minLength=1)]
Count = Annotated[int, fits(minimum=0)]
SkillName = Annotated[str, fits(pattern="^[a-z0-9]+(-[a-z0-9]+)*$", maxLength=64), "A canonical name."]
ExecutionId = Annotated[str, fits(pattern="^[a-z0-9]+(_[a-z0-9]+)*$", maxLength=64), "The execution identifier."]
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
