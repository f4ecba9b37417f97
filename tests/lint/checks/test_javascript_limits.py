"""Scripts in JavaScript and TypeScript that would keep the parser busy, take all memory, or crash it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from skillbag.lint.checks import javascript


@pytest.mark.parametrize(("name", "text"), [("a.js", "f(1;\n"), ("a.jsx", "<a>{1</a>\n"), ("a.ts", "f(1;\n")])
def test_a_fault_is_described_when_the_time_of_its_parser_is_over(
    name: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, parse = [0.0], javascript._first_fault

    def parsed(raw: bytes, dialect: str) -> object:
        node = parse(raw, dialect)
        clock[0] += 10
        return node

    monkeypatch.setattr(javascript, "_first_fault", parsed)
    monkeypatch.setattr(javascript, "time", SimpleNamespace(thread_time=lambda: clock[0]))
    found = javascript.javascript_fault(text, name)
    assert found
    assert found.line == 1


def test_a_parser_that_finds_no_way_on_is_halted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(javascript, "TIMEOUT", 0.05)
    assert javascript.javascript_fault("sig=*" * 60_000, "a.js") is None
    monkeypatch.setattr(javascript, "TIMEOUT", 1000)
    assert javascript.javascript_fault("f(1;\n", "a.js")


@pytest.mark.parametrize("text", ["{a:" * 150_000, "[" * 3_000 + "]" * 3_000])
def test_brackets_too_deep_for_the_parser_are_let_pass(text: str) -> None:
    assert javascript.javascript_fault(text, "a.js") is None


def test_a_fault_in_a_deep_tree_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(javascript, "TIMEOUT", 1000)
    assert javascript.javascript_fault("a:" * 50_000, "a.js") == (1, 100_000, "`;` is missing")
