"""Faults of front matter as a whole, and of all keys but the name and the description."""

from __future__ import annotations

from mutations.edits import add, front, put, whole
from mutations.kinds import Kind, Way

_FAMILY = "front matter"


def _unquoted(description: str) -> Way:
    """A description with a colon and a space in it, without quotes."""
    return put("description", f"description: {description}")


def _body(text: str) -> str:
    return text.split("\n---\n", 1)[1]


KINDS = (
    Kind("front-matter-missing", _FAMILY, (whole(_body), whole(lambda text: f"# Notes\n{_body(text)}"))),
    Kind("front-matter-unclosed", _FAMILY, (whole(lambda text: text.replace("\n---\n", "\n", 1)),) * 2),
    Kind(
        "front-matter-not-first",
        _FAMILY,
        (
            whole(lambda text: f"\n{text}"),
            whole(lambda text: f"# Skill\n\n{text}"),
            whole(lambda text: f"<!-- reviewed in May -->\n{text}"),
            whole(lambda text: f" {text}"),
        ),
    ),
    Kind(
        "yaml-syntax",
        _FAMILY,
        (
            add('license: "MIT'),
            add("metadata: {author: anna"),
            add("metadata:", "    author: anna", "  version: one"),
            add("license: [MIT"),
            add("compatibility: @any agent"),
            add("license MIT"),
        ),
    ),
    Kind(
        "tab-indentation",
        _FAMILY,
        (add("metadata:", "\tauthor: anna"), add("metadata:", "  author: anna", "\tversion: one")),
    ),
    Kind(
        "unquoted-colon",
        _FAMILY,
        (
            _unquoted("Reviews a report before it is sent. Note: it reads files only. Use when a report is ready."),
            _unquoted("Makes charts from tables. Triggers: chart, plot, graph. Use when numbers have to be shown."),
            _unquoted("Use when: a report is ready. Reviews the report and lists what is missing in it."),
            _unquoted("Writes release notes (formats: Markdown, HTML). Use when a version is about to be published."),
        ),
    ),
    Kind(
        "key-typo",
        _FAMILY,
        (
            add("licence: MIT"),
            add("allowed_tools: Read Grep"),
            add("compatability: Needs Python 3.11."),
            add("allowed-tool: Read"),
            add("meta-data:", "  author: anna"),
            add("Metadata:", "  author: anna"),
        ),
    ),
    Kind(
        "key-duplicate", _FAMILY, (add("license: MIT", "license: Apache-2.0"), add("metadata: {a: b}", "metadata: {}"))
    ),
    Kind(
        "allowed-tools-typo",
        _FAMILY,
        (
            put("allowed-tools", "allowed-tools: Raed Grep"),
            put("allowed-tools", "allowed-tools: Bsh(git:*) Read"),
            put("allowed-tools", "allowed-tools: Read, Wirte, Edit"),
            put("allowed-tools", "allowed-tools: Read WebFecth"),
            put("allowed-tools", "allowed-tools: Bash(git:* Read"),
            put("allowed-tools", "allowed-tools: {Read: true}"),
        ),
    ),
    Kind(
        "metadata-not-mapping",
        _FAMILY,
        (
            put("metadata", "metadata: version 1"),
            put("metadata", "metadata:", "  - author", "  - version"),
            put("metadata", "metadata: 1.0"),
            put("metadata", "metadata: true"),
        ),
    ),
    Kind(
        "field-mistyped",
        _FAMILY,
        (
            put("license", "license: [MIT, Apache-2.0]"),
            put("compatibility", "compatibility:", "  python: 3.11"),
            put("license", "license: 2"),
            put("compatibility", "compatibility: [claude, codex]"),
        ),
    ),
    Kind("compatibility-too-long", _FAMILY, (put("compatibility", f"compatibility: {'Needs a network. ' * 40}"),) * 2),
    Kind(
        "license-file-missing",
        _FAMILY,
        (put("license", "license: LICENSE.txt"), put("license", "license: See LICENSE.md")),
    ),
    Kind("bom", _FAMILY, (whole(lambda text: b"\xef\xbb\xbf" + text.encode()),) * 2),
    Kind("mixed-line-ends", _FAMILY, (whole(lambda text: text.replace("\n", "\r\n", text.count("\n") // 2)),) * 2),
    Kind(
        "not-utf-8",
        _FAMILY,
        (
            whole(lambda text: text.encode() + b"\nThe caf\xe9 is open.\n"),
            whole(lambda text: text.encode("utf-16")),
            whole(lambda text: text.encode().replace(b"\n---\n", b"\nlicense: \xa9 Anna\n---\n", 1)),
            whole(lambda text: text.encode() + b"\nPrice: 10 \x80\n"),
        ),
    ),
    Kind(
        "control-character",
        _FAMILY,
        (whole(lambda text: f"{text}\nA\0B\n"), front(lambda old: [*old, "license: M\x08IT"])),
    ),
)
