"""The pages of `docs/commands/`: one for each command, made of the commands' help, and the list of them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator

import click
from commands import below, commands, options, usage
from tables import table

from skillbag.doors.cli.app import SECTIONS

_MADE = "<!-- Made by tools/generate.py from the help of the commands: change that, then run `make generate`. -->\n"
_INDEX = f"""\
# Commands

{_MADE}
`skillbag COMMAND --help` prints the same, `man skillbag-COMMAND` too where manual pages are found. Every command
takes the options about [colours and messages](../guide.md#reports), and ends with one of these
[exit codes](../exit-codes.md).
"""

_SEE = {
    "team audit": {"Audit many repositories": "../how-to/audit.md", "Audits": "../audit.md"},
    "capabilities": {"Capabilities": "../capabilities.md"},
    "check": {
        "Check in two minutes": "../start/check.md",
        "Fix findings": "../how-to/fix-findings.md",
        "Suppress findings": "../how-to/suppress.md",
        "Checks": "../guide.md",
        "Rules": "../rules.md",
    },
    "team conformance": {"Conformance kit": "../../conformance/PROTOCOL.md"},
    "explain": {"Rules": "../rules.md", "Clauses": "../clauses.md"},
    "agent hook": {"Connect an agent": "../how-to/agent.md", "Allowed tools": "../agent.md#allowed-tools"},
    "init": {
        "Your first workspace": "../start/workspace.md",
        "Check before each commit": "../how-to/pre-commit.md",
        "Check pull requests on GitHub": "../how-to/github-action.md",
    },
    "agent link": {"Folders of agents": "../agent-folders.md"},
    "agent mcp": {"Connect an agent": "../how-to/agent.md", "Agents": "../agent.md"},
    "new": {"Your first skill": "../start/skill.md"},
    "agent plugin": {"Plugins": "../agent.md#plugins"},
    "session": {"Sessions": "../lifecycle.md"},
    "team registry": {"Registries": "../registry.md"},
    "team rules": {"A team's rule": "../how-to/team-rule.md", "Configuration": "../configuration.md"},
    "runtime": {"Active skills": "../runtime.md"},
    "agent tool": {"Agents": "../agent.md"},
}
"""Pages about the subject of a command, beside that of its section."""
_SECTION = {
    "Install": {"Installing": "../install.md"},
    "Session": {"Sessions": "../lifecycle.md"},
}

_EVERYWHERE = ("--help", "--color [auto|always|never]", "-q, --quiet", "-v, --verbose")
"""Options of every command: the page of a group shows them once."""

_OPTION = re.compile(r"(?<![\w`-])--[a-z][\w-]*")
_COMMENTED = re.compile(r"^(\S.*?) {2,}(\S.*)$")


def command_pages() -> Iterator[tuple[str, str]]:
    """The name of each page with its text."""
    yield "index.md", _INDEX + "".join(map(_section, SECTIONS))
    for context, summary in commands():
        yield f"{context.info_name}.md", "\n".join(_page(context, summary))


def _section(title: str) -> str:
    rows = ((f"[`{name}`]({name}.md)", text) for name, (_, text) in SECTIONS[title].items())
    return f"\n## {title}\n\n{table(('Command', 'Description'), *rows)}"


def _page(context: click.Context, summary: str) -> Iterator[str]:
    yield f"# {context.command_path}\n\n{_MADE}\n{_prose(summary)}\n"
    yield from _parts(context, options(context))
    for inner in below(context):
        yield f"## {inner.command_path}\n"
        yield from _parts(inner, (row for row in options(inner) if row[0] not in _EVERYWHERE))
    yield f"## See also\n\n{''.join(_see(str(context.info_name)))}"


def _parts(context: click.Context, shown: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Usage, description, options and examples."""
    yield f"```text\n{context.command_path} {usage(context)}\n```\n"
    yield from _text(context.command.help)
    if rows := [(f"`{name.replace('|', ' | ')}`", _prose(text)) for name, text in shown]:
        yield table(("Option", "Description"), *rows)
    yield from _text(context.command.epilog)


def _see(name: str) -> Iterator[str]:
    title = next(title for title, rows in SECTIONS.items() if name in rows)
    pages = _SECTION.get(title, {})
    for key in sorted(key for key in _SEE if key.split()[0] == name):
        pages = pages | _SEE[key]
    for text, page in pages.items():
        yield f"- [{text}]({page})\n"
    others = (f"[{other}]({other}.md)" for other in SECTIONS[title] if other != name)
    yield f"- {title}: {', '.join(others)}\n" if len(SECTIONS[title]) > 1 else ""
    yield "- [All commands](index.md), [exit codes](../exit-codes.md)\n"


def _text(text: str | None) -> Iterator[str]:
    """Paragraphs of help; indented lines are commands, with what they do as a comment."""
    for paragraph in inspect.cleandoc(text or "").split("\n\n"):
        lines = [line for line in paragraph.splitlines() if line.strip() not in ("", "\b")]
        said = " ".join(line.strip() for line in lines if not line.startswith(" "))
        kept = [line.strip() for line in lines if line.startswith(" ")]
        if said:
            yield f"{_prose(said)}\n"
        if kept:
            language = "sh" if any(line.startswith("skillbag ") for line in kept) else "text"
            yield f"```{language}\n{''.join(_example(kept, language))}```\n"


def _example(lines: Iterable[str], language: str) -> Iterator[str]:
    """The lines, with what each does as a comment behind it."""
    parts = [(found[1], found[2]) if (found := _COMMENTED.match(line)) else (line, "") for line in lines]
    width = max((len(line) for line, text in parts if text), default=0)
    for line, text in parts:
        yield f"{line:{width}}   # {text}\n" if text and language == "sh" else f"{line}\n"


def _prose(text: str) -> str:
    """Text in which nothing is markup but code."""
    parts = text.split("`")
    for number in range(0, len(parts), 2):
        parts[number] = _OPTION.sub(r"`\g<0>`", re.sub(r"([*_<\[\]])", r"\\\1", parts[number]))
    return "`".join(parts)
