"""The front matter: required keys and the types of the others; and the length of the body after it."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.nodes import Mapping, Scalar
from skillbag.kernel.documents.source import Document, DocumentProblem
from skillbag.kernel.standard.blocks import is_empty, kind_of
from skillbag.kernel.workspace.skill import CHARACTERS_PER_TOKEN, Skill
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, match_at


class Keys(NamedTuple):
    """`keys`: the keys of the front matter that are checked."""

    keys: tuple[str, ...] = ()


@Predicate("key-missing", Subject.SKILL, values=("key", "reason"), options=Keys)
def key_missing(skill: Skill, options: Keys) -> Iterator[Match]:
    """Keys that are missing or empty, or whose value is not text."""
    matter = skill.front_matter
    if isinstance(matter, DocumentProblem):
        return
    for key in options.keys:
        entry = matter.mapping.entry(key)
        if entry is None:
            yield Match(skill.path, matter.start, matter.start, {"key": key, "reason": "is missing"})
        elif is_empty(entry.value):
            yield match_at(skill.path, entry.key, {"key": key, "reason": "is empty"})
        elif not isinstance(entry.value, Scalar):
            reason = f"is {kind_of(entry.value)}, not text"
            yield match_at(skill.path, entry.value, {"key": key, "reason": reason})


@Predicate("key-not-text", Subject.SKILL, values=("key", "kind"), options=Keys)
def key_not_text(skill: Skill, options: Keys) -> Iterator[Match]:
    """Keys whose value is a list or a mapping."""
    if isinstance(skill.front_matter, DocumentProblem):
        return
    for key, value in skill.front_matter.mapping.entries:
        if not isinstance(value, Scalar) and key.value in options.keys:
            yield match_at(skill.path, value, {"key": key.value, "kind": kind_of(value)})


@Predicate("metadata-not-strings", Subject.SKILL, values=("key", "kind", "wanted"))
def metadata_not_strings(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """`metadata` that is no mapping (raised), and the values in it that are no strings."""
    metadata = skill.field("metadata")
    if isinstance(metadata, Mapping):
        for entry in metadata.entries:
            if not isinstance(entry.value, Scalar):
                values = {"key": f"metadata.{entry.key.value}", "kind": kind_of(entry.value), "wanted": "text"}
                yield match_at(skill.path, entry.value, values)
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
