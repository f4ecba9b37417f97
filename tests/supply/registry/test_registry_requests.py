"""The four requests of a registry, over real HTTP."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillbag.supply.registry.publishing import publish
from skillbag.supply.registry.store import RegistryStore
from tests.supply.registry.servers import CODE, Server, make_skill, published, serving

pytestmark = pytest.mark.boundary


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("registry") / "reg"
    published(root, "1.0.0", "1.10.0", "1.9.0", "2.0.0-beta.1")
    published(root, "0.1.0-alpha", name="early")
    with serving(root) as running:
        yield running


def test_a_published_skill_is_found_and_fetched(server: Server) -> None:
    assert server.get("search?q=SAY-").json == [{"name": "say-it", "version": "1.10.0", "description": "Says it."}]
    assert server.get("skills/say-it/versions").json == ["1.0.0", "1.9.0", "1.10.0", "2.0.0-beta.1"]
    manifest = server.get("skills/say-it/1.9.0/manifest")
    assert manifest.headers["Content-Type"] == "application/yaml"
    assert b"version: 1.9.0\n" in manifest.body
    archive = server.get("skills/say-it/1.9.0/download")
    assert archive.headers["Content-Type"] == "application/gzip"
    with tarfile.open(fileobj=io.BytesIO(archive.body)) as members:
        assert members.getnames() == ["SKILL.yaml", "skill.star"]
        code = members.extractfile("skill.star")
        assert code is not None
        assert code.read() == CODE.encode()


def test_latest_is_the_highest_release_else_the_highest(server: Server) -> None:
    assert b"version: 1.10.0\n" in server.get("skills/say-it/latest/manifest").body
    assert b"version: 0.1.0-alpha\n" in server.get("skills/early/latest/manifest").body
    early = {"name": "early", "version": "0.1.0-alpha", "description": "Says it."}
    assert server.get("search?q=").json[0] == early
    assert len(server.get("search").json) == 2


@pytest.mark.parametrize(
    "path",
    ["search?q=early", "skills/say-it/versions", "skills/say-it/latest/manifest", "skills/say-it/1.0.0/download"],
)
def test_the_same_content_is_sent_once(server: Server, path: str) -> None:
    whole = server.get(path)
    tag = whole.headers["ETag"]
    for known in (tag, f"W/{tag}", f'"other", {tag}'):
        unchanged = server.get(path, If_None_Match=known)
        assert (unchanged.status, unchanged.body, unchanged.headers["ETag"]) == (304, b"", tag)
    assert server.get(path, If_None_Match='"other"') == whole
    head = server.get(path, "HEAD")
    assert (head.status, head.body, head.headers) == (200, b"", whole.headers)
    assert int(whole.headers["Content-Length"]) == len(whole.body)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("skills/nobody/versions", 404),
        ("skills/SAY-IT/versions", 404),
        ("skills/say-it/3.0.0/manifest", 404),
        ("skills/say-it/1.0.0", 404),
        ("skills/say-it/1.0.0/manifest/", 404),
        ("skills//versions", 400),
        ("skills/..%2f..%2fetc%2fpasswd/versions", 400),
        ("skills/%2e%2e/versions", 400),
        ("skills/../../../../etc/passwd", 404),
        ("skills/.registry/versions", 400),
        ("skills/say%2Dit%00/versions", 400),
        ("skills/say%252Dit/versions", 400),
        ("skills/%ff/versions", 400),
        ("skills/gr%C3%BC%C3%9Fe/versions", 400),
        (f"skills/{'a' * 129}/versions", 400),
        (f"skills/{'a' * 128}/versions", 404),
        ("skills/say-it/1.0/manifest", 400),
        ("skills/say-it/..%2f1.0.0/manifest", 400),
        ("skills/say-it/%2e%2e/download", 400),
        ("search?q=%ff", 400),
    ],
)
def test_what_is_not_there_or_hostile(server: Server, path: str, status: int) -> None:
    got = server.get(path)
    assert (got.status, got.headers["Content-Type"]) == (status, "application/json")
    assert list(got.json) == ["error"]


def test_percent_codes_are_decoded_once(server: Server) -> None:
    assert server.get("skills/say%2Dit/versions") == server.get("skills/say-it/versions")
    assert server.get("search?q=say%2Dit&x=1").json == server.get("search?q=say-it").json
    assert server.get("search?q=%2525").json == []


def test_only_get_and_head(server: Server) -> None:
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        refused = server.get("skills/say-it/versions", method)
        assert (refused.status, refused.headers["Allow"]) == (405, "GET, HEAD")


def test_unicode_in_a_description(tmp_path: Path) -> None:
    store = RegistryStore(str(tmp_path / "reg"))
    publish(str(make_skill(tmp_path / "made/greet", description="Grüßt: 你好 👋.")), store)
    with serving(tmp_path / "reg") as running:
        assert running.get("search?q=%E4%BD%A0").json[0]["description"] == "Grüßt: 你好 👋."
        assert running.get("search?q=GR%C3%9C%C3%9F").json[0]["name"] == "greet"
        assert "你好" in running.get("skills/greet/latest/manifest").body.decode()
