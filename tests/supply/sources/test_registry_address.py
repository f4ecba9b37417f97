"""Addresses of registries and of their skills."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.workspace.source_kind import SourceKind
from skillbag.supply.sources.address import parse_source, without_credentials
from skillbag.supply.sources.configured_hosts import configured_registry, parse_registry, parse_registry_name
from skillbag.supply.sources.source import BadSourceError
from tests.rows import each_row


@each_row(
    ("text", "address"),
    [
        ("https://Registry.Example.com/", "https://registry.example.com"),
        ("https://example.com:443//a//b/", "https://example.com/a/b"),
        ("https://example.com:8443", "https://example.com:8443"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://localhost", "http://localhost"),
        ("http://[::1]:8000/x", "http://[::1]:8000/x"),
    ],
)
def test_an_address(text: str, address: str) -> None:
    assert parse_registry(text, "here") == address


@each_row(
    "text",
    [
        *("", "example.com", "http://example.com", "http://10.0.0.1", "ftp://example.com", "https://", "https://a:b"),
        *("https://u:geheim@example.com", "https://example.com?x=geheim", "https://example.com/#a", "https://a/../b"),
        *("https://exa mple.com", "https://ex\u0430mple.com", "http://127.0.0.1.evil.example", "https://[::1"),
    ],
)
def test_no_address(text: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_registry(text, "here")
    assert "geheim" not in str(caught.value)


@each_row("name", ["", "-a", "_a", "a/b", "..", "a.b", "a b", "ä", "a" * 129, "a\n", "a%2e"])
def test_no_name(name: str) -> None:
    with pytest.raises(UserError):
        parse_registry_name(name)
    with pytest.raises(BadSourceError):
        parse_source(f"registry:{name}", "/")


def test_a_skill_of_the_configured_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBAG_REGISTRY", "https://Example.com/base/")
    source = parse_source("registry:tidy", "/")
    assert source.declared == "registry+https://example.com/base/tidy"
    assert source.kind is SourceKind.REGISTRY
    assert source == parse_source(source.declared, "/")
    assert without_credentials(source.declared) == source.declared
    assert without_credentials("registry+https://u:geheim@example.com/tidy").count("geheim") == 0


def test_the_variable_comes_before_the_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SKILLBAG_CONFIG_DIR", str(tmp_path))
    monkeypatch.delenv("SKILLBAG_REGISTRY", raising=False)
    assert configured_registry() is None
    with pytest.raises(BadSourceError, match="no registry is configured"):
        parse_source("registry:tidy", "/")
    (tmp_path / "settings.json").write_text(json.dumps({"runtime": {"registry_url": "https://a.example"}}))
    assert configured_registry() == "https://a.example"
    monkeypatch.setenv("SKILLBAG_REGISTRY", "https://b.example")
    assert configured_registry() == "https://b.example"
    monkeypatch.setenv("SKILLBAG_REGISTRY", "")
    assert configured_registry() is None
    (tmp_path / "settings.json").write_text(json.dumps({"runtime": {"registry_url": "http://a.example"}}))
    monkeypatch.delenv("SKILLBAG_REGISTRY")
    with pytest.raises(UserError, match=r"settings.json:1: .*https only"):
        configured_registry()
