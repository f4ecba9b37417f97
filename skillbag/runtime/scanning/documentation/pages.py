"""The pages that active skills make: a section each, and one for all diagrams of a skill; and how they are written
(skill runtime, section 8)."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.documents.source import Document, DocumentProblem, read_document
from skillbag.kernel.fs.atomic import write_atomic
from skillbag.kernel.fs.read import Unread, Unreadable, read
from skillbag.kernel.manifest.names import Phase
from skillbag.kernel.manifest.shapes import quoted
from skillbag.kernel.manifest.values import Diagram, Wiki
from skillbag.kernel.secrets.detection import mask
from skillbag.lint.signals.steering import steering
from skillbag.runtime.activation.activation import ActivatedSkill
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.scanning.sources import SkillFailure
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.skill import FoundSkill, Json

INDEX = "index.md"
DIAGRAMS = "Diagrams"
"""The title of the page with the diagrams of a skill."""

_PLAIN = Document("", b"", "{{content}}\n")
"""The template of a section without one."""

_KIND = re.compile(r"[A-Za-z][A-Za-z0-9+._-]{0,39}")


class DocumentationPage(NamedTuple):
    """A page: its path below the folder of the documentation, with `/`, its title and its text in Markdown."""

    skill: str
    path: str
    title: str
    text: str


class Pages(NamedTuple):
    """The pages in the order of the skills and their sections, and those that could not be made."""

    pages: tuple[DocumentationPage, ...]
    errors: tuple[SkillFailure, ...]


def page_paths(found: FoundSkill) -> tuple[str, ...]:
    """The paths of the pages that a skill makes, in order: its sections, then the page of diagrams."""
    wiki = found.manifest.wiki or Wiki()
    titles = [section.title for section in wiki.sections] + ([DIAGRAMS] if wiki.diagrams else [])
    names: list[str] = []
    for title in titles:
        name = stem = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "section"
        # No agent shall take a page for its instructions.
        name = stem = f"{stem}-page" if steering((found.name, f"{stem}.md"), lambda: "page") else stem
        number = 2
        while name in names:
            name, number = f"{stem}-{number}", number + 1
        names.append(name)
    return tuple(f"{found.name}/{name}.md" for name in names)


def make_pages(runtime: Runtime) -> Pages:
    """Make the pages of all active skills; one that fails does not stop the next."""
    pages: list[DocumentationPage] = []
    errors: list[SkillFailure] = []
    for active in list(runtime.skills):
        for page in _of_skill(runtime, active):
            if isinstance(page, DocumentationPage):
                pages.append(page)
            else:
                errors.append(page)
    return Pages(tuple(pages), tuple(errors))


def index_page(pages: Sequence[DocumentationPage]) -> DocumentationPage:
    """The page that lists all others, by skill."""
    lines = ["# Index", ""]
    for skill in dict.fromkeys(page.skill for page in pages):
        lines += [f"## {skill}", ""]
        lines += [f"- [{_escaped(page.title)}]({page.path})" for page in pages if page.skill == skill]
        lines.append("")
    return DocumentationPage("", INDEX, "Index", "\n".join(lines))


def _escaped(title: str) -> str:
    return re.sub(r"([\\\[\]`*_<])", r"\\\1", " ".join(title.split()))


def _of_skill(runtime: Runtime, active: ActivatedSkill) -> Iterator[DocumentationPage | SkillFailure]:
    wiki = active.found.manifest.wiki or Wiki()
    name = active.found.name
    paths = iter(page_paths(active.found))
    known: dict[str, Json] = {}
    for section in wiki.sections:
        path = next(paths)
        try:
            values = _analyzed(runtime, active, section.analyzer) if section.analyzer else {}
            known.update(values)
            content = _filled(active, section.template, {"title": section.title, **values})
            yield _page(runtime, name, path, section.title, section.template, content)
        except RuntimeFaultError as error:
            yield SkillFailure(name, path, str(error))
    if wiki.diagrams:
        path = next(paths)
        try:
            content = "\n".join(_rendered(active, diagram, known) for diagram in wiki.diagrams)
            yield _page(runtime, name, path, DIAGRAMS, "", content)
        except RuntimeFaultError as error:
            yield SkillFailure(name, path, str(error))


def _analyzed(runtime: Runtime, active: ActivatedSkill, analyzer: str) -> Mapping[str, Json]:
    """What the workflow of a section gives."""
    if analyzer not in active.registration.workflows:
        known = ", ".join(active.registration.workflows) or "none"
        raise RuntimeFaultError(f'there is no workflow "{analyzer}"; the skill registers {known}')
    values = runtime.run_workflow(f"{active.found.name}/{analyzer}", {})
    if not isinstance(values, dict):
        raise RuntimeFaultError(f'the workflow "{analyzer}" gives no object with values for the template')
    return values


def _filled(active: ActivatedSkill, template: str, values: Mapping[str, Json]) -> str:
    if not template:
        return fill(_PLAIN, "the section has no template", values)
    document = read_document(os.path.join(active.found.folder, template), active.found.folder)
    if isinstance(document, DocumentProblem):
        raise RuntimeFaultError(f"{template}: {document.detail}")
    return fill(document, template, values)


def _rendered(active: ActivatedSkill, diagram: Diagram, values: Mapping[str, Json]) -> str:
    """A diagram in a code fence of its type."""
    if not _KIND.fullmatch(diagram.type):
        raise RuntimeFaultError(f"the type of a diagram is a word such as mermaid, not {diagram.type[:40]!a}")
    text = _filled(active, diagram.template, values).rstrip("\n")
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{diagram.type}\n{text}\n{fence}\n"


def _page(runtime: Runtime, skill: str, path: str, title: str, template: str, content: str) -> DocumentationPage:
    """The page after the hooks; a heading is added, and secrets are masked."""
    data = {"title": title, "template": template, "content": content}
    outcome = runtime.hooks.dispatch(Phase.BEFORE_WIKI_SECTION, data)
    runtime.remarks += outcome.notes
    text = str(outcome.data["content"]).strip("\n")
    heading = "" if text.startswith("# ") else f"# {_escaped(title)}\n\n"
    return DocumentationPage(skill, path, title, mask(f"{heading}{text}\n"))


_HOLE = re.compile(r"\{\{([^{}\n]{0,200})\}\}")

LONGEST_PAGE = 4 << 20
"""Characters of a filled template."""


def fill(template: Document, name: str, values: Mapping[str, Json]) -> str:
    """The template with the values of its keys: a text as it is, another value as JSON. `name` is its path for errors.

    Raises:
        RuntimeFaultError: there is no such value, or the page is too long; the message has the place.
    """
    parts: list[str] = []
    length, end = 0, 0
    for hole in _HOLE.finditer(template.text):
        key = hole[1].strip()
        if key not in values:
            at = template.position(hole.start())
            known = ", ".join(sorted(values)[:20]) or "none"
            raise RuntimeFaultError(
                f"{name}:{at.line}:{at.column}: there is no value {quoted(key)}; the values are {known}"
            )
        value = values[key]
        parts += [template.text[end : hole.start()], value if isinstance(value, str) else _as_json(value)]
        length += len(parts[-1]) + len(parts[-2])
        end = hole.end()
        if length > LONGEST_PAGE:
            raise RuntimeFaultError(f"{name}: the page has more than {LONGEST_PAGE:,} characters")
    return "".join((*parts, template.text[end:]))


def _as_json(value: Json) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


RECORD = ".skillbag-wiki.json"
"""The file with the hashes of the pages that were written; whoever edits one keeps it."""


class WrittenPages(NamedTuple):
    """The paths that were written, those that are as they should be already, and those that are left alone: a user has
    written or edited them."""

    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    kept: tuple[str, ...]


def write_pages(folder: str, pages: Iterable[DocumentationPage]) -> WrittenPages:
    """Write the pages below the absolute `folder`, each at once, and the record last.

    Raises:
        UserError: the record can't be read. OSError: the environment fails.
    """
    os.makedirs(folder, exist_ok=True)
    root = os.path.realpath(folder)
    record = _read_record(root)
    hashes = dict(record)
    written, unchanged, kept = [], [], []
    for page in pages:
        data = page.text.encode("utf-8", "replace")
        path = os.path.join(root, page.path)
        before = _hash_at(path, root)
        if before == _hash(data):
            unchanged.append(page.path)
        elif before is None or before == record.get(page.path):
            write_atomic(path, data, root=root)
            written.append(page.path)
        else:
            kept.append(page.path)
            continue
        hashes[page.path] = _hash(data)
    if hashes != record:
        text = json.dumps({"version": 1, "pages": dict(sorted(hashes.items()))}, indent=1) + "\n"
        write_atomic(os.path.join(root, RECORD), text.encode(), root=root)
    return WrittenPages(tuple(written), tuple(unchanged), tuple(kept))


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _hash_at(path: str, root: str) -> str | None:
    """The hash of what is there, None for nothing; what can't be read has one that no page has."""
    # A link is the user's, wherever it leads.
    if os.path.islink(path) or os.path.realpath(os.path.dirname(path)) != os.path.dirname(path):
        return "link"
    data = read(path, root)
    if isinstance(data, Unreadable):
        return None if data.reason is Unread.MISSING else "unreadable"
    return _hash(data)


def _read_record(root: str) -> Mapping[str, str]:
    path = os.path.join(root, RECORD)
    data = read(path, root)
    if isinstance(data, Unreadable):
        if data.reason is Unread.MISSING:
            return {}
        raise UserError(f"{path}: it can't be read ({data.reason}); remove it, or name another folder")
    try:
        pages = json.loads(data)["pages"]
        return {str(name): str(value) for name, value in pages.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UserError(f"{path}: it is not a record of generated pages; remove it, or name another folder") from None
