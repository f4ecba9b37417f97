"""The facts of skills as a CycloneDX bill of materials; only this module needs the library, from the extra `sbom`.

A skill is a component with the hash of its folder; packages and opaque files are components within it, hosts are
services. All facts are properties of the skill as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.service import Service
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from skillbag import __version__
from skillbag.lint.capabilities.facts import Fact, FactKind, SkillFacts, TargetFacts
from skillbag.report.capabilities.values import folder_in
from skillbag.report.sanitize import exact

_ECOSYSTEMS = {
    "npm": "npm",
    "pypi": "pypi",
    "cargo": "cargo",
    "gem": "gem",
    "go": "golang",
    "nuget": "nuget",
    "conda": "conda",
}
_SHA256 = "sha256:"


def render(targets: Sequence[TargetFacts]) -> str:
    """The bill of materials as JSON of CycloneDX 1.6; without a time, and with a serial number of its content."""
    components = [_skill(skill, target) for target in targets for skill in target.skills]
    parts = "\n".join(f"{component.bom_ref.value}" for component in components)
    metadata = BomMetaData(
        tools=None,
        component=Component(name="skills", type=ComponentType.DATA, bom_ref="skills"),
        properties=[Property(name="skillbag:version", value=__version__)],
    )
    # The library sets the present time, which would make each output another one.
    metadata.timestamp = None  # type: ignore[assignment]
    bom = Bom(
        components=components,
        services=_services(targets),
        serial_number=uuid5(NAMESPACE_URL, parts),
        metadata=metadata,
    )
    if bom.metadata.component is not None:
        bom.register_dependency(bom.metadata.component, components)
    return JsonV1Dot6(bom).output_as_string(indent=2) + "\n"


def _skill(skill: SkillFacts, target: TargetFacts) -> Component:
    path = exact(folder_in(skill, target.root))
    reference = f"skill:{path}@{skill.content}"
    hashes = [HashType(alg=HashAlgorithm.SHA_256, content=skill.content.removeprefix(_SHA256))] if skill.content else []
    properties = [Property(name="skillbag:path", value=path), Property(name="skillbag:risk", value=skill.risk.value)]
    properties += [Property(name=f"skillbag:{fact.kind.value}", value=_sentence(fact)) for fact in skill.facts]
    for name, values in (
        ("unused", skill.comparison.unused),
        ("undeclared", skill.comparison.undeclared),
        ("unnamed-host", skill.comparison.unnamed_hosts),
    ):
        properties += [Property(name=f"skillbag:{name}", value=exact(value)) for value in values]
    return Component(
        name=exact(skill.name),
        type=ComponentType.DATA,
        bom_ref=reference,
        hashes=hashes,
        properties=properties,
        components=[*_packages(skill, reference), *_files(skill, reference)],
    )


def _sentence(fact: Fact) -> str:
    """A fact in one line: value, risk, marks and places."""
    said = ", ".join((fact.risk.value, *fact.marks, *([fact.detail] if fact.detail else [])))
    return exact(f"{fact.value} ({said}) {' '.join(map(str, fact.places))}".rstrip())


def _packages(skill: SkillFacts, reference: str) -> Iterator[Component]:
    for fact in skill.facts:
        if fact.kind is FactKind.PACKAGE:
            manager, _, name = exact(fact.value).partition(":")
            yield Component(
                name=name,
                type=ComponentType.LIBRARY,
                bom_ref=f"{reference}/package:{manager}:{name}",
                purl=_purl(manager, name),
                properties=[Property(name="skillbag:marks", value=", ".join((manager, *fact.marks)))],
            )


def _purl(manager: str, name: str) -> PackageURL | None:
    kind = _ECOSYSTEMS.get(manager)
    if kind is None or "://" in name or not name.strip("@/"):
        return None
    namespace, _, last = name.rpartition("/")
    return PackageURL(kind, namespace or None, last) if last else None


def _files(skill: SkillFacts, reference: str) -> Iterator[Component]:
    for fact in skill.facts:
        if fact.kind is FactKind.OPAQUE_FILE:
            path = exact(fact.value)
            digest = fact.detail.rpartition(_SHA256)[2]
            yield Component(
                name=path,
                type=ComponentType.FILE,
                bom_ref=f"{reference}/file:{path}",
                hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)],
                description=exact(fact.detail.partition(",")[0]),
            )


def _services(targets: Sequence[TargetFacts]) -> Iterator[Service]:
    """One service for each host that a skill contacts."""
    hosts: dict[str, set[str]] = {}
    for target in targets:
        for skill, fact in target.facts:
            if fact.kind is FactKind.HOST:
                hosts.setdefault(fact.value, set()).add(skill.name)
    for host, skills in sorted(hosts.items()):
        properties = [Property(name="skillbag:skill", value=exact(name)) for name in sorted(skills)]
        yield Service(name=exact(host), bom_ref=f"host:{exact(host)}", x_trust_boundary=True, properties=properties)
