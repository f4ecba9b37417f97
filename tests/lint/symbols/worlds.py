"""Workspaces with skills that name each other, their indexes, and plans that are carried out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from skillbag.kernel.documents.catalog import render
from skillbag.kernel.workspace.discovery import find_targets
from skillbag.lint.engine.checker import Checker
from skillbag.lint.engine.request import CheckRequest
from skillbag.lint.symbols.index import SymbolIndex
from skillbag.lint.symbols.plan import NameEdit, RenamePlan
from skillbag.lint.symbols.values import Occurrence
from tests.supply.install.worlds import ENTRYPOINT, write

DESCRIPTIONS = {
    "draft-text": "Draft a text. Use when a page is to be written. #use/tidy-words",
    "publish-page": "Publish a page. Use when it is ready.",
    "tidy-words": "Tidy words. Use before a page goes out. #run/last #team/docs",
}
DRAFT = """---
name: draft-text
description: "{description}"
dependencies:
  - name: tidy-words
---

# Draft a text

## Parameters

```yaml
required:
  - name: topic
optional:
  - name: tone
    default: plain
    required-if: {{topic: poems}}
```

Write about `topic` in the voice of `tone=plain`. Then `run tidy_words`, or use the **publish-page** skill.
See [the rules](../tidy-words/references/rules.md) and `.skills/publish-page/SKILL.md`.

```
python3 .skills/tidy-words/scripts/tidy.py
run tidy_words
```
"""
PUBLISH = "---\nname: publish-page\ndescription: {description}\n---\n\n# Publish\n\nAsk first.\n"
TIDY = "---\nname: tidy-words\ndescription: '{description}'\n---\n\n# Tidy\n\nRead [rules](references/rules.md).\n"
CONTEXT = """# Context

```yaml
parameters:
  draft-text:
    tone: warm
conflict-resolution:
  - skills: [draft-text, publish-page]
    winner: draft-text
prohibit: {parameters: {draft-text: {tone: [rude]}}}
```
"""
TEXTS = {"draft-text": DRAFT, "publish-page": PUBLISH, "tidy-words": TIDY}


def words_workspace(folder: Path) -> Path:
    """A workspace of three skills that name each other in most ways there are."""
    texts = {name: text.format(description=DESCRIPTIONS[name]) for name, text in TEXTS.items()}
    return write(
        folder,
        {
            "SKILLBAG.md": f"{ENTRYPOINT}\n| `#run/last` | Runs last. |\n",
            "CONTEXT.md": CONTEXT,
            ".skills/SKILLS.md": render(DESCRIPTIONS.items()),
            **{f".skills/{name}/SKILL.md": text for name, text in texts.items()},
            ".skills/tidy-words/references/rules.md": "# Rules\n\nShort words.\n",
            ".skills/tidy-words/scripts/tidy.py": "print('tidy')\n",
        },
    )


def index_of(folder: Path) -> SymbolIndex:
    """The index of the one target of a folder, read."""
    (target,) = find_targets([str(folder)])
    index = SymbolIndex(target)
    index.refresh()
    return index


def places(folder: Path, occurrences: Iterable[Occurrence]) -> list[str]:
    """Occurrences as `path:line:column text`."""
    return [_place(folder, each) for each in occurrences]


def _place(folder: Path, each: Occurrence) -> str:
    text = Path(each.path).read_bytes().decode("utf-8-sig")
    line = text.split("\n")[each.line - 1]
    written = text[each.start : each.end]
    assert line[each.column - 1 :].startswith(written.split("\n")[0]), each
    return f"{Path(each.path).relative_to(folder)}:{each.line}:{each.column} {written}"


def carry_out(plan: RenamePlan) -> None:
    """Make the edits of a plan, then its moves, as an editor would."""
    by_path: dict[str, list[NameEdit]] = {}
    for edit in plan.edits:
        by_path.setdefault(edit.path, []).append(edit)
    for path, edits in by_path.items():
        file = Path(path)
        raw = file.read_bytes()
        mark = b"\xef\xbb\xbf" if raw.startswith(b"\xef\xbb\xbf") else b""
        file.write_bytes(mark + _edited(raw.decode("utf-8-sig"), edits).encode())
    for old, new in plan.moves:
        Path(old).rename(new)


def _edited(text: str, edits: Iterable[NameEdit]) -> str:
    pieces, at = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        assert edit.start >= at, "two edits overlap"
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*pieces, text[at:]])


def found(folder: Path, old: str = "", new: str = "") -> Counter[tuple[str, str]]:
    """The findings of a check by rule and file, with the skill's folder called as it was."""
    result = Checker(CheckRequest((str(folder),))).check()
    paths = (str(Path(finding.path).relative_to(folder)) for finding in result.findings)
    named = (path.replace(f"/{new}/", f"/{old}/") if new else path for path in paths)
    return Counter(zip((finding.rule for finding in result.findings), named, strict=True))
