"""`skill_NAME`: what an agent is given when it calls a skill, the project's or the user's own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from skillbag.agents.permissions.active import SkillInUse, active_skill
from skillbag.agents.permissions.allowed_tools import is_own_tool
from skillbag.agents.plugins.calls import HookData
from skillbag.agents.plugins.plugin import handle_hook
from skillbag.agents.settings.scope import Scope
from skillbag.agents.tools.phrasing import TOOLS
from skillbag.agents.tools.registry import call_tool, offered_tools
from skillbag.agents.tools.tool import ToolResult, UnknownToolError
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.standard.cut_names import tool_name
from tests.rows import each_row
from tests.session.bags import TOKEN, bag, context, parameters, skill_md
from tests.session.parameters import skill_text
from tests.supply.install.worlds import write
from tests.support import Run

NEEDS_FORMAT = """
required:
  - name: format
    description: of the result
optional:
  - name: language
    confirm: [de]
"""


def call(root: Path | None, name: str, arguments: object = None, **more: Any) -> ToolResult:
    """The result of a skill's tool, in a session unless `session` says otherwise."""
    given = {"personal": None, "session": None, **more}
    return call_tool(Scope(str(root) if root else None, **given), f"skill_{name}", arguments or {})


def entered(root: Path, **more: Any) -> Scope:
    """A scope whose session has entered."""
    scope = Scope(str(root), None, "s1", **more)
    call_tool(scope, "enter", {})
    return scope


# The text.


def test_an_invocation_is_title_body_arguments_and_supporting_files_in_this_order(tmp_path: Path) -> None:
    files = {f".skills/apple/{path}": "" for path in ("scripts/peel.py", "references/kinds.md", "LICENSE", ".hidden")}
    root = bag(tmp_path, ["apple"], {**files, ".skills/apple/SKILL.md": skill_md("apple", "Does it.", "Peel it.")})
    scope = entered(root)
    assert call_tool(scope, "skill_apple", {"arguments": "the red one\nand the green"}).text == (
        "# Skill: apple\n\nPeel it.\n\n"
        "## Arguments\nthe red one\nand the green\n\n"
        "## Supporting Files\n\nIn the skill's folder: LICENSE, references/, scripts/\n"
        '- `read_skill_file` {"skill": "apple", "path": PATH} reads a file there.\n'
        '- `run_skill_script` {"skill": "apple", "script": PATH, "args": [...]} runs a script there.'
    )


def test_what_is_not_there_gets_no_section(tmp_path: Path) -> None:
    scope = entered(bag(tmp_path, ["apple"]))
    assert call_tool(scope, "skill_apple", {}).text == "# Skill: apple\n\nDo it."
    assert call_tool(scope, "skill_apple", {"arguments": " \n"}).text == "# Skill: apple\n\nDo it."


def test_folders_are_named_however_many_files_there_are(tmp_path: Path) -> None:
    many = {f".skills/apple/assets/{number:03}.txt": "" for number in range(80)}
    root = bag(tmp_path, ["apple"], {**many, ".skills/apple/scripts/x.py": ""})
    assert "In the skill's folder: assets/, scripts/\n" in call(root, "apple").text


def test_of_very_many_files_at_the_top_some_are_named_and_the_rest_counted(tmp_path: Path) -> None:
    root = bag(tmp_path, ["apple"], {f".skills/apple/{number:03}.txt": "" for number in range(25)})
    assert "018.txt, 019.txt and 5 more\n" in call(root, "apple").text


@each_row("home", ["project", "personal"])
@each_row(
    ("text", "body"),
    [
        (
            "---\r\nname: apple\r\ndescription: Secret words.\r\n---\r\n\r\nPeel it.\r\n\r\nEat it.\r\n",
            "Peel it.\n\nEat it.",
        ),
        ("---\nname: apple\ndescription: Secret words.\n---", ""),
        ("---\r\nname: apple\r\ndescription: Secret words.\r\n---", ""),
        ("---\nname: apple\ndescription: Secret words.\n---\nPeel it.", "Peel it."),
        ("---\nname: apple\ndescription: Secret words.\n---  \n\n\nPeel it.\n\n\n", "Peel it."),
        ("\ufeff---\nname: apple\ndescription: Secret words.\n---\nPeel it.\n---\nMore.\n", "Peel it.\n---\nMore."),
    ],
    ids=["crlf", "no-newline", "crlf-no-newline", "no-blank-line", "blanks", "mark-and-rule"],
)
def test_front_matter_never_leaks_into_the_body(tmp_path: Path, home: str, text: str, body: str) -> None:
    file = "SKILL.md" if home == "project" else "skill.md"
    if home == "project":
        result = call(bag(tmp_path, ["apple"], {f".skills/apple/{file}": text}), "apple").text
    else:
        result = call(None, "apple", personal=str(write(tmp_path, {f"apple/{file}": text}))).text
    message = "\n\nThis session has not entered the workspace"
    assert result.split(message)[0] == f"# Skill: apple\n\n{body}".rstrip()


def test_no_secret_and_no_half_character_gets_out(tmp_path: Path) -> None:
    root = bag(tmp_path, ["apple"], {".skills/apple/SKILL.md": skill_md("apple", "Does it.", f"Use {TOKEN}.")})
    text = call(root, "apple", {"arguments": f"with {TOKEN}"}).text
    assert TOKEN not in text
    assert text.count("ghp_****") == 2


def test_no_text_of_a_tool_names_a_command_but_what_the_user_alone_can_run(tmp_path: Path) -> None:
    skills = {"apple": "Does it. #use/pear", "pear": "Pears. #run/last", "cook": "Cooks. #run/always"}
    body = {
        ".skills/apple/SKILL.md": skill_md("apple", skills["apple"], parameters(NEEDS_FORMAT)),
        "CONTEXT.md": context(
            "dependencies:\n  - {name: lemon, version: v1.0.0, source: https://example.com/Org/skills.git}"
        ),
    }
    scope = Scope(str(bag(tmp_path, skills, body)), None, "s1")
    texts = [call_tool(scope, "enter", {}).text, call_tool(scope, "enter", {}).text]
    inputs = {"format": "pdf", "language": "en"}
    for arguments in ({}, {"inputs": inputs}, {"inputs": inputs, "incomplete": True}):
        texts.append(call_tool(scope, "skill_apple", arguments).text)
    write(tmp_path, {"SKILLBAG.md": "SkillBag v0.3.0\n\nAnother.\n"})
    texts.append(call_tool(scope, "skill_apple", {"inputs": inputs, "incomplete": True}).text)
    message = "\n".join(texts)
    assert "skillbag install" in message
    assert "skillbag " not in message.replace("skillbag install", "")
    assert "--" not in message.replace("---", "")
    assert "- skill_pear (#run/last: after every other skill)" in message
    assert '- remember {"name": "language", "value": "en", "skill": "apple"}' in message
    assert "Changed since this session read it: SKILLBAG.md; refresh tells what to read again." in message
    assert 'Without what is missing: skill_apple {"incomplete": true}' in message


def test_the_command_line_says_what_it_always_said(tmp_path: Path, run: Run) -> None:
    root = bag(tmp_path, ["apple"], {".skills/apple/SKILL.md": skill_md("apple", "Does it.", parameters(NEEDS_FORMAT))})
    out = run("run", "apple", "--set", "format=pdf", "--set", "language=en", cwd=root).out
    assert "- skillbag session remember language=en --skill apple" in out


# Questions.


def test_a_missing_input_is_asked_for_and_the_answer_is_given_with_the_call(tmp_path: Path) -> None:
    root = bag(tmp_path, ["apple"], {".skills/apple/SKILL.md": skill_md("apple", "Does it.", parameters(NEEDS_FORMAT))})
    requested = call(root, "apple")
    assert requested.asks
    assert 'answer: call the skill\'s tool with this among its inputs: {"format": VALUE}' in requested.text
    assert "Do it." not in requested.text
    risky = call(root, "apple", {"inputs": {"format": "pdf", "language": "de"}})
    assert risky.asks
    assert 'answer: call the skill\'s tool with this among its inputs: {"confirm": ["language"]}' in risky.text
    done = call(root, "apple", {"inputs": {"format": "pdf", "language": "de", "confirm": ["language"]}})
    assert not done.asks
    assert "Do it." in done.text
    assert "- format = pdf (conversation)\n- language = de (conversation)" in done.text


def test_prohibited_values_hold(tmp_path: Path) -> None:
    files = {
        ".skills/apple/SKILL.md": skill_md("apple", "Does it.", parameters(NEEDS_FORMAT)),
        "CONTEXT.md": context("parameters: {apple: {format: pdf}}"),
    }
    root = bag(tmp_path, ["apple"], files)
    assert not call(root, "apple").asks
    assert call(root, "apple", {"prohibits": ["format=pdf"]}).asks


@pytest.mark.parametrize("inputs", [{"fromat": "pdf"}, {"confirm": "nothing"}])
def test_an_input_that_the_skill_does_not_have_is_reported(tmp_path: Path, inputs: dict[str, str]) -> None:
    root = bag(tmp_path, ["apple"], {".skills/apple/SKILL.md": skill_md("apple", "Does it.", parameters(NEEDS_FORMAT))})
    with pytest.raises(UserError, match="apple has no"):
        call(root, "apple", {"inputs": inputs})


# The session.


def test_a_session_that_has_not_entered_is_given_the_skill_and_told_to_enter(root: Path) -> None:
    last = "\n\nThis session has not entered the workspace: call enter first; it names what must be read before work."
    for session in (None, "s1"):
        assert call(root, "apple", session=session).text == f"# Skill: apple\n\nDo it.{last}"
    entered(root)
    assert call(root, "apple", session="s1").text == "# Skill: apple\n\nDo it."


def test_a_ready_skill_becomes_the_active_one_and_a_question_changes_nothing(tmp_path: Path) -> None:
    files = {
        ".skills/apple/SKILL.md": skill_md("apple", "Does it.", "Peel.", "allowed-tools: Read, Bash(git:*)\n"),
        ".skills/pear/SKILL.md": skill_md("pear", "Does it.", parameters(NEEDS_FORMAT)),
    }
    scope = entered(bag(tmp_path, ["apple", "pear"], files))
    apple, pear = (str(tmp_path / ".skills" / name) for name in ("apple", "pear"))
    assert active_skill(scope) is None
    call_tool(scope, "skill_apple", {})
    assert active_skill(scope) == SkillInUse("apple", "Read, Bash(git:*)", apple)
    assert call_tool(scope, "skill_pear", {}).asks
    assert active_skill(scope) == SkillInUse("apple", "Read, Bash(git:*)", apple)
    call_tool(scope, "skill_pear", {"inputs": {"format": "pdf"}})
    assert active_skill(scope) == SkillInUse("pear", None, pear)


# Personal skills.


@pytest.mark.parametrize("file", ["SKILL.md", "skill.md"])
def test_a_personal_skill_is_run_by_the_same_steps(tmp_path: Path, file: str) -> None:
    text = skill_text(NEEDS_FORMAT).replace("name: convert", "name: apple")
    personal = write(tmp_path / "p", {f"some/{file}": text, "some/scripts/x.py": ""})
    requested = call(None, "apple", personal=str(personal))
    assert requested.asks
    assert f"apple needs format (of the result), and nothing gives a value ({file}:12)" in requested.text
    done = call(None, "apple", {"inputs": {"format": "pdf", "language": "en"}}, personal=str(personal))
    assert done.text.startswith("# Skill: apple\n\nConvert it.")
    assert "- format = pdf (conversation)" in done.text
    assert "In the skill's folder: scripts/" in done.text
    assert "remember" not in done.text


def test_the_settings_of_the_workspace_hold_for_personal_skills_too(tmp_path: Path) -> None:
    personal = write(tmp_path / "p", {"apple/SKILL.md": skill_md("apple", "Does it.", parameters(NEEDS_FORMAT))})
    root = bag(tmp_path / "w", ["pear"], {"CONTEXT.md": context("parameters: {'*': {format: pdf}}")})
    assert "- format = pdf (context, CONTEXT.md:" in call(root, "apple", personal=str(personal)).text


def test_a_broken_personal_skill_is_reported_with_its_place(tmp_path: Path) -> None:
    body = parameters("required:\n  - nothing: here")
    personal = write(tmp_path, {"apple/SKILL.md": skill_md("apple", "Does it.", body)})
    with pytest.raises(UserError, match=r"^SKILL\.md:\d+: "):
        call(None, "apple", personal=str(personal))


def test_a_personal_skill_leaves_its_folder_by_no_link(tmp_path: Path) -> None:
    write(tmp_path, {"secret.md": skill_md("apple", "Does it.", "Hidden.")})
    (tmp_path / "p/apple").mkdir(parents=True)
    (tmp_path / "p/apple/SKILL.md").symlink_to("../../secret.md")
    with pytest.raises(UserError, match="there is no such tool"):
        call(None, "apple", personal=str(tmp_path / "p"))


# Names of tools.

LONG = "convert-the-monthly-report-of-the-sales-team-into-one-pdf-file-a"


def test_no_tool_has_a_name_that_models_refuse(tmp_path: Path) -> None:
    others = (LONG[:-1] + "b", "b" * 58, "b" * 59, "b" * 64)
    scope = entered(bag(tmp_path, [LONG, *others]))
    tools = {tool.skill: tool.name for tool in offered_tools(scope).tools if tool.skill}

    assert tools.keys() >= {LONG, *others}
    assert len({*tools.values()}) == len(tools)
    assert tools["b" * 58] == f"skill_{'b' * 58}"
    for skill, name in tools.items():
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name), name
        assert call_tool(scope, name, {}).text.startswith(f"# Skill: {skill}\n")
        assert active_skill(scope) == SkillInUse(skill, None, str(tmp_path / ".skills" / skill))
        assert is_own_tool(name)
    assert call_tool(scope, f"skill_{LONG}", {}).text.startswith(f"# Skill: {LONG}\n")
    assert TOOLS.run(LONG, None) == tools[LONG]
    for wrong in (f"{tools[LONG][:-1]}g", tools[LONG].replace("monthly", "monthli")):
        with pytest.raises(UnknownToolError):
            call_tool(scope, wrong, {})


def test_the_index_names_a_tool_that_is_not_called_as_its_skill(tmp_path: Path) -> None:
    scope = entered(bag(tmp_path, [LONG, "apple"]))
    index = handle_hook(scope, "post_system_prompt", HookData()).inject
    assert f"- **{LONG}** (its tool is {tool_name(f'skill_{LONG}')}): " in index
    assert "- **apple**: " in index
