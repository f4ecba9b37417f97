"""What was approved is what runs, whenever the skill's files are exchanged for others."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from skillbag.runtime.activation import activation
from skillbag.runtime.broker import copies
from skillbag.runtime.broker.copies import FOLDER, held_copy
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.scanning.documentation.pages import make_pages
from skillbag.runtime.scanning.sources import source_of
from skillbag.runtime.sessions.hot_reload import reload
from skillbag.runtime.sessions.resumption import resumed
from skillbag.runtime.skill import FoundSkill
from skillbag.runtime.states import SkillState
from skillbag.runtime.triggers.settings import RuntimeSettings
from tests.runtime.children import CHILD, ECHO
from tests.runtime.faults.exchanges import EVIL, GOOD, approved, at, exchange, said, unapproving
from tests.supply.install.worlds import write

CHANGED = 'the files of the skill "a" have changed; activate it again'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "w"


def before_the_copy(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Do something once the hash is known, and before anything is copied."""

    def acting(found: FoundSkill, digest: str, state: str) -> AbstractContextManager[FoundSkill]:
        act()
        return held_copy(found, digest, state)

    monkeypatch.setattr(activation, "held_copy", acting)


def copy_of(root: Path) -> Path:
    """The folder of the only copy."""
    (copy,) = (root.parent / "state" / FOLDER).iterdir()
    return copy


def test_what_is_exchanged_before_the_copy_is_not_started(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main = approved(root) / "main.star"
    before_the_copy(monkeypatch, lambda: exchange(main, EVIL))
    assert said(root) == CHANGED
    assert [*(root.parent / "state" / FOLDER).iterdir()] == []


def test_a_copy_that_is_there_is_started_whatever_the_folder_has(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main = approved(root) / "main.star"
    assert said(root) == "good"
    before_the_copy(monkeypatch, lambda: exchange(main, EVIL))
    assert said(root) == "good"


def test_what_is_exchanged_before_the_start_is_not_started(root: Path) -> None:
    main = approved(root) / "main.star"
    assert said(root, trace=at("loading", lambda: exchange(main, EVIL))) == "good"


def test_what_is_exchanged_between_two_loads_is_not_loaded(root: Path) -> None:
    code = 'load("//one.star", "x")\nload("//two.star", "say")\nregister_tool("say", "Says.", say)\n'
    two = 'def say(input):\n    return "good"\n'
    folder = approved(root, code, {"one.star": 'log("half")\nx = 1\n', "two.star": two})
    lib = folder / "two.star"
    assert said(root, trace=at("log", lambda: exchange(lib, two.replace("good", "evil")))) == "good"
    assert "evil" in lib.read_text()


def test_what_is_exchanged_before_a_restart_is_not_started(root: Path) -> None:
    folder = approved(root, GOOD.replace('"good"', 'len([0] * 1000000000) if input else "good"'))
    with unapproving(root) as runtime:
        runtime.activate("a")
        exchange(folder / "main.star", EVIL)
        assert runtime.call_tool("say", {"die": True}).output.is_error
        assert runtime.call_tool("say", {}).output.content == "good"


def test_a_copy_that_is_damaged_while_the_skill_is_edited_is_not_started_again(root: Path) -> None:
    code = GOOD.replace('"good"', "len([0] * 1000000000)")
    folder = approved(root, code)
    with unapproving(root) as runtime:
        runtime.activate("a")
        exchange(folder / "main.star", EVIL)
        write_into(copy_of(root) / "main.star", EVIL)
        for _ in range(2):
            assert not runtime.tools() or runtime.call_tool("say", {}).output.is_error
        status = runtime.skills.status("a")
        assert (status.state, status.reason) == (SkillState.ERROR, CHANGED)


PLUGIN = """\
class A:
    def manifest(self):
        return {"name": "a"}

    def activate(self, ctx):
        ctx.register_tool("say", "Says.", self.say)

    def say(self, value):
        import words
        return words.WORD

    def deactivate(self, ctx):
        pass


def new_skill():
    return A()
"""
PROCESS = CHILD % sys.executable + ECHO.replace("starts()", 'starts(tools=[{"name": "say"}])').replace(
    'request["params"].get("input")', 'open("word.txt").read() + open(os.environ["SKILL_DIR"] + "/word.txt").read()'
)
"""Says what is in a file of its folder, twice."""


def test_a_plugin_imports_from_the_copy_later_as_well(root: Path) -> None:
    files = {"plug.py": PLUGIN, "words.py": "WORD = 'good'\n"}
    folder = approved(root, files=files, implementation="{backend: plugin, entrypoint: plug.py}")
    assert said(root, trace=at("loaded", lambda: exchange(folder / "words.py", "WORD = 'evil'\n"))) == "good"


def test_a_process_works_in_the_copy(root: Path) -> None:
    write(root / ".skills/a", {"run": PROCESS, "word.txt": "good"})
    (root / ".skills/a/run").chmod(0o755)
    folder = approved(root, implementation="{backend: process, entrypoint: run}")
    assert said(root, trace=at("loading", lambda: exchange(folder / "word.txt", "evil"))) == "goodgood"


def test_a_model_and_scans_are_given_what_was_approved(root: Path) -> None:
    rules = "rules: [{id: %s, title: T, severity: high, pattern: {type: regex, match: x}}]\n"
    files = {"ctx.md": "good text", "prompt.md": "good words", "rules.yaml": rules % "good", "page.md": "good page"}
    folder = approved(
        root,
        files=files,
        types="[tool, prompt, security-rule]",
        prompt="{system_prompt_file: prompt.md, context_files: [ctx.md]}",
        security_rules="{sast_rules_file: rules.yaml}",
        wiki="{sections: [{title: T, template: page.md}]}",
    )
    with unapproving(root) as runtime:
        runtime.activate("a")
        for name, text in files.items():
            exchange(folder / name, text.replace("good", "evil"))
        (fragment,) = runtime.fragments()
        assert ("good words" in fragment.text, "good text" in fragment.text) == (True, True)
        assert f"Skill root directory: {folder}\n" in fragment.text
        (active,) = runtime.skills
        assert [rule.id for rule in source_of(active).rules] == ["good"]
        assert "good page" in make_pages(runtime).pages[0].text


def test_instructions_that_were_found_are_those_of_the_copy(root: Path) -> None:
    text = "---\nname: a\ndescription: Does a.\n---\n"
    folder = approved(root, files={"SKILL.md": f"{text}Good."})
    exchange(folder / "SKILL.md", f"{text}Evil.")
    with unapproving(root) as runtime:
        exchange(folder / "SKILL.md", f"{text}Good.")
        with pytest.raises(RuntimeFaultError, match="has changed meanwhile"):
            runtime.activate("a")


def test_another_process_of_the_session_goes_on_with_the_copy(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main = approved(root) / "main.star"
    with resumed(runtime := unapproving(root, session="s")):
        runtime.activate("a")
    before_the_copy(monkeypatch, lambda: exchange(main, EVIL))
    with resumed(runtime := unapproving(root, session="s")):
        assert runtime.call_tool("say", {}).output.content == "good"
    with resumed(runtime := unapproving(root, session="s")):
        assert runtime.tools() == ()
        assert [remark for remark in runtime.remarks if CHANGED in remark]


def write_into(path: Path, text: str) -> None:
    """Change a file that is read-only."""
    path.chmod(0o600)
    path.write_text(text)


def linked(copy: Path) -> None:
    shutil.move(copy, copy.parents[1] / "moved")
    copy.symlink_to(copy.parents[1] / "moved")


def replaced(copy: Path) -> None:
    shutil.rmtree(copy)
    copy.write_text("x")


DAMAGE: dict[str, Callable[[Path], object]] = {
    "a file is another": lambda copy: write_into(copy / "main.star", EVIL),
    "a file more": lambda copy: (copy / "more.star").write_text(EVIL),
    "a file less": lambda copy: (copy / "main.star").unlink(),
    "a mode": lambda copy: (copy / "main.star").chmod(0o755),
    "a link": linked,
    "a file in its place": replaced,
    "nothing": shutil.rmtree,
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_copy_is_made_anew(root: Path, damage: str) -> None:
    approved(root)
    assert said(root) == "good"
    DAMAGE[damage](copy_of(root))
    assert said(root) == "good"
    copy = copy_of(root)
    assert sorted(path.name for path in copy.iterdir()) == ["SKILL.yaml", "main.star"]
    assert not copy.is_symlink()
    assert (copy / "main.star").read_text() == GOOD
    assert (copy / "main.star").stat().st_mode & 0o333 == 0


def test_a_folder_that_a_link_has_replaced_is_not_read(root: Path) -> None:
    folder = approved(root)
    with unapproving(root) as runtime:
        folder.rename(root / "moved")
        folder.symlink_to(root / "moved")
        with pytest.raises(RuntimeFaultError, match="a link has taken its place"):
            runtime.activate("a")


def test_a_running_skill_goes_on_when_its_folder_moves(root: Path) -> None:
    folder = approved(
        root, 'register_tool("say", "Says.", lambda input: load_file("word.txt"))\n', {"word.txt": "good"}
    )
    with unapproving(root) as runtime:
        runtime.activate("a")
        folder.rename(root / "moved")
        assert runtime.call_tool("say", {}).output.content == "good"


def test_a_file_is_found_by_its_path_in_the_own_folder_and_no_file_is_written_there(root: Path) -> None:
    code = 'register_tool("say", "Says.", lambda input: read_file(input["path"]))\n'
    code += 'register_tool("put", "Puts.", lambda input: write_file(input["path"], "x"))\n'
    folder = approved(root, code, permissions='["file:read", "file:write"]')
    own = folder.rename(root / "own")
    settings = RuntimeSettings(dirs=(str(own),))
    with unapproving(root, settings=settings, approved=frozenset({"a"})) as runtime:
        runtime.activate("a")
        (own / "main.star").write_text(EVIL)
        assert runtime.call_tool("say", {"path": str(own / "main.star")}).output.content == code
        assert "which no skill changes" in runtime.call_tool("put", {"path": "own/main.star"}).output.content


def test_no_room_for_the_copy(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    approved(root)

    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28), "x")

    monkeypatch.setattr(copies, "pieces", full)
    text = said(root)
    assert "can't be started, since its files can't be copied to " in text
    assert "No space left on device" in text
    assert "set SKILLBAG_STATE_DIR to" in text
    assert [*(root.parent / "state" / FOLDER).iterdir()] == []


def test_a_state_that_can_not_be_written(root: Path) -> None:
    approved(root)
    (root.parent / "state" / FOLDER).write_text("")
    assert "can't be started, since its files can't be copied to " in said(root)


def test_a_schema_is_that_of_the_copy(root: Path) -> None:
    schema = '{"type": "object", "required": ["%s"]}'
    tools = "[{name: say, description: Says., input_schema_file: input.json}]"
    folder = approved(root, files={"input.json": schema % "good"}, tools=tools)
    with unapproving(root, trace=at("loading", lambda: exchange(folder / "input.json", schema % "evil"))) as runtime:
        runtime.activate("a")
        assert runtime.tools()[0].spec.input_schema["required"] == ["good"]


def test_a_reloaded_skill_is_what_was_approved(root: Path) -> None:
    main = approved(root) / "main.star"
    better = GOOD.replace("good", "better")
    acts: list[str] = []
    with unapproving(root, trace=at("loading", lambda: exchange(main, acts.pop()) if acts else None)) as runtime:
        runtime.activate("a")
        exchange(main, better)
        runtime.request = runtime.request._replace(ask=lambda _: ApprovalScope.ALWAYS)
        acts.append(EVIL)
        reload(runtime, "a")
        assert runtime.call_tool("say", {}).output.content == "better"
