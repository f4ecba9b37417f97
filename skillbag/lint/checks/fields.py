"""The front matter: required keys, types, names and descriptions of skills; and the length of the body after it.

Source: the guidance of the Agent Skills format: a description says what a skill does and when to use it, in the third
person, because it becomes part of the agent's own instructions. Words are compared as they are: no expression is
compiled for a check that finds nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.nodes import Mapping, MappingEntry, Node, Scalar
from skillbag.kernel.documents.source import Document, DocumentProblem
from skillbag.kernel.fs import tracked
from skillbag.kernel.model.findings import TextEdit
from skillbag.kernel.standard.blocks import context_names, is_empty, kind_of
from skillbag.kernel.standard.names import fixable, is_name, name_fault
from skillbag.kernel.workspace.model import Inventory
from skillbag.kernel.workspace.skill import CHARACTERS_PER_TOKEN, Skill
from skillbag.kernel.workspace.target import SKILL_FILE, SKILL_ROOT
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, match_at, short


class Fields(NamedTuple):
    """`fields`: their keys, with dots within mappings: `metadata.version`."""

    fields: tuple[str, ...] = ()


class FieldLength(NamedTuple):
    """A field, and the least and the greatest length of its text in characters."""

    field: str = ""
    at_least: int = 0
    at_most: int = 1_000_000


@Predicate("field-required", Subject.SKILL, values=("field", "reason"), options=Fields)
def field_required(skill: Skill, options: Fields) -> Iterator[Match]:
    """Fields that are missing or empty, or whose value is not text."""
    matter = skill.front_matter
    if isinstance(matter, DocumentProblem):
        return
    for field in options.fields:
        entry = entry_of(skill, field)
        if entry is None:
            yield Match(skill.path, matter.start, matter.start, {"field": field, "reason": "is missing"})
        elif is_empty(entry.value):
            yield match_at(skill.path, entry.key, {"field": field, "reason": "is empty"})
        elif not isinstance(entry.value, Scalar):
            yield match_at(skill.path, entry.value, {"field": field, "reason": f"is {kind_of(entry.value)}, not text"})


@Predicate("field-length", Subject.SKILL, values=("field", "length", "most", "least"), options=FieldLength)
def field_length(skill: Skill, options: FieldLength) -> Iterator[Match]:
    """A text shorter or longer than its limits, in code points; white space around it does not count."""
    entry = entry_of(skill, options.field)
    if entry is None or not isinstance(entry.value, Scalar):
        return
    length = len(entry.value.value.strip())
    if not options.at_least <= length <= options.at_most:
        limits = {"most": str(options.at_most), "least": str(options.at_least)}
        place = entry.value if length else entry.key
        yield match_at(skill.path, place, {"field": options.field, "length": str(length), **limits})


def entry_of(skill: Skill, field: str) -> MappingEntry | None:
    """The entry of a field; a key that has the dots itself comes first."""
    if isinstance(skill.front_matter, DocumentProblem):
        return None
    top = skill.front_matter.mapping
    entry = top.entry(field)
    if entry or "." not in field:
        return entry
    node: Node = top
    for key in field.split("."):
        entry = node.entry(key) if isinstance(node, Mapping) else None
        if entry is None:
            return None
        node = entry.value
    return entry


@Predicate("key-not-text", Subject.SKILL, values=("key", "kind"), options=Fields)
def key_not_text(skill: Skill, options: Fields) -> Iterator[Match]:
    """Keys whose value is a list, or a mapping (raised)."""
    for key, value in skill.fields.items():
        if not isinstance(value, Scalar) and key in options.fields:
            match = match_at(skill.path, value, {"key": key, "kind": kind_of(value)})
            yield match._replace(raised=isinstance(value, Mapping))


_HOSTS = frozenset(["openclaw", "clawdbot", "clawdis", "moltbot", "hermes"])
"""Keys under which hosts that define them want a mapping, as their documentation says (2026-11)."""


@Predicate("metadata-not-strings", Subject.SKILL, values=("key", "kind", "wanted"))
def metadata_not_strings(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """`metadata` that is no mapping (raised), and the values in it that are no strings."""
    metadata = skill.field("metadata")
    if isinstance(metadata, Mapping):
        for key, value in metadata.entries:
            if not isinstance(value, (Scalar, Mapping) if key.value in _HOSTS else Scalar):
                values = {"key": f"metadata.{key.value}", "kind": kind_of(value), "wanted": "text"}
                yield match_at(skill.path, value, values)
    elif metadata is not None and not is_empty(metadata):
        values = {"key": "metadata", "kind": kind_of(metadata), "wanted": "a mapping of keys to texts"}
        yield match_at(skill.path, metadata, values)._replace(raised=True)


class BodyLimits(NamedTuple):
    """`max-lines` of the body, and `max-tokens`, taken as a quarter of its characters."""

    max_lines: int = 500
    max_tokens: int = 5000


@Predicate("long-body", Subject.SKILL, values=("size",), options=BodyLimits)
def long_body(skill: Skill, options: BodyLimits) -> Iterator[Match]:
    """A body of more lines, or plainly more tokens, than the limits; raised where it is a tenth more."""
    if not isinstance(skill.document, Document) or isinstance(skill.front_matter, DocumentProblem):
        return
    text, start = skill.document.text, skill.front_matter.body
    tokens = (len(text) - start) // CHARACTERS_PER_TOKEN
    if tokens <= options.max_tokens and text.count("\n", start) < options.max_lines:
        return
    lines = text.count("\n", start, len(text.rstrip())) + 1
    sizes = [f"{lines:,} lines, more than {options.max_lines:,}"] if lines > options.max_lines else []
    sizes += [f"about {tokens:,} tokens, more than {options.max_tokens:,}"] if tokens > options.max_tokens else []
    if sizes:
        far = lines >= options.max_lines * 1.1 or tokens >= options.max_tokens * 1.1
        yield Match(skill.path, start, start, {"size": ", and ".join(sizes)}, raised=far)


@Predicate("folder-name", Subject.INVENTORY, values=("name", "reason"))
def folder_name(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Skill folders whose name does not match the pattern, at the skill's own name where it has one."""
    for card in inventory.all_cards:
        if card.problem is None and not is_name(card.folder):
            start, end = (card.name.start, card.name.end) if card.name else (0, 0)
            yield Match(card.path, start, end, {"name": card.folder, "reason": name_fault(card.folder)})


@Predicate("name-differs", Subject.INVENTORY, values=("name", "folder"))
def name_differs(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Skills whose `name` is not their folder's; misnamed folders are reported by `folder_name`."""
    for card in inventory.all_cards:
        if card.name and card.name.value != card.folder and is_name(card.folder):
            yield match_at(card.path, card.name, {"name": card.name.value, "folder": card.folder})


@Predicate("not-canonical", Subject.INVENTORY, values=("name", "canonical"))
def not_canonical(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Names in catalog entries and dependency declarations that are written with `_`, spaces or capitals."""
    yield from _catalog_names(inventory)
    for card in inventory.cards:
        for dependency in card.dependencies:
            yield from _declared(card.path, *dependency.name)
    for path, scalar in context_names(inventory.workspace):
        yield from _declared(path, scalar.value, scalar.start, scalar.end)


def _declared(path: str, name: str, start: int, end: int) -> Iterator[Match]:
    if better := fixable(name):
        values = {"name": name, "canonical": better}
        # With quotes around it the name stays quoted; any other difference in length is an escape, left alone.
        quotes = (end - start - len(name)) // 2
        edit = TextEdit(path, start + quotes, end - quotes, better)
        yield Match(path, start, end, values, (edit,) if end - start - len(name) in (0, 2) else ())


def _catalog_names(inventory: Inventory) -> Iterator[Match]:
    workspace = inventory.workspace
    lines = workspace.catalog.lines if workspace.catalog else ()
    listed = {line.name for line in lines}
    path = workspace.path(SKILL_ROOT, "SKILLS.md")
    for line in lines:
        better = fixable(line.name)
        # An entry with the name of a misnamed folder is not a fault of its own.
        if better and line.name not in inventory.by_folder:
            end = line.start + len(line.name)
            safe = better in inventory.by_folder and better not in listed
            edits = (TextEdit(path, line.start, end, better),) if safe else ()
            yield Match(path, line.start, end, {"name": line.name, "canonical": better}, edits)


_RUN = late(r"run ([a-z0-9]+(?:-[a-z0-9]+)+)(?![\w-])")


@Predicate("invocation", Subject.TEXT, values=("name", "identifier"), literals=(b"`run ",))
def invocation(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Code spans such as `run convert-to-pdf` that name an existing skill."""
    if text.language != "markdown":
        return
    suspects = {match[1] for match in _RUN().finditer(text.document.text)}
    root = text.skill.skills_root if text.skill else os.path.join(os.path.dirname(text.document.path), SKILL_ROOT)
    known = {name for name in suspects if tracked.is_file(os.path.join(root, name, SKILL_FILE))}
    for span in text.markdown.code_spans if known else ():
        match = _RUN().match(span.text)
        if match and match[1] in known:
            yield match_at(text.document.path, span, {"name": match[1], "identifier": match[1].replace("-", "_")})


_WHEN = (
    "when", "while", "before", "after", "during", "if ", "once ", "upon", "trigger", "invoke", "asks", "asked",
    "mention", "use this", "use it", "use for", "use to", "used for", "used to", "useful", "cases", "situations",
    "scenario", "needs", "need to", "wants", "proactively", "best for", "ideal for", "designed for", "intended for",
    "applies to", "keyword", "activate", "#run/",
)  # fmt: skip
"""Signs of an occasion; also within words, so that a doubtful description passes."""
_ENGLISH = (" the ", " and ", " for ", " with ", " of ", " to ", " in ", " a ", " by ")
_LEAST_WORDS = 6
"""Words from which on a description could have said when; a shorter one is a title."""
_MAX_WORDS = 8
_NOTHING = frozenset((
    "true", "false", "yes", "no", "none", "null", "n/a", "na", "-", "...", "test", "description", "a description",
    "skill", "a skill", "my skill", "this skill", "new skill", "a new skill", "useful skill", "a useful skill",
    "helpful skill", "a helpful skill", "untitled", "example", "stuff",
))  # fmt: skip
_OPENINGS = (
    "help ", "helps ", "helper ", "helpful ", "assist ", "assists ", "useful ", "handles ", "works with ",
    "deals with ", "does ", "a skill ", "this skill ", "skill for ", "tools for ", "a tool for ", "tool for ",
    "utilities for ", "utility for ", "various ", "miscellaneous ", "misc ", "general ", "processes data",
    "processes files",
)  # fmt: skip
_FIRST = (
    *("I ", "I'm ", "I’m ", "I'll ", "I’ll ", "I've ", "We ", "We'll ", "My job ", "Let me "),
    *("You can use ", "You can ask "),
)
_FURTHER = (*[f". {words}" for words in _FIRST], "I can help", "I will help", "I help ", " to help me ")
_QUOTES = '"“”‘「『`'


def _says_when(text: str) -> bool:
    return any(sign in text for sign in _WHEN)


@Predicate("no-when", Subject.SKILL)
def no_when(skill: Skill, options: NoOptions) -> Iterable[Match]:
    """A description in English that says what the skill does, but not when to use it."""
    description = skill.description
    if description is None or not description.value:
        return ()
    text = f" {description.value.lower()} "
    if _says_when(text) or not text.isascii() or len(text.split()) < _LEAST_WORDS:
        return ()
    if not any(word in text for word in _ENGLISH):
        return ()
    return (match_at(skill.path, description),)


@Predicate("vague-description", Subject.SKILL, values=("text",))
def vague_description(skill: Skill, options: NoOptions) -> Iterable[Match]:
    """A short description without a subject: `Helps with documents`."""
    description = skill.description
    if description is None or len(description.value) > 80:
        return ()
    text = description.value.lower().strip(" .!")
    opens = text.startswith(_OPENINGS) and len(text.split()) <= _MAX_WORDS and not _says_when(text.partition(" ")[2])
    if not opens and text not in _NOTHING:
        return ()
    return (match_at(skill.path, description, {"text": short(description.value.strip())}),)


@Predicate("first-person", Subject.SKILL, values=("text",))
def first_person(skill: Skill, options: NoOptions) -> Iterable[Match]:
    """A description that speaks as the agent, or to its reader: `I can help you`, `You can use this to`."""
    description = skill.description
    text = description.value if description else ""
    if description is None or not (text.startswith(_FIRST) or any(words in text for words in _FURTHER)):
        return ()
    said = next((phrase for at in _places(text) if (phrase := _phrase(text, at))), "")
    return (match_at(skill.path, description, {"text": said}),) if said else ()


def _places(text: str) -> Iterable[int]:
    if text.startswith(_FIRST):
        yield 0
    for words in _FURTHER:
        at = text.find(words)
        if at >= 0:
            yield at + len(words) - len(words.lstrip(". "))


def _phrase(text: str, at: int) -> str:
    """The words from `at` on; none where they are quoted, or `I` is a numeral or a part of a name."""
    near = text[max(0, at - 80) : at]
    quoted = any(mark in near for mark in _QUOTES) or " '" in near
    words = text[at:].split()[:4]
    return "" if quoted or len(words) < 3 or not words[1][0].islower() else short(" ".join(words))
