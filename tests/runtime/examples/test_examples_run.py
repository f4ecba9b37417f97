"""The examples of active skills at work: through the command line, and through a client of the MCP server."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError

from skillbag import open_runtime
from skillbag.runtime.scanning.scan import scan
from tests.agents.mcp_server.mcp_worlds import environment, with_client
from tests.forked import execute
from tests.supply.install.worlds import ENTRYPOINT, write
from tests.support import PROJECT

pytestmark = pytest.mark.boundary

EXAMPLES = PROJECT / "examples/runtime/skills"
NAMES = sorted(folder.name for folder in EXAMPLES.iterdir())
KUBECTL = """#!/bin/sh
case "$*" in *forbidden*) echo "no such cluster" >&2; exit 3;; esac
echo "{\\"asked\\": \\"$*\\"}"
"""
COMPLETER = [sys.executable, "-c", "import sys; print('MODEL', sys.stdin.read().splitlines()[-1].upper())"]
LOG = "line one\nlogger.info(patient_name)\nprint(ok)\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with the examples, `kubectl` on the PATH, and a model."""
    root = write(tmp_path / "ws", {"SKILLBAG.md": ENTRYPOINT, ".skills/SKILLS.md": "", "Dockerfile": "FROM scratch\n"})
    shutil.copytree(EXAMPLES, root / ".skills", dirs_exist_ok=True)
    write(tmp_path / "bin", {"kubectl": KUBECTL})
    (tmp_path / "bin/kubectl").chmod(0o755)
    runtime = {"llm": {"command": COMPLETER}, "approved_skills": NAMES}
    write(tmp_path / "config", {"settings.json": json.dumps({"version": 1, "runtime": runtime})})
    return root


@pytest.fixture
def variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, str]:
    """The environment of the commands, which the tests of the package share."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    for name, value in environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("KUBE_CONTEXT", "home")
    return environment(tmp_path)


def skillbag(root: Path, *arguments: str, code: int = 0, stdin: str = "") -> str:
    """What `skillbag runtime ARGUMENTS` prints, in a process of its own."""
    done = execute(["runtime", *arguments], root, os.environ, stdin)
    assert done.returncode == code, done.stderr
    return done.stdout


@pytest.mark.usefixtures("variables")
def test_kubernetes_gets_resources(root: Path) -> None:
    pods = skillbag(root, "call", "kubectl_get", '{"resource": "pods", "namespace": "web"}')
    assert json.loads(pods) == {"asked": "get pods --output=json --namespace=web --context=home"}
    failed = skillbag(root, "call", "kubectl_get", '{"resource": "forbidden"}', code=1)
    assert failed.startswith("Error: ")
    assert "kubectl: no such cluster" in failed


@pytest.mark.usefixtures("variables")
def test_ddd_expert_joins_the_prompt(root: Path) -> None:
    traced = skillbag(root, "trace", "--message", "Is this an aggregate?")
    assert "ddd-expert  included" in traced
    requests = [{"do": "message", "text": "Is this an aggregate?"}, {"do": "build_prompt", "base": "You help."}]
    _, message, built = hosted(root, *requests)
    assert "ddd-expert" in message["activated"]
    begin = '<skill name="ddd-expert">\nSkill root directory: '
    assert built["text"].startswith(f"You help.\n\n{begin}{root}/.skills/ddd-expert\n")
    assert built["text"].index("You know domain-driven design.") < built["text"].index("One transaction changes one")


@pytest.mark.usefixtures("variables")
def test_rfc_writer_writes_its_file(root: Path) -> None:
    given = {"title": "Cache results!", "context": "queries are slow"}
    assert json.loads(skillbag(root, "run", "rfc-writer", json.dumps(given))) == {"path": "docs/rfcs/cache-results.md"}
    text = (root / "docs/rfcs/cache-results.md").read_text()
    assert text == "# RFC: Cache results!\n\nMODEL CONTEXT: QUERIES ARE SLOW\n"


@pytest.mark.nightly
@pytest.mark.usefixtures("variables")
def test_hipaa_compliance_finds_what_is_logged(root: Path) -> None:
    write(root, {"app.py": LOG, "form.py": 'get("/x?ssn=1")\n', "tests/form.py": 'get("/x?ssn=1")\n'})
    text = skillbag(root, "scan", "--skills", "hipaa-compliance", code=1)
    assert "app.py\n  2:1 error hipaa-compliance/phi-in-log\n" in text
    found = json.loads(skillbag(root, "scan", "--skills", "hipaa-compliance", "--json", code=1))["findings"]
    assert [(each["rule"], each["path"], each["line"]) for each in found] == [
        ("hipaa-compliance/phi-in-log", "app.py", 2),
        ("hipaa-compliance/phi-in-url", "form.py", 1),
    ]
    with open_runtime(str(root)) as runtime:
        assert "hipaa-compliance" in runtime.begin("Is this fine by HIPAA?").activated
        scanned = scan(runtime, str(root))
    assert [finding.rule for finding in scanned.result.findings] == [each["rule"] for each in found]


@pytest.mark.nightly
@pytest.mark.usefixtures("variables")
def test_i18n_output_changes_the_answer(root: Path) -> None:
    assert "OnAfterResponse" in skillbag(root, "hooks", "--skills", "i18n-output")
    assert skillbag(root, "transform", stdin="good day\n") == "MODEL GOOD DAY\n"
    with open_runtime(str(root)) as runtime:
        runtime.begin("hello")
        assert runtime.respond("good day").text == "MODEL GOOD DAY"
    start, reply = hosted(root, {"do": "respond", "text": "good day"})
    assert "i18n-output" in start["activated"]
    assert (reply["text"], reply["changed"]) == ("MODEL GOOD DAY", True)


@pytest.mark.usefixtures("variables")
def test_echo_process_gives_back_what_it_is_given(root: Path) -> None:
    assert "Tools: echo" in skillbag(root, "info", "echo-process")
    assert skillbag(root, "call", "echo", '{"text": "hé"}') == "hé\n"


def hosted(root: Path, *requests: Mapping[str, Any]) -> list[Any]:
    """The results of the start and of requests to `skillbag runtime host`."""
    lines = [{"do": "start", "protocol": 1, "folder": str(root), "mode": "interactive"}, *requests, {"do": "close"}]
    stdin = "".join(json.dumps({"id": number, **line}) + "\n" for number, line in enumerate(lines))
    answers = [json.loads(line) for line in skillbag(root, "host", stdin=stdin).splitlines()]
    return [answer["result"] for answer in answers[:-1]]


@pytest.mark.nightly
def test_all_of_them_in_a_client_of_the_mcp_server(root: Path, tmp_path: Path, variables: Mapping[str, str]) -> None:
    async def use(client: Client) -> None:
        async def text(tool: str, **arguments: Any) -> str:
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, result
            return str(result.content[0].text)  # type: ignore[union-attr]

        reported = {name: await text("skill_activate", skill=name) for name in NAMES}
        # A Dockerfile triggers it.
        assert reported["kubernetes"] == 'The skill "kubernetes" is active already.'
        assert "Tools: echo." in reported["echo-process"]
        assert "You know domain-driven design." in reported["ddd-expert"]
        assert 'skill "i18n-output", OnAfterResponse: ' in reported["i18n-output"]
        assert json.loads(await text("kubectl_get", resource="pods"))["asked"].startswith("get pods --output=json")
        with pytest.raises(MCPError, match=r"input\.resource"):
            await client.call_tool("kubectl_get", {"resource": "--kubeconfig=x"})
        assert await text("echo", text="hé") == "hé"
        written = json.loads(await text("workflow_write_rfc", title="Two words", context="none"))
        assert (root / written["path"]).read_text().startswith("# RFC: Two words\n\nMODEL CONTEXT: NONE")
        prompt = await client.get_prompt("ddd-expert")
        assert "One transaction changes one aggregate" in str(prompt.messages[0].content)
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names >= {"kubectl_get", "echo", "workflow_write_rfc"}

    with_client(tmp_path, "stdio", "legacy", use)
