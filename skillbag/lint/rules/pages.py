"""The page about a rule in the documentation and in `skillbag explain`, made from its file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from skillbag.lint.rules.general_fix import general_fix

_FENCES = {"md": "markdown", "yaml": "yaml", "yml": "yaml", "json": "json", "py": "python", "sh": "sh", "toml": "toml"}


def render_page(data: Mapping[str, Any], level: str, options: Mapping[str, Any], clause_gist: str | None) -> str:
    """The Markdown page of a rule: its data with examples, effective level, options with defaults, and clause."""
    return "\n".join(_page(data, level, options, clause_gist)).rstrip() + "\n"


def _page(data: Mapping[str, Any], level: str, options: Mapping[str, Any], gist: str | None) -> Iterator[str]:
    yield from (f"# {data['id']}", "", data["summary"], "")
    clause = f"`{data['clause']}`: {gist}" if data.get("clause") else "none: good practice beyond the standard"
    yield f"- Clause: {clause}"
    yield f"- Level: {level}{' (a heuristic: it may be wrong)' if data.get('heuristic') else ''}"
    if raised := data.get("raised"):
        yield f"- {raised['level'].capitalize()} where {raised['when']}"
    yield f"- Family: {data['family']}; checked in: {', '.join(data['targets'])}"
    if owasp := data.get("owasp"):
        yield f"- OWASP Agentic Skills Top 10: {', '.join(owasp)}"
    if data.get("once"):
        yield "- Reported once for each target and message, at the first place, with the number of files"
    yield f"- On by default: {'yes' if data.get('default', True) else 'no'}"
    yield from ("", "## Why", "", data["why"].rstrip(), "")
    if data.get("fix"):
        yield from ("## What to do", "", general_fix(data["fix"]), "")
    if options:
        yield from ("## Options", "")
        yield from (f"- `{name}`: {_value(value)}" for name, value in options.items())
        yield ""
    yield from _examples("## Passes", data["examples"]["pass"])
    yield from _examples("## Fails", data["examples"]["fail"])


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(f"`{item}`" for item in value) or "nothing"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _examples(title: str, examples: list[dict[str, Any]]) -> Iterator[str]:
    yield from (title, "")
    for example in examples:
        if "title" in example:
            yield from (f"### {example['title'][0].upper()}{example['title'][1:]}", "")
        for name, text in example["files"].items():
            longest = max(map(len, re.findall("`+", text)), default=0)
            fence = "`" * max(3, longest + 1)
            language = _FENCES.get(name.rpartition(".")[2], "text")
            yield from (f"`{name}`", "", f"{fence}{language}", text.rstrip("\n"), fence, "")
        for name in example.get("bytes", {}):
            yield from (f"`{name}` holds bytes that a page can't show.", "")
        for name, named in example.get("links", {}).items():
            yield from (f"`{name}` is a link to `{named}`.", "")
        if "expect" in example:
            yield from (f"Reported at {', '.join(f'`{place}`' for place in example['expect'])}.", "")
