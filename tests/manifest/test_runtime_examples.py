"""The examples of active skills have sound manifests."""

from __future__ import annotations

import pytest

from skillbag.manifest.reader import read_manifest
from tests.manifest.manifests import messages
from tests.support import PROJECT, Run

EXAMPLES = sorted((PROJECT / "examples/runtime/skills").iterdir())


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda folder: folder.name)
def test_an_example_has_no_fault(folder: object) -> None:
    found = read_manifest(str(folder), str(PROJECT / "examples"))
    assert messages(found) == []
    assert found.manifest is not None
    assert str(folder).endswith(found.manifest.name)


def test_there_is_one_of_each_kind(run: Run) -> None:
    manifests = [read_manifest(str(folder), str(folder)).manifest for folder in EXAMPLES]
    kinds = {kind for manifest in manifests if manifest for kind in manifest.types}
    assert kinds == {"tool", "prompt", "workflow", "security-rule", "transform"}
    assert run("check", "--strict", cwd=PROJECT / "examples/runtime").code == 0
