"""Publishing a skill: checked as `skillbag check` does, packed, and put into the store."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.documents.catalog import collapse
from skillbag.kernel.fs.changes import create, write_new
from skillbag.kernel.manifest.names import MANIFEST_FILE
from skillbag.kernel.manifest.reader import ManifestFile, read_manifest
from skillbag.kernel.model.findings import Severity
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.target import SkillFolder, Target, TargetKind
from skillbag.lint.engine.config import Config, choose
from skillbag.lint.engine.lint import lint_target
from skillbag.lint.rules.builtin import load_rules
from skillbag.lint.rules.model import Rule
from skillbag.supply.registry.packing import pack, packed_files
from skillbag.supply.registry.store import ARCHIVE_FILE, NewVersion, RegistryStore

_SHOWN = 10
"""The most errors that a message repeats."""


class PublishedVersion(NamedTuple):
    """A version of a skill in the store; not `is_new` if it was there with the same content."""

    name: str
    version: str
    is_new: bool


def publish(folder: str, store: RegistryStore) -> PublishedVersion:
    """Publish the skill in the absolute `folder`.

    Raises:
        UserError: it has no manifest or has errors, can't be packed, or its version has other content already.
        OSError: it can't be read, or the store can't be written.
    """
    file = _checked(folder)
    if file.manifest is None or file.document is None:
        raise UserError(f"{file.path}: {file.errors[0].text}")
    entries = packed_files(folder)
    with store.staging() as staged:
        path = os.path.join(staged, ARCHIVE_FILE)
        with create(path) as archive:
            content = pack(entries, archive)
        _compare(path, file.path, file.document.raw)
        write_new(os.path.join(staged, MANIFEST_FILE), file.document.raw)
        new = NewVersion(file.manifest.name, file.manifest.version, collapse(file.manifest.description), content)
        return PublishedVersion(new.name, new.version, store.publish(staged, new))


def _compare(archive: str, path: str, raw: bytes) -> None:
    """Refuse an archive without the manifest that was checked, whose bytes are `raw`."""
    with tarfile.open(archive, "r:gz") as members:
        try:
            packed = members.extractfile(MANIFEST_FILE)
        except KeyError as error:
            raise UserError(f"{path}: git ignores it, so it is not published; change .gitignore") from error
        if packed is None or packed.read() != raw:
            raise UserError(f"{path}: it has just changed; run the command again")


def publish_new(folder: str, store: RegistryStore) -> Iterator[str | UserError | OSError]:
    """Publish each skill in the absolute `folder` whose version is not in the store; what was published, or why not.

    A fault of one skill does not affect the others.
    """
    with os.scandir(folder) as entries:
        found = sorted(entry.path for entry in entries if not entry.name.startswith("."))
    for skill in found:
        if os.path.lexists(os.path.join(skill, MANIFEST_FILE)):
            try:
                done = publish(skill, store)
            except (UserError, OSError) as error:
                yield error
            else:
                if done.is_new:
                    yield f"published {done.name} {done.version}"


def _checked(folder: str) -> ManifestFile:
    """The manifest of a skill without errors, by the rules for sources; its own configuration does not count."""
    if not os.path.isdir(folder):
        raise UserError(f"{folder}: there is no such folder")
    if not os.path.lexists(os.path.join(folder, MANIFEST_FILE)):
        raise UserError(f"{folder}: to be published, a skill needs a {MANIFEST_FILE} with its name and version")
    above, name = os.path.split(folder)
    workspace = Workspace.of(Target(TargetKind.SKILLS, above, (above,)), (SkillFolder(name, folder, above),))
    linted = lint_target(workspace, _rules(), defined=frozenset(), today="", suppressions=False)
    errors = [finding for finding in linted.findings if finding.level is Severity.ERROR]
    if errors:
        shown = [f"{os.path.relpath(each.path, folder)}:{each.line}: {each.message}" for each in errors[:_SHOWN]]
        more = f" (and {len(errors) - _SHOWN} more)" if len(errors) > _SHOWN else ""
        hint = f"nothing was published; skillbag check {folder} shows all"
        raise UserError(f"{folder} has errors: {'; '.join(shown)}{more}; {hint}")
    return read_manifest(folder, folder)


@cache
def _rules() -> tuple[Rule, ...]:
    """The default rules, those about manifests among them; without those of our extensions, as for any source."""
    return tuple(rule for rule in choose(load_rules(), Config(folder="")) if rule.family != "extensions")
