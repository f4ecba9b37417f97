"""`registry:NAME@RANGE` where a command takes the name of a skill, or `--source` (skill runtime, section 10)."""

from __future__ import annotations

from dataclasses import replace

from skillbag.kernel.base.errors import UserError
from skillbag.supply.install.request import InstallRequest
from skillbag.supply.install.request_set import SkillRequest
from skillbag.supply.sources.registry_address import parse_registry_name

_SHORT, _FULL = "registry:", "registry+"


def is_of_registry(text: str) -> bool:
    """Whether `text` names a skill of a registry instead of a name or another source."""
    return text.lower().startswith((_SHORT, _FULL))


def parse_origin(text: str, version: str | None = None) -> SkillRequest:
    """The skill that `registry:NAME@RANGE` or `registry+https://HOST/NAME@RANGE` names, at `version` without a range.

    Raises:
        UserError: the name is malformed, or there are a range and a version.
    """
    at = len(_SHORT) if text.lower().startswith(_SHORT) else text.rfind("/") + 1
    name, wanted = parse_registry_name(text[at:])
    if wanted and version:
        raise UserError(f"{name}: {wanted} and --version {version}: give one of them")
    return SkillRequest(name, text[:at] + name, wanted or version)


def with_origins(request: InstallRequest) -> InstallRequest:
    """The request with the plain name of each skill of a registry, whose source and range are in `origins`.

    Raises:
        UserError: a name is malformed, or `--source` contradicts it.
    """
    names, source = request.names, request.source
    if source is not None and is_of_registry(source):
        found = parse_origin(source, request.version)
        if any(name != found.name for name in names):
            raise UserError(f"--source names the skill {found.name} of a registry: leave out the other names")
        return replace(request, names=(found.name,), source=None, version=None, everything=False, origins=(found,))
    if not any(map(is_of_registry, names)):
        return request
    if source is not None:
        raise UserError("registry:NAME names its source itself: leave out --source, or install the others separately")
    parsed = [parse_origin(name, request.version) if is_of_registry(name) else SkillRequest(name) for name in names]
    origins = tuple(found for found in parsed if found.source)
    return replace(request, names=tuple(found.name for found in parsed), origins=origins)
