"""Skills and databases that are out to harm, seen from the runtime: nothing outside is read or written, and the other
skills are as they were."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from skillbag.runtime.activation.request import QuestionsError
from skillbag.runtime.broker.database_file import StoreError
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.broker.questions import question_text
from skillbag.runtime.broker.store import FILE, RuntimeStore
from skillbag.runtime.errors import NotFoundError, RuntimeFaultError
from tests.runtime.databases import change
from tests.runtime.faults.test_runtime_faults import check_sentence
from tests.runtime.sessions.test_runtime_model import WRITER
from tests.runtime.worlds_active import active, manifest, opened
from tests.supply.install.worlds import write

SECRET = "the secret"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a sound skill; a secret lies beside it, and links lead there."""
    folder = tmp_path / "workspace"
    write(tmp_path, {"outside/secret": SECRET, "workspace-b/secret": SECRET})
    write(folder, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": "", "own": "own"})
    active(folder, "echo")
    put_links(folder)
    return folder


def put_links(folder: Path) -> None:
    """Links in a folder that lead out of the workspace."""
    outside = next(parent for parent in folder.parents if (parent / "outside").exists()) / "outside"
    (folder / "file").symlink_to(outside / "secret")
    (folder / "folder").symlink_to(outside)
    (folder / "chain").symlink_to("folder/secret")
    (folder / "gone").symlink_to(outside / "new")


PATHS = (
    *("../outside/secret", "../../outside/secret", "../../../outside/secret", "../workspace-b/secret"),
    *("{top}/outside/secret", "{top}/workspace/../outside/secret", "//{top}/outside/secret", "~/../secret"),
    *("file", "folder/secret", "chain", "gone", "folder/../file", ".skills/../file", "folder/new", "own/../file"),
    *("./../outside/secret", ".//..//outside/secret", "file\0", "/proc/self/environ"),
    *("/dev/stdin", "/dev/fd/0", "own\0/../../outside/secret", "", ".", "..", "a" * 5000, "file/"),
)
"""What a skill may ask for to get out; `{top}` is the folder of the workspace."""

TOUCH = """\
register_tool("read", "Reads.", lambda input: read_file(input["path"]))
register_tool("load", "Loads.", lambda input: load_file(input["path"]))
register_tool("list", "Lists.", lambda input: list_dir(input["path"]))
register_tool("write", "Writes.", lambda input: write_file(input["path"], "changed"))
"""


def test_no_argument_leads_out(root: Path) -> None:
    top = root.parent
    folder = active(root, "touch", TOUCH, permissions='["file:read", "file:write"]')
    with opened(root) as runtime:
        runtime.activate("touch")
        put_links(folder)
        for path in PATHS:
            for tool in ("read", "load", "list", "write"):
                output = runtime.call_tool(tool, {"path": path.format(top=top)}).output
                assert SECRET not in output.content
                assert "secret" not in output.content or output.is_error, (tool, path)
                assert tool == "list" or output.is_error, (tool, path)
        assert runtime.call_tool("read", {"path": "own"}).output == ("own", False)
    assert (top / "outside/secret").read_text() == (top / "workspace-b/secret").read_text() == SECRET
    assert [*(top / "outside").iterdir()] == [top / "outside/secret"]
    assert (root / "own").read_text() == "own"


@pytest.mark.parametrize("declared", [None, "[AGENTS.md]"])
def test_a_file_that_steers_agents_is_written_where_the_question_names_it(root: Path, declared: str | None) -> None:
    active(root, "touch", TOUCH, permissions='["file:read", "file:write"]', steering_files=declared)
    with opened(root, approved=frozenset()) as runtime:
        with pytest.raises(QuestionsError) as raised:
            runtime.activate("touch")
        assert ("AGENTS.md" in question_text(raised.value.questions[0])) is (declared is not None)
    with opened(root) as runtime:
        runtime.activate("touch")
        output = runtime.call_tool("write", {"path": "AGENTS.md"}).output
        assert "steers agents" in runtime.call_tool("write", {"path": "CLAUDE.md"}).output.content
    assert output.is_error is (declared is None)
    assert (root / "AGENTS.md").exists() is (declared is not None)


FIELDS = {
    "entrypoint": {"implementation": "{{backend: starlark, entrypoint: {path}}}"},
    "program": {"implementation": "{{backend: process, entrypoint: {path}}}"},
    "schema": {"tools": "[{{name: echo, input_schema_file: {path}}}]"},
    "system prompt": {"prompt": "{{system_prompt_file: {path}}}"},
    "context": {"prompt": "{{context_files: [{path}]}}"},
    "reference": {"references": "[{{path: {path}, when: now}}]"},
}


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("path", ["../../../outside/secret", "{top}/outside/secret", "file", "folder/secret", "chain"])
def test_no_path_of_a_manifest_leads_out(root: Path, field: str, path: str) -> None:
    where = path.format(top=root.parent)
    put_links(active(root, "bad", **{key: text.format(path=where) for key, text in FIELDS[field].items()}))
    with opened(root) as runtime:
        for bad in runtime.found.faults:
            check_sentence(bad.faults[0].message)
        # A program without a folder may be one of the system, and is looked for at the start.
        found = not runtime.found.faults
        assert found is (field == "program" and path in ("file", "chain"))
        with pytest.raises(RuntimeFaultError if found else NotFoundError) as raised:
            runtime.activate("bad")
        check_sentence(str(raised.value))
        assert runtime.activate("echo") == ("echo",)
        assert SECRET not in runtime.build_prompt().text


@pytest.mark.parametrize("field", ["entrypoint", "schema", "system prompt", "context"])
def test_a_file_that_becomes_a_link_after_it_was_found_is_not_followed(root: Path, field: str) -> None:
    texts = {key: text.format(path="part") for key, text in FIELDS[field].items()}
    code = 'register_tool("other", "Does.", lambda input: "done")\n'
    folder = active(
        root, "bad", code, **{key: text.replace("name: echo", "name: other") for key, text in texts.items()}
    )
    (folder / "part").write_text("{}" if field == "schema" else code)
    with opened(root) as runtime:
        # What it leads to would do as well.
        (folder / "part").rename(root.parent / "outside/part")
        (folder / "part").symlink_to(root.parent / "outside/part")
        with pytest.raises(RuntimeFaultError) as raised:
            runtime.activate("bad")
        check_sentence(str(raised.value))
        assert "register_tool" not in runtime.build_prompt().text
        assert runtime.activate("echo") == ("echo",)


def test_a_manifest_with_ten_faults_is_one_skill_less(root: Path) -> None:
    text = """\
name: Bad Name
version: one
description: ""
types: [tool, spell]
category: magic
permissions: [file:read, shell:fly]
dependencies: [{name: Docker!, version: "=>1"}]
execution_mode: sideways
implementation: {backend: cobol, entrypoint: ../main.cob}
tools: [{name: 1st}, {name: two}, {name: two}]
compatibility: {platforms: [amiga]}
"""
    write(root / ".skills", {"bad/SKILL.yaml": text, "other/SKILL.yaml": manifest("other", types="[prompt]")})
    with opened(root) as runtime:
        bad = {Path(one.file).parent.name: one for one in runtime.found.faults}["bad"]
        assert len(bad.faults) >= 10
        assert len({(fault.line, fault.column) for fault in bad.faults}) >= 10
        for fault in bad.faults:
            check_sentence(fault.message)
        assert runtime.activate("echo") == ("echo",)


def damaged(path: Path) -> None:
    path.write_bytes(b"garbage" * 1000)


def newer(path: Path) -> None:
    change(path, "PRAGMA user_version=99")


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def emptied(path: Path) -> None:
    change(path, "DROP TABLE audit")


def forged(path: Path) -> None:
    """A trigger that approves what is asked about."""
    change(
        path,
        "CREATE TRIGGER t AFTER INSERT ON audit BEGIN "
        "UPDATE permission_approvals SET scope = 'always', tree_hash = new.detail; END",
    )


@pytest.mark.parametrize("harm", [damaged, newer, folder, emptied, forged])
def test_a_database_that_can_not_be_used_approves_nothing(root: Path, harm: Callable[[Path], None]) -> None:
    active(root, "writer", WRITER, permissions='["file:write"]')
    with opened(root, approved=frozenset(), ask=lambda _: ApprovalScope.ALWAYS) as runtime:
        runtime.activate("writer")
    harm(root.parent / "state" / FILE)
    with opened(root, approved=frozenset()) as runtime:
        with pytest.raises((StoreError, QuestionsError)) as raised:
            runtime.activate("writer")
        check_sentence(str(raised.value))
        assert runtime.tools() == ()
        runtime.begin("a message")
        for remark in runtime.remarks:
            assert "damaged" in remark


def test_a_database_that_is_locked_or_lost_while_a_skill_is_active(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert RuntimeStore.__init__.__kwdefaults__
    monkeypatch.setitem(RuntimeStore.__init__.__kwdefaults__, "wait", 0.1)
    active(root, "writer", WRITER, permissions='["file:write"]')
    path = root.parent / "state" / FILE
    with opened(root, approved=frozenset(), ask=lambda _: ApprovalScope.ALWAYS) as runtime:
        runtime.activate("writer")
        with closing(sqlite3.connect(path)) as other:
            other.execute("BEGIN IMMEDIATE")
            output = runtime.call_tool("save", {"text": "a"}).output
            assert output.is_error
            assert "another process" in output.content
            check_sentence(output.content)
            assert not (root / "out.txt").exists()
        assert runtime.call_tool("save", {"text": "b"}).output == ("saved", False)
        path.unlink()
        assert "not approved" in runtime.call_tool("save", {"text": "c"}).output.content
        assert (root / "out.txt").read_text() == "b"
