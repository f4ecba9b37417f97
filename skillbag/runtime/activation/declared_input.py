"""The input of a call, checked by the manifest before the skill is started (skill runtime, section 8)."""

from __future__ import annotations

from skillbag.runtime.activation.input_checks import InputCheck, check_schema
from skillbag.runtime.backends.answers import declared_schema
from skillbag.runtime.backends.backend import ToolSpec
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.host.schemas import first_fault
from skillbag.runtime.skill import FoundSkill, Json


def check_declared_input(found: FoundSkill, tool: str, value: Json) -> None:
    """Check the input of a call against the schema that the manifest declares for the tool, if there is one that can be
    used. The activation of the skill says what is wrong with another one.

    Raises:
        BadParametersError: it does not match; the message says where.
    """
    spec = _declared(found, tool)
    if spec is not None:
        InputCheck(spec).check(value, first_fault)


def _declared(found: FoundSkill, tool: str) -> ToolSpec | None:
    declaration = next((each for each in found.manifest.tools if each.name == tool), None)
    if declaration is None:
        return None
    try:
        spec = ToolSpec(tool, "", declared_schema(declaration, found.directory))
        check_schema(spec.input_schema, f'the tool "{tool}" of skill "{found.name}"')
    except RuntimeFaultError:
        return None
    return spec
