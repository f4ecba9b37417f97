"""Found skills for tests that need no folder."""

from __future__ import annotations

from typing import Any

from skillbag.kernel.manifest.names import SkillType
from skillbag.kernel.manifest.values import Manifest
from skillbag.runtime.skill import FoundSkill, SkillSource


def found(name: str = "a", source: SkillSource = SkillSource.PROJECT, **fields: Any) -> FoundSkill:
    """A skill with these fields of its manifest; `directory`, `inline` and `instructions` are those of the skill."""
    own = {key: fields.pop(key) for key in ("inline", "instructions", "hides") if key in fields}
    directory = fields.pop("directory", f"/skills/{name}")
    manifest = Manifest(
        name,
        fields.pop("version", "1.0.0"),
        fields.pop("description", f"What {name} does."),
        fields.pop("types", (SkillType.PROMPT,)),
        **fields,
    )
    return FoundSkill(manifest, source, directory, f"{directory}/SKILL.yaml", f"{source}:/skills", **own)
