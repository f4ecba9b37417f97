"""`--json` of the commands about registries follows `schemas/registry.schema.json`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.supply.registry.servers import make_skill, published, serving
from tests.support import PROJECT, Run

pytestmark = pytest.mark.boundary

VALIDATOR = jsonschema.Draft202012Validator(json.loads((PROJECT / "schemas/registry.schema.json").read_text("utf-8")))


def values(run: Run, *arguments: object, code: int = 0) -> dict[str, Any]:
    """The JSON of the command, which follows the schema and ends with this exit code."""
    done = run(*arguments, "--json")
    found: dict[str, Any] = json.loads(done.out)
    VALIDATOR.validate(found)
    assert (done.code, found["exit"]) == (code, code)
    return found


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(VALIDATOR.schema)


def test_publish(run: Run, tmp_path: Path) -> None:
    skill, registry = make_skill(tmp_path / "say-it"), tmp_path / "reg"
    for is_new in (True, False):
        found = values(run, "registry", "publish", skill, "--to", registry)
        assert found["published"] == {"name": "say-it", "version": "1.0.0", "is_new": is_new}
    (tmp_path / "notes.txt").write_text("x")
    assert "is no folder" in values(run, "registry", "publish", skill, "--to", tmp_path / "notes.txt", code=2)["error"]


def test_serve(run: Run, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "skillbag", "team", "registry", "serve", str(tmp_path), "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        line = json.loads(process.stdout.readline())
        process.terminate()
    VALIDATOR.validate(line)
    assert line["url"].startswith("http://127.0.0.1:")
    assert "no such folder" in values(run, "registry", "serve", tmp_path / "none", code=2)["error"]


def test_what_a_registry_offers(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CACHE", "CONFIG"):
        monkeypatch.setenv(f"SKILLBAG_{name}_DIR", str(tmp_path / name))
    monkeypatch.delenv("SKILLBAG_REGISTRY", raising=False)
    assert "SKILLBAG_REGISTRY" in values(run, "search", "say", code=2)["error"]
    published(tmp_path / "reg", "1.0.0", "1.1.0")
    with serving(tmp_path / "reg") as server:
        monkeypatch.setenv("SKILLBAG_REGISTRY", f"http://127.0.0.1:{server.port}")
        (skill,) = values(run, "search", "say")["skills"]
        assert (skill["name"], skill["source"]) == ("say-it", "registry")
        assert values(run, "search", "nothing-like-it")["skills"] == []
        assert values(run, "marketplace", "show", "registry:say-it")["skill"]["versions"] == ["1.1.0", "1.0.0"]
        assert "did you mean say-it" in values(run, "marketplace", "show", "registry:sayit", code=4)["error"]
    assert values(run, "search", "something else")["remarks"]
