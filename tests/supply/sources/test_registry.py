"""The client of a registry against good and bad servers, over real HTTP on loopback."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillbag.kernel.base.errors import UserError
from skillbag.supply.sources import limits
from skillbag.supply.sources.cache import Cache, open_cache
from skillbag.supply.sources.fetched import FetchError
from skillbag.supply.sources.registry import Key, OfferedSkill, RegistryClient, read_answer, write_answer
from tests.supply.sources.registries import LoopbackRegistry, serve_registry
from tests.supply.sources.servers import Handle, answer, content, redirect, serve, stalling, truncated

TOKEN = "registry-token-Zx81kQ"


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[LoopbackRegistry]:
    monkeypatch.setenv("SKILLBAG_CONFIG_DIR", str(tmp_path / "config"))
    with serve_registry() as registry:
        registry.add("tidy", "1.0.0", "1.2.0")
        registry.add("Sweep_2", "0.1.0")
        monkeypatch.setenv("SKILLBAG_REGISTRY", registry.url)
        yield registry


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return open_cache(str(tmp_path / "cache"))


def client(served: LoopbackRegistry, cache: Cache, *, offline: bool = False) -> tuple[RegistryClient, list[str]]:
    """A client, and the list of its remarks."""
    remarks: list[str] = []
    return RegistryClient(served.url, cache, offline, remarks.append), remarks


def grow_old(cache: Cache, key: Key, seconds: float) -> None:
    """Make an answer of the cache older."""
    entry = read_answer(cache, key)
    assert entry is not None
    write_answer(cache, key, entry._replace(at=entry.at - seconds))


def test_the_four_requests(served: LoopbackRegistry, cache: Cache, tmp_path: Path) -> None:
    registry, remarks = client(served, cache)
    assert registry.versions("tidy") == ("1.0.0", "1.2.0")
    assert "version: 1.2.0" in registry.manifest("tidy", "1.2.0")
    assert "version: 1.2.0" in registry.manifest("tidy")
    assert registry.search("tid") == (OfferedSkill("tidy", "1.2.0", "tidy of a test"),)
    registry.download("tidy", "1.0.0", str(tmp_path / "archive"))
    assert (tmp_path / "archive").read_bytes() == served.skills["tidy"]["1.0.0"]
    assert remarks == []


def test_a_query_is_quoted(served: LoopbackRegistry, cache: Cache) -> None:
    registry, _ = client(served, cache)
    assert registry.search("a&b=c /ü?#") == ()
    assert served.server.seen("search") == ["GET /api/v1/search?q=a%26b%3Dc%20%2F%C3%BC%3F%23"]


AGES = [
    (Key("", "search", "tid"), 300, "search?q=tid"),
    (Key("", "versions", "tidy"), 300, "tidy/versions"),
    (Key("", "manifest", "tidy", "latest"), 3600, "tidy/latest/manifest"),
    (Key("", "manifest", "tidy", "1.0.0"), 30 * 86400, "tidy/1.0.0/manifest"),
]


def ask(registry: RegistryClient, key: Key) -> object:
    if key.kind == "manifest":
        return registry.manifest(key.name, key.version)
    return registry.search(key.name) if key.kind == "search" else registry.versions(key.name)


@pytest.mark.parametrize(("key", "age", "path"), AGES, ids=[" ".join(case[0]) for case in AGES])
def test_an_answer_is_kept_then_revalidated(
    served: LoopbackRegistry, cache: Cache, key: Key, age: float, path: str
) -> None:
    registry, remarks = client(served, cache)
    key = key._replace(registry=served.url)
    first = ask(registry, key)
    grow_old(cache, key, age - 10)
    assert ask(registry, key) == first
    assert len(served.server.seen(path)) == 1
    grow_old(cache, key, 20)
    assert ask(registry, key) == first
    assert len(served.server.seen(path)) == 2
    assert "if-none-match" in served.server.requests[-1].headers
    # The answer 304 confirms it for as long again.
    assert ask(registry, key) == first
    assert len(served.server.seen(path)) == 2
    assert remarks == []


@pytest.mark.parametrize("key", [case[0] for case in AGES], ids=" ".join)
def test_offline_an_old_answer_serves_with_a_remark(served: LoopbackRegistry, cache: Cache, key: Key) -> None:
    registry, _ = client(served, cache)
    offline, remarks = client(served, cache, offline=True)
    with pytest.raises(FetchError, match="not in the cache"):
        ask(offline, key)
    first = ask(registry, key)
    grow_old(cache, key._replace(registry=served.url), 90 * 86400)
    before = len(served.server.requests)
    assert ask(offline, key) == first
    assert len(served.server.requests) == before
    assert len(remarks) == 1
    assert "may be out of date" in remarks[0]


def test_versions_and_names_are_kept_apart(served: LoopbackRegistry, cache: Cache) -> None:
    registry, _ = client(served, cache)
    assert "1.0.0" in registry.manifest("tidy", "1.0.0")
    assert "1.2.0" in registry.manifest("tidy", "1.2.0")
    assert "0.1.0" in registry.manifest("Sweep_2", "0.1.0")
    other = registry._replace(address="http://127.0.0.1:1", offline=True)
    with pytest.raises(FetchError):
        other.versions("tidy")


def test_a_damaged_cache_is_asked_for_again(served: LoopbackRegistry, cache: Cache) -> None:
    registry, _ = client(served, cache)
    registry.versions("tidy")
    (entry,) = Path(cache.folder, "registry").iterdir()
    for damage in (b"", b"{}\n", b"x", entry.read_bytes()[:-1], b"[" * 5000):
        entry.write_bytes(damage)
        assert registry.versions("tidy") == ("1.0.0", "1.2.0")


def test_what_is_no_version_is_skipped_with_a_remark(served: LoopbackRegistry, cache: Cache) -> None:
    served.replace("skills/tidy/versions", content(json.dumps(["1.0", "1.0.0", "\x1b[2J"]).encode()))
    registry, remarks = client(served, cache)
    assert registry.versions("tidy") == ("1.0.0",)
    assert len(remarks) == 1
    assert "lists 2 versions that are none" in remarks[0]
    assert remarks[0].isprintable()


def error(value: object, status: int) -> Handle:
    return content(json.dumps(value).encode(), status)


BAD: dict[str, tuple[Handle, str]] = {
    "stall": (stalling(b"", 2.0), "took longer than 0.3 seconds"),
    "truncated": (truncated(b'["1.0.0"]', 500), "incomplete or malformed"),
    "too short a length": (content(b'["1.0.0"]', headers={"Content-Length": "4"}), "not JSON"),
    "claims a GiB": (content(b"[]", headers={"Content-Length": str(1 << 30)}), "larger than 1 MiB"),
    "is too large": (content(b" " * ((1 << 20) + 1)), "larger than 1 MiB"),
    "web page": (content(b"<p>", headers={"Content-Type": "text/html"}), "a web page"),
    "compressed": (content(b"x", headers={"Content-Encoding": "gzip"}), "compresses"),
    "no JSON": (content(b"oops"), "not JSON"),
    "no UTF-8": (content(b"\xff"), "not JSON"),
    "deep JSON": (content(b"[" * 100_000), "not JSON"),
    "no list": (content(b"{}"), "no list"),
    "other list": (content(b"[1]"), "no list of versions"),
    "many": (content(json.dumps(["1.0.0"] * 10_001).encode()), "at most 10,000"),
    "not found": (error({"error": "no \x1b[2J such skill"}, 404), "does not have it (404: no [2J such skill)"),
    "unauthorized": (error({}, 401), "asks for a token (401)"),
    "forbidden": (error({"error": "no"}, 403), "unexpected status 403: no"),
    "failed": (error({"error": ["x"]}, 500), "unexpected status 500"),
    "teapot": (content(b"short and stout", 418), "unexpected status 418"),
    "unasked 304": (content(b"", 304), "unexpected status 304"),
    "to nowhere": (redirect(""), "redirects to nowhere"),
    "in a circle": (redirect("/api/v1/skills/tidy/versions"), "redirects more than 5 times"),
    "to a file": (redirect("file:///etc/passwd"), "from http to file"),
    "without https": (redirect("http://198.51.100.7/x"), "without https"),
    "closed": (lambda _, handler: handler.wfile.close(), "incomplete or malformed"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_answer(
    served: LoopbackRegistry,
    cache: Cache,
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(limits, "REGISTRY_SECONDS", 0.3 if kind == "stall" else 100)
    handle, words = BAD[kind]
    served.replace("skills/tidy/versions", handle)
    registry, _ = client(served, cache)
    started = time.monotonic()
    with pytest.raises(FetchError) as caught:
        registry.versions("tidy")
    assert words in str(caught.value)
    assert str(caught.value).isprintable()
    assert time.monotonic() - started < 50
    assert list(Path(cache.folder, "registry").iterdir()) == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("kind", ["stall", "truncated", "failed", "closed"])
def test_an_old_answer_serves_while_the_registry_is_down(
    served: LoopbackRegistry, cache: Cache, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry, remarks = client(served, cache)
    registry.versions("tidy")
    monkeypatch.setattr(limits, "REGISTRY_SECONDS", 0.3 if kind == "stall" else 100)
    grow_old(cache, Key(served.url, "versions", "tidy"), 301)
    served.replace("skills/tidy/versions", BAD[kind][0])
    assert registry.versions("tidy") == ("1.0.0", "1.2.0")
    assert len(remarks) == 1


def test_the_token_goes_to_the_registry_alone(
    served: LoopbackRegistry, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBAG_REGISTRY_TOKEN", TOKEN)
    served.token.append(TOKEN)
    registry, _ = client(served, cache)
    assert registry.versions("tidy") == ("1.0.0", "1.2.0")
    with serve({"/": content(b'["9.0.0"]')}) as other:
        served.replace("skills/Sweep_2/versions", redirect(f"{other.url}/elsewhere"))
        assert registry.versions("Sweep_2") == ("9.0.0",)
        assert "authorization" not in other.requests[0].headers
        # A registry that only a lock or a declaration names is not the user's.
        assert registry._replace(address=other.url).versions("tidy") == ("9.0.0",)
        assert "authorization" not in other.requests[1].headers
    kept = b"".join(path.read_bytes() for path in Path(cache.folder).rglob("*") if path.is_file())
    assert TOKEN.encode() not in kept


def test_a_token_that_the_registry_repeats_is_masked(
    served: LoopbackRegistry, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBAG_REGISTRY_TOKEN", TOKEN)
    served.replace("skills/tidy/versions", lambda r, h: answer(h, b'{"error": "bad %s"}' % TOKEN.encode(), 401))
    with pytest.raises(FetchError) as caught:
        client(served, cache)[0].versions("tidy")
    assert "refuses the token (401: bad ****)" in str(caught.value)
    assert TOKEN not in repr(caught.value)


def test_a_token_that_can_t_be_sent(served: LoopbackRegistry, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBAG_REGISTRY_TOKEN", "two words\r\nX: y")
    with pytest.raises(UserError) as caught:
        client(served, cache)[0].versions("tidy")
    assert "two words" not in str(caught.value)
    assert served.server.requests == []
