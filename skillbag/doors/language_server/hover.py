"""What a place is about: the findings there with their rules, and the keys of front matter."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from skillbag.doors.language_server.choices import front_matter_keys
from skillbag.doors.language_server.diagnostics import range_of
from skillbag.doors.language_server.positions import EditorText
from skillbag.doors.language_server.session import EditorSession
from skillbag.kernel.documents.frontmatter import bounds
from skillbag.kernel.model.findings import Finding
from skillbag.kernel.model.result import RuleInfo
from skillbag.kernel.workspace.target import SKILL_FILE
from skillbag.report.sanitize import shown


def register(server: LanguageServer, session: EditorSession) -> None:
    """Add the feature."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        path = session.path(params.text_document.uri)
        text = session.text(path) if path else None
        if path is None or text is None:
            return None
        found = [
            (finding, place)
            for finding in session.latest.findings.get(path, ())
            if (place := range_of(finding, text)).start <= params.position <= place.end
        ]
        parts = ["\n\n".join(_about(finding, session.latest.rules.get(finding.rule))) for finding, _ in found]
        key = _about_key(path, text, params.position)
        if not parts and not key:
            return None
        content = types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join([*parts, *key]))
        return types.Hover(content, found[0][1] if found else None)


def _about(finding: Finding, rule: RuleInfo | None) -> Iterator[str]:
    clause = f", clause `{finding.clause}`" if finding.clause else ""
    yield f"**{finding.rule}** ({finding.level}{clause})"
    yield _plain(finding.message)
    if finding.fix:
        yield f"**What to do**: {_plain(finding.fix)}"
    if rule:
        yield f"**Why**: {_paragraphs(rule.why)}"
        if rule.url:
            yield f"[The rule's page]({rule.url})"


def _paragraphs(text: str) -> str:
    """A text without its line breaks within paragraphs: some editors show them."""
    return "\n\n".join(" ".join(part.split()) for part in text.strip().split("\n\n"))


def _plain(text: str) -> str:
    """A text that may hold parts of the file, without what Markdown or HTML would make of them."""
    return "".join(f"\\{char}" if char in "\\[]()<>!*_#|~&" else char for char in shown(text))


def _about_key(path: str, text: EditorText, position: types.Position) -> Iterator[str]:
    """What a key of front matter is for."""
    if not path.endswith(SKILL_FILE):
        return
    front = bounds(text.text)
    if front is None or not front.is_closed or not 0 < position.line < text.text.count("\n", 0, front.end):
        return
    line = text.text.split("\n")[position.line]
    key = line.partition(":")[0]
    if line[:1].isspace() or position.character > len(key):
        return
    for choice in front_matter_keys():
        if choice.label == key:
            yield f"**{key}**\n\n{choice.documentation or choice.detail}"
            return
