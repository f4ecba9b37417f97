"""Descriptions made from names read as English."""

from __future__ import annotations

import pytest

from skillbag.bootstrap.sentence import describe

SENTENCES = {
    "convert-to-pdf": "Convert to pdf. Use when the user asks to convert to pdf.",
    "invoice-tools": "Work with invoice tools. Use when a task involves invoice tools.",
    "review-plans": "Review plans. Use when the user asks to review plans.",
    "review-checklist": "Work with the review checklist. Use when a task involves the review checklist.",
    "report-generator": "Work with the report generator. Use when a task involves the report generator.",
    "test-driven-development": "Work with test driven development. Use when a task involves test driven development.",
    "release-notes": "Work with release notes. Use when a task involves release notes.",
    "writing-plans": "Help with writing plans. Use when a task involves writing plans.",
    "deploy": "Help to deploy. Use when the user asks to deploy.",
    "pdf": "Work with pdf. Use when a task involves pdf.",
    "todo-list": "Work with the todo list. Use when a task involves the todo list.",
    "how-to": 'Carry out the skill "how-to". Use when the user asks for "how-to".',
    "to-do": 'Carry out the skill "to-do". Use when the user asks for "to-do".',
    "42": 'Carry out the skill "42". Use when the user asks for "42".',
}


@pytest.mark.parametrize("name", SENTENCES)
def test_describe(name: str) -> None:
    assert describe(name) == SENTENCES[name]
