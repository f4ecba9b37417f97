"""Completion in the words of a Markdown text: paths, headings, skills, parameters, tags, rules to suppress."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from lsprotocol.types import CompletionItemKind

from skillbag.doors.language_server import choices
from skillbag.doors.language_server.choices import CompletionChoice
from skillbag.doors.language_server.completion_yaml import Asking, parameter_choices, skill_choices
from skillbag.doors.language_server.session import EditorSession
from skillbag.kernel.documents.frontmatter import FrontMatter, front_matter
from skillbag.kernel.documents.markdown import scan
from skillbag.kernel.documents.source import Document, decode
from skillbag.kernel.workspace.tree import FILE, list_tree

_SUPPRESSION = re.compile(r"skillbag:[ \t]*ignore(?:-file)?[ \t]*\[(?:[^\]]*,)?[ \t]*([^\],]*)\Z")
_LINK = re.compile(r"\]\(<?([^()\s]*)\Z")
_SPAN = re.compile(r"`([^`]*)\Z")
_RUN = re.compile(r"run ([a-z0-9_-]*)\Z")
_COMPANION = re.compile(r"#use/([a-z0-9-]*)\Z")
_MAX = 500


class CompletionOffer(NamedTuple):
    """What is offered in place of the `prefix` before the cursor."""

    prefix: str
    choices: Iterator[CompletionChoice]


def offer_in_text(session: EditorSession, asking: Asking, line: str) -> CompletionOffer | None:
    """What may follow a line of Markdown up to the cursor."""
    if match := _SUPPRESSION.search(line):
        return CompletionOffer(match[1], iter(choices.rules()))
    if match := _LINK.search(line):
        path, hash_, anchor = match[1].partition("#")
        if hash_:
            return CompletionOffer(anchor, _anchors(session, asking, path))
        return CompletionOffer(path, _paths(asking))
    if match := _COMPANION.search(line):
        return CompletionOffer(match[1], skill_choices(asking))
    if line.count("`") % 2 and (match := _SPAN.search(line)):
        return _in_span(asking, match[1])
    return None


def _in_span(asking: Asking, prefix: str) -> CompletionOffer:
    if match := _RUN.match(prefix):
        skills = (each._replace(label=each.label.replace("-", "_")) for each in skill_choices(asking))
        return CompletionOffer(match[1], skills)
    word = re.split(r"[\s=]", prefix)[-1]
    return CompletionOffer(word, _words(asking))


def _words(asking: Asking) -> Iterator[CompletionChoice]:
    yield from (each._replace(rank=0) for each in parameter_choices(asking.index, asking.skill))
    yield from _paths(asking)
    yield from (each._replace(rank=2) for each in skill_choices(asking))


def _paths(asking: Asking) -> Iterator[CompletionChoice]:
    """The files of the skill, relative to the one that is edited."""
    unit = asking.index.skill_at(asking.path)
    if unit is None:
        return
    for entry in list_tree(unit.folder.path, _MAX).entries[:_MAX]:
        if entry.kind is FILE and entry.path != asking.path:
            name = os.path.relpath(entry.path, os.path.dirname(asking.path)).replace(os.sep, "/")
            yield CompletionChoice(name, CompletionItemKind.File, "file")


def _anchors(session: EditorSession, asking: Asking, path: str) -> Iterator[CompletionChoice]:
    """The headings of the text, or of the one that a link leads to."""
    place = os.path.normpath(os.path.join(os.path.dirname(asking.path), path)) if path else asking.path
    root = asking.index.target.root
    text = session.text(place) if place.startswith(os.path.join(root, "")) else None
    if text is None:
        return
    document = decode(place, text.text.encode("utf-8", "replace"))
    matter = front_matter(document) if isinstance(document, Document) else None
    found = scan(text.text, matter.body if isinstance(matter, FrontMatter) else 0)
    for anchor in sorted(found.anchors):
        yield CompletionChoice(anchor, CompletionItemKind.Reference, "heading")
