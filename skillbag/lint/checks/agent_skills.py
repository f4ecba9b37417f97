"""The constraints of the Agent Skills format that clauses of the standard do not state.

Source: https://agentskills.io/specification

Source: the Agent Skills format: `license` is the name of a license, or of a license file that comes with the skill.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.nodes import Mapping, MappingEntry, Scalar, foreign_type
from skillbag.kernel.documents.source import DocumentProblem
from skillbag.kernel.fs import tracked
from skillbag.kernel.model.findings import TextEdit
from skillbag.kernel.standard.blocks import entries_of, items_of
from skillbag.kernel.standard.names import is_foreign_name, is_name, name_fault, normalized
from skillbag.kernel.workspace.model import Inventory
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.summary import SkillSummary
from skillbag.kernel.workspace.target import SKILL_ROOT
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, match_at, short

FORMAT_KEYS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
"""The keys of the Agent Skills format."""

SKILLBAG_KEYS = ("dependencies",)
"""The keys that the SkillBag standard adds, known in workspaces and sources."""


@Predicate("invalid-name", Subject.SKILL, values=("name", "reason"))
def invalid_name(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """A declared name that breaks the format's pattern or length."""
    name = skill.field("name")
    if isinstance(name, Scalar) and name.value.strip() and not is_name(name.value) and not is_foreign_name(name.value):
        yield match_at(skill.path, name, {"name": short(name.value), "reason": name_fault(name.value)})


@Predicate("foreign-name", Subject.SKILL, values=("name", "letters"))
def foreign_name(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """A declared name that the format allows, with letters or digits other than a-z and 0-9."""
    name = skill.field("name")
    if isinstance(name, Scalar) and is_foreign_name(name.value):
        letters = dict.fromkeys(char for char in name.value if not char.isascii())
        yield match_at(skill.path, name, {"name": short(name.value), "letters": short("".join(letters))})


@Predicate("name-not-directory", Subject.SKILL, values=("name", "folder"))
def name_not_directory(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """A valid name that differs from the folder's; names of other scripts are compared after NFKC."""
    name = skill.field("name")
    if isinstance(name, Scalar) and name.value != skill.folder and _is_other_name(name.value, skill.folder):
        # A skill that is a whole repository may be cloned into a folder of any name.
        is_clone = skill.directory == skill.root and tracked.exists(os.path.join(skill.directory, ".git"))
        if not is_clone:
            yield match_at(skill.path, name, {"name": name.value, "folder": skill.folder})


def _is_other_name(name: str, folder: str) -> bool:
    return is_name(name) or (is_foreign_name(name) and normalized(name) != normalized(folder))


_RESERVED = ("anthropic", "claude")


@Predicate("reserved-word", Subject.SKILL, values=("name", "word"))
def reserved_word(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """A declared name with a word that Anthropic's services reserve (their documentation of skills for the API).

    Raised where the name is such a word, or begins as that of an official skill would.
    """
    name = skill.field("name")
    if isinstance(name, Scalar):
        words = name.value.split("-")
        word = next((word for word in _RESERVED if word in words), None)
        if word:
            official = name.value == word or name.value.startswith(("anthropic-", "claude-official"))
            yield match_at(skill.path, name, {"name": short(name.value), "word": word})._replace(raised=official)


@Predicate("key-vendor-specific", Subject.SKILL, values=("key", "readers"))
def vendor_key(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Keys outside the format that a program is known to read; SkillBag's own count in plain skills only."""
    for entry in _further_keys(skill):
        # Most skills have no such key, and need no table of them.
        from skillbag.lint.checks.key_readers import readers

        if known := readers(entry.key.value):
            yield match_at(skill.path, entry.key, {"key": entry.key.value, "readers": known})


@Predicate("key-unknown", Subject.SKILL, values=("key", "nearest"))
def unknown_key(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Keys that no known program reads in a skill; raised where one was meant. `x-` marks a private key."""
    for entry in _further_keys(skill):
        from skillbag.lint.checks.key_readers import meant_key, readers

        key = entry.key.value
        if readers(key) is None and not key.lower().startswith("x-"):
            nearest = meant_key(key, FORMAT_KEYS)
            values = {"key": short(key), "nearest": nearest}
            yield Match(skill.path, entry.key.start, entry.key.end, values, raised=bool(nearest))


def _further_keys(skill: Skill) -> Iterator[MappingEntry]:
    matter = skill.front_matter
    for entry in () if isinstance(matter, DocumentProblem) else matter.mapping.entries:
        key = entry.key.value
        own = key in SKILLBAG_KEYS and os.path.basename(skill.skills_root) == SKILL_ROOT
        if key not in FORMAT_KEYS and not own:
            yield entry


@Predicate("same-name", Subject.INVENTORY, values=("name", "other"))
def same_name(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Skills of one skills root that declare the name of another; the one whose folder has the name owns it."""
    owners: dict[tuple[str, str], SkillSummary] = {}
    for card in sorted(inventory.cards, key=lambda card: (not card.name or card.name.value != card.folder, card.path)):
        if card.name is None:
            continue
        owner = owners.setdefault((card.skills_root, card.name.value), card)
        if owner is not card:
            yield match_at(card.path, card.name, {"name": short(card.name.value), "other": owner.folder})


_ALIKE = (("rn", "m"), ("vv", "w"), ("cl", "d"), ("0", "o"), ("1", "l"), ("i", "l"), ("5", "s"))
"""What is easily taken for one another in many typefaces."""


@Predicate("lookalike-name", Subject.INVENTORY, values=("name", "other"))
def lookalike_name(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Names of one skills root that differ in signs that look alike; the first by its path is taken for the honest one.

    Source: technique F9 of the taxonomies of malicious skills. An offline check knows no list of well-known names.
    """
    known: dict[tuple[str, str], str] = {}
    for card in sorted(inventory.cards, key=lambda card: card.path):
        if card.name is None:
            continue
        name = looks = card.name.value
        for sign, other in _ALIKE:
            looks = looks.replace(sign, other)
        first = known.setdefault((card.skills_root, looks), name)
        if first != name:
            yield match_at(card.path, card.name, {"name": short(name), "other": short(first)})


_MARKUP = late(r"</?[A-Za-z][\w-]*(?:\s[^<>]{0,200})?/?>")


@Predicate("markup", Subject.SKILL, values=("tag", "key"))
def markup(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Tags in angle brackets in the name or the description."""
    for key in ("name", "description"):
        value = skill.field(key)
        if isinstance(value, Scalar) and "<" in value.value and (match := _MARKUP().search(value.value)):
            text = "" if isinstance(skill.document, DocumentProblem) else skill.document.text
            at = text.find(match[0], value.start, value.end)
            span = (at, at + len(match[0])) if at >= 0 else (value.start, value.end)
            yield Match(skill.path, *span, {"tag": short(match[0]), "key": key})


_TEXT_KEYS = ("name", "description", "license", "compatibility", "allowed-tools", "version")


@Predicate("foreign-value", Subject.SKILL, values=("key", "value", "kind", "advice"))
def foreign_value(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Plain values meant as text that other YAML readers take for another type."""
    for label, scalar in _texts(skill):
        if scalar.plain and scalar.value and (kind := foreign_type(scalar)):
            quoted = f'"{scalar.value}"'
            edits: tuple[TextEdit, ...] = (TextEdit(skill.path, scalar.start, scalar.end, quoted),)
            advice = f": `{quoted}`"
            if label == "description":
                # In quotes it would still describe nothing.
                edits, advice = (), ", or better: write what the skill does, and when to use it"
            values = {"key": label, "value": scalar.value, "kind": kind, "advice": advice}
            yield match_at(skill.path, scalar, values, edits)


def _texts(skill: Skill) -> Iterator[tuple[str, Scalar]]:
    for name, field in skill.fields.items():
        if isinstance(field, Scalar):
            if name in _TEXT_KEYS:
                yield name, field
        elif name == "metadata":
            for key, value in entries_of(field):
                if isinstance(value, Scalar):
                    yield f"metadata.{key.value}", value
    for node in skill.dependency_nodes:
        for dependency in items_of(node):
            version = dependency.get("version") if isinstance(dependency, Mapping) else None
            if isinstance(version, Scalar):
                yield "version", version


_NAMES = ("LICENSE", "LICENCE")
_ENDINGS = (".txt", ".md", ".rst")


@Predicate("license-file-missing", Subject.SKILL, values=("name",), needs="license-file")
def missing_license_file(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """A license file that is neither in the skill nor in a folder around it."""
    value = skill.field("license")
    if not isinstance(value, Scalar):
        return
    words = [word.strip(".,;:()[]`'\"") for word in value.value.split()]
    name = next((word for word in words if word.startswith(_NAMES) and word.endswith(_ENDINGS)), "")
    if not name or "/" in name or name in skill.paths:
        return
    if not any(tracked.exists(os.path.join(folder, name)) for folder in _around(skill)):
        yield match_at(skill.path, value, {"name": name})


def _around(skill: Skill) -> Iterator[str]:
    """The folders that hold the skill, up to the checked one."""
    folder = skill.directory
    while folder != skill.root and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
        yield folder
