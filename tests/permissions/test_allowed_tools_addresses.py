"""`WebFetch(domain:example.com)`: addresses are held against domains by their host alone."""

from __future__ import annotations

import pytest

from skillbag.permissions.allowed_tools import is_allowed


@pytest.mark.parametrize(
    ("url", "passes"),
    [
        ("https://example.com", True),
        ("http://example.com/", True),
        ("https://EXAMPLE.com/a/b?c=d@e:8#f", True),
        ("https://docs.example.com/x", True),
        ("https://a.b.example.com?x", True),
        ("https://evilexample.com", False),
        ("https://example.com.evil.org", False),
        ("https://example.org", False),
        ("https://user@example.com/", False),
        ("https://example.com@evil.org/", False),
        ("https://example.com:443/", False),
        ("https://example.com:evil@evil.org/", False),
        ("https://example.com./", False),
        ("https://.example.com/", False),
        ("https://a..example.com/", False),
        ("https://evil.org\\.example.com/", False),
        ("https://evil.org\\@example.com/", False),
        ("https://evil.org/.example.com", False),
        ("https://evil.org?.example.com", False),
        ("https://evil.org#.example.com", False),
        ("https://evil.org\t.example.com", False),
        (" https://example.com", False),
        ("https://example.com\n", False),
        ("https:///example.com", False),
        ("https:example.com", False),
        ("//example.com", False),
        ("example.com", False),
        ("file://example.com/etc/passwd", False),
        ("ftp://example.com", False),
        ("javascript://example.com", False),
        ("https://exämple.com", False),
        ("https://example。com", False),
        ("https://ｅxample.com", False),
        ("https://xn--exmple-cua.com", False),
        ("https://-x.example.com", False),
        ("https://ex%61mple.com", False),
        ("https://[::1]/", False),
        ("", False),
        (None, False),
        (7, False),
        (["https://evil.org"], False),
        (["https://example.com", "https://docs.example.com"], True),
    ],
)
def test_domains(url: object, passes: bool) -> None:
    assert is_allowed("WebFetch(domain:example.com)", "WebFetch", {"url": url, "prompt": "x"}, None) is passes


@pytest.mark.parametrize(
    "body", ["example.com", "domain:", "domain:*", "domain:*.com", "domain:exämple.com", "domain:a/b"]
)
def test_other_words_about_addresses_allow_nothing(body: str) -> None:
    assert not is_allowed(f"WebFetch({body})", "WebFetch", {"url": "https://example.com"}, None)
    assert not is_allowed(f"WebFetch({body})", "WebFetch", {}, None)


def test_an_address_is_looked_for_under_any_name() -> None:
    allowed = "WebFetch(domain:example.com)"
    good = "https://example.com"

    assert not is_allowed(allowed, "WebFetch", {"url": good, "base_url": "https://evil.org"}, None)
    assert not is_allowed(allowed, "WebFetch", {"url": good, "more": [{"URI": "https://evil.org"}]}, None)
    assert not is_allowed(allowed, "WebSearch", {"url": good}, None)
