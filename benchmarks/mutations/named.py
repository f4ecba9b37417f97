"""Faults of names and descriptions."""

from __future__ import annotations

from mutations.edits import add, named, put
from mutations.kinds import Kind

_FAMILY = "name and description"
_LONG = "Reads the files of a project and writes a summary of each of them for the next person. " * 14


def _names(name: str, *forms: str) -> Kind:
    return Kind(name, _FAMILY, tuple(map(named, forms)))


def _descriptions(name: str, *texts: str) -> Kind:
    return Kind(name, _FAMILY, tuple(put("description", *f"description: {text}".split("\n")) for text in texts))


KINDS = (
    Kind("name-missing", _FAMILY, (put("name"),)),
    _names("name-empty", "", "''"),
    Kind("name-duplicate", _FAMILY, (add("name: other"), add("name: second-name"))),
    _names("name-not-text", "[{}]", "true", "17", "{{value: {}}}"),
    _names("name-hyphen-first", "'-{}'", '"-{}"'),
    _names("name-hyphen-last", "{}-"),
    _names("name-hyphen-doubled", "my--{}", "the--{}"),
    _names("name-capital", "My-{}", "{}-API"),
    _names("name-space", "my {}", "{} helper"),
    _names("name-underscore", "my_{}", "{}_helper"),
    _names("name-character", "{}.v2", "team/{}", "{}!", "'{}:latest'"),
    _names("name-too-long", f"{{}}-{'and-more-of-it-' * 5}end"),
    _names("name-folder-mismatch", "{}s", "the-{}"),
    _names("name-reserved", "claude-{}", "anthropic-{}"),
    Kind("description-missing", _FAMILY, (put("description"),)),
    _descriptions("description-empty", "", '""', "'   '", "|\n  "),
    Kind("description-duplicate", _FAMILY, (add("description: Reads reports. Use when one is there."),)),
    _descriptions("description-not-text", "true", "[one, two]", "42", "{use: always}"),
    _descriptions("description-too-long", _LONG, f">\n  {_LONG}"),
    _descriptions(
        "description-first-person",
        "I help with reading reports and I can make charts. Use when a report is there.",
        "I can convert tables into charts for you. Use when numbers have to be shown.",
        "We review every pull request for you before it is merged. Use when a branch is ready.",
        "My job is to read logs and to find the fault. Use when a service is down.",
    ),
    _descriptions(
        "description-vague", "Helps with documents.", "A useful skill.", "Utilities for data", "Does things with files."
    ),
    _descriptions(
        "description-without-when",
        "Converts spreadsheets into charts and writes a summary of each sheet.",
        "Renames pictures after the date on which they were taken.",
        "Extracts tables from PDF files and stores them as CSV.",
        "Formats SQL queries and removes joins that nothing needs.",
    ),
    _descriptions(
        "description-placeholder",
        "TODO",
        "Your description here",
        '"[Describe what this skill does and when to use it]"',
        "TODO: write a description. Use when it is written.",
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit.",
        "A brief description of what this skill does and when to use it.",
    ),
)
