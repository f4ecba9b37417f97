"""The four requests of a registry, over real HTTP."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator

import pytest

from tests.registry.servers import CODE, Server, published, serving

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
