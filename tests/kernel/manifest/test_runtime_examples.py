"""The examples of active skills have sound manifests."""

from __future__ import annotations

import json
import re

import jsonschema

from skillbag.kernel.manifest.reader import read_manifest
from tests.kernel.manifest.manifests import messages
from tests.rows import each_row
from tests.support import PROJECT, Run

EXAMPLES = sorted((PROJECT / "examples/runtime/skills").iterdir())


@each_row("folder", EXAMPLES, ids=lambda folder: folder.name)
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


def test_the_help_calls_tools_with_input_that_they_take(run: Run) -> None:
    texts = [run("runtime", *words, "--help").out for words in ([], ["call"])]
    given = [value for text in texts for value in re.findall(r"(?:kubectl_get |echo )'(\{.*?\})'", text)]
    schema = json.loads((PROJECT / "examples/runtime/skills/kubernetes/schemas/get.json").read_text("utf-8"))
    calls = [json.loads(value) for value in given if "text" not in value]
    assert len(calls) == 3
    for call in calls:
        jsonschema.validate(call, schema)
