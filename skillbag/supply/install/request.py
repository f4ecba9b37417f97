"""What the command line requests of an installation: its options, and the skills that it names.

`registry:NAME@RANGE` stands where a command takes the name of a skill, or `--source` (skill runtime, section 10).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.standard.declarations import Declaration, Level
from skillbag.kernel.standard.names import is_name
from skillbag.supply.sources.configured_hosts import parse_registry_name


@dataclass(frozen=True, slots=True)
class InstallRequest:
    """The options of an installation; `command` is its name in the report.

    `source` and `version` apply to every name; `everything` takes all skills of the source, which may be a plain
    repository of Agent Skills. `declare` also writes the names into `CONTEXT.md`. `yes` accepts the plan,
    `accept_steps` extra steps of sources, `accept_moved` versions whose content has changed. `overwrite` and `merge`
    name the skills whose local edits may be replaced or merged; `markers` marks conflicts. `wait` are the seconds to
    wait for another writer.
    `listed` are skills that a context file lists for the reserved skill to install, with the level of that file.
    `excluded` skills stay as they are. With `keep_going` the run leaves out and reports skills that `failed`. `deny`
    are risks and kinds of facts that no skill to be installed may have. `accept_rules` are security rules whose errors
    in sources are accepted. With `rename` the one skill that is named is installed under this
    name. `folders` are those of the source (relative, with `/`) that named skills are taken from.

    `skills` are the named skills with their sources: of the command line only those of a registry, which name it
    themselves; for the resolution all. There `declared` skills are being added to `CONTEXT.md`, `assumed` are those of
    them without a given version.
    """

    command: str = "install"
    names: tuple[str, ...] = ()
    source: str | None = None
    version: str | None = None
    everything: bool = False
    upgrade: bool = False
    optional: bool = False
    frozen: bool = False
    dry_run: bool = False
    yes: bool = False
    accept_steps: bool = False
    accept_moved: bool = False
    overwrite: frozenset[str] = frozenset()
    merge: frozenset[str] = frozenset()
    markers: bool = False
    declare: bool = False
    wait: float = 60.0
    listed: tuple[tuple[Declaration, Level], ...] = ()
    excluded: frozenset[str] = frozenset()
    keep_going: bool = False
    failed: frozenset[str] = frozenset()
    deny: tuple[str, ...] = ()
    accept_rules: frozenset[str] = frozenset()
    rename: str | None = None
    folders: Mapping[str, str] = field(default_factory=dict)
    skills: tuple[SkillRequest, ...] = ()
    declared: frozenset[str] = frozenset()
    assumed: frozenset[str] = frozenset()

    @property
    def renewed(self) -> frozenset[str]:
        """The skills whose local state may be replaced; of those to merge the edits are kept."""
        return self.overwrite | self.merge

    def upgrades(self, name: str) -> bool:
        """Whether a newer version of the skill is looked for."""
        return name in self.merge or (self.upgrade and (not self.names or name in self.names))


_FROZEN = "--frozen installs what is locked"


def check_request(request: InstallRequest) -> None:
    """Refuse options that contradict each other, and names that no skill can have.

    Raises:
        UserError: what to give instead.
    """
    for name in (*request.names, *filter(None, (request.rename,)), *request.overwrite, *request.merge):
        check_name(name)
    named = bool(request.names) or request.everything
    listed = bool(request.source and request.listed)
    renewed = bool(request.renewed)
    everything = ", or --all --source" if request.command == "install" else ""
    contradictions = (
        (request.everything and not request.source, "--all needs --source: everything of which source?"),
        (request.everything and request.names, "--all takes everything: give it, or names, not both"),
        (request.version and not named and not listed, f"--version needs the names of skills{everything}"),
        (request.frozen and request.upgrade, f"{_FROZEN}; --upgrade looks for newer versions: give one of them"),
        (request.frozen and renewed, f"{_FROZEN}, and touches nothing else: leave it out to overwrite or merge"),
        (request.frozen and request.accept_moved, f"{_FROZEN}, whatever versions mean now: leave out --accept moved"),
        (request.frozen and request.excluded, f"{_FROZEN}, all of it: leave out --except"),
        (request.frozen and request.keep_going, f"{_FROZEN}, all of it: leave out --accept failures"),
    )
    for wrong, message in contradictions:
        if wrong:
            raise UserError(message)
    if both := sorted(request.excluded & {*request.names, *request.overwrite, *request.merge}):
        raise UserError(f"{', '.join(both)}: named, and by --except too: give one of them")
    if both := sorted(request.overwrite & request.merge):
        raise UserError(f"{', '.join(both)}: --overwrite lets local edits go, --merge keeps them: give one of them")


def check_name(name: str) -> None:
    """Refuse what is no canonical name of a skill (clause root.name-pattern); suggest the name that may be meant."""
    if is_name(name):
        return
    from skillbag.supply.bootstrap.skill import suggest_name

    better = suggest_name(name)
    hint = f"; is {better} meant?" if better else ""
    raise UserError(f"{name!r} is not a skill's name: use a-z, 0-9 and single hyphens{hint}")


@dataclass(frozen=True, slots=True)
class SkillRequest:
    """One skill of the command line with its source and version, and its folder there if its name does not tell."""

    name: str
    source: str | None = None
    version: str | None = None
    folder: str | None = None


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
    """The request with the plain name of each skill of a registry, whose source and range are in `skills`.

    Raises:
        UserError: a name is malformed, or `--source` contradicts it.
    """
    names, source = request.names, request.source
    if source is not None and is_of_registry(source):
        found = parse_origin(source, request.version)
        if any(name != found.name for name in names):
            raise UserError(f"--source names the skill {found.name} of a registry: leave out the other names")
        return replace(request, names=(found.name,), source=None, version=None, everything=False, skills=(found,))
    if not any(map(is_of_registry, names)):
        return request
    if source is not None:
        raise UserError("registry:NAME names its source itself: leave out --source, or install the others separately")
    parsed = [parse_origin(name, request.version) if is_of_registry(name) else SkillRequest(name) for name in names]
    skills = tuple(found for found in parsed if found.source)
    return replace(request, names=tuple(found.name for found in parsed), skills=skills)
