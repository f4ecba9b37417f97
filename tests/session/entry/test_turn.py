"""`skillbag turn`: one command before each response, also as the hook of each prompt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.session.agents import answer, is_refused
from tests.session.bags import bag, context, parameters, session, skill_md
from tests.support import Run

SKILLS = {
    "end": "Ends. #run/last",
    "greet": "Greets. #run/always",
    "look": "Looks.",
    "notes": "Writes notes. #use/look",
}
NOTES = ".skills/notes/SKILL.md"
FILES = {
    NOTES: skill_md("notes", SKILLS["notes"], parameters("required:\n  - name: since", "Write them.")),
    ".skills/greet/SKILL.md": skill_md("greet", SKILLS["greet"], "Say hello."),
}
S1 = ("--session", "s1")


def world(tmp_path: Path) -> Path:
    return bag(tmp_path / "w", SKILLS, FILES)


def edit(root: Path, path: str, text: str) -> None:
    (root / path).write_text(text)


@pytest.mark.proves("lifecycle", "entry.once", "refresh.complete")
@pytest.mark.proves("tags", "tags.run-always", "tags.run-last")
def test_the_first_turn_enters_and_one_without_a_change_prints_nothing(tmp_path: Path, run: Run) -> None:
    root = world(tmp_path)
    first = run("turn", *S1, cwd=root)
    assert first.code == 0
    assert first.out.startswith(f"Entry into the workspace {root}\nSession: s1")
    assert "- greet: as said below\n- end (#run/last: after all else): as said below\n" in first.out
    assert first.out.count("# Skill: greet\n\nSay hello.\n") == 1
    assert "# Skill: end" in first.out
    for _ in range(2):
        again = run("turn", *S1, cwd=root)
        assert (again.code, again.out, again.err) == (0, "", "")
    # It was entered, so entry does nothing.
    assert session(root, "s1").enter().status == "already"


@pytest.mark.proves("tags", "tags.run-last")
def test_after_an_entry_only_what_is_new_is_printed(tmp_path: Path, run: Run) -> None:
    root = world(tmp_path)
    session(root, "s1").enter()
    out = run("turn", *S1, cwd=root).out
    assert "Entry" not in out
    assert "- greet: unchanged, as you read it\n- end (#run/last: after all else): as said below\n" in out
    assert "# Skill: greet" not in out
    assert run("turn", *S1, cwd=root).out == ""


@pytest.mark.proves("tags", "tags.use")
@pytest.mark.proves("inputs", "inputs.before-run", "inputs.required")
def test_chosen_skills_come_with_their_companions_values_and_questions(tmp_path: Path, run: Run) -> None:
    root = world(tmp_path)
    session(root, "s1").turn()
    first = run("turn", "notes", *S1, cwd=root)
    assert first.code == 3
    assert "- greet: unchanged, as you read it\n- look: as said below\n- notes: ask first, as said below\n" in first.out
    assert "Ask: notes needs since" in first.out
    assert "Write them." not in first.out
    second = run("turn", "notes", *S1, "--set", "since=v1", cwd=root)
    assert second.code == 0
    assert "- look: unchanged, as you read it\n- notes: as said below\n" in second.out
    assert "Write them." in second.out
    assert "- since = v1 (conversation)" in second.out
    known = run("turn", "notes", *S1, "--set", "since=v2", cwd=root)
    assert "- notes: unchanged, as you read it, with the values below\n" in known.out
    assert "Write them." not in known.out
    assert "- since = v2 (conversation)" in known.out


@pytest.mark.proves("lifecycle", "refresh.minimal", "refresh.trigger")
def test_a_changed_text_is_printed_once_wherever_the_session_has_it_from(tmp_path: Path, run: Run) -> None:
    root = world(tmp_path)
    session(root, "s1").turn()
    session(root, "s1").run("look")
    edit(root, ".skills/greet/SKILL.md", skill_md("greet", SKILLS["greet"], "Say good day."))
    out = run("turn", *S1, cwd=root).out
    assert out.startswith("Changed: .skills/greet/SKILL.md\n")
    assert "# Skill: greet\n\nSay good day.\n" in out
    assert "- end (#run/last: after all else): unchanged, as you read it\n" in out
    assert run("turn", *S1, cwd=root).out == ""
    edit(root, ".skills/look/SKILL.md", skill_md("look", SKILLS["look"], "Look twice."))
    out = run("turn", *S1, cwd=root).out
    assert "(changed since you read it; it does not run now)\n\n# Skill: look\n\nLook twice.\n" in out
    assert run("turn", *S1, cwd=root).out == ""


@pytest.mark.proves("lifecycle", "refresh.trigger")
@pytest.mark.proves("tags", "tags.user-override")
def test_changed_settings_tags_and_catalog_lines_are_printed(tmp_path: Path, run: Run) -> None:
    root = world(tmp_path)
    session(root, "s1").turn()
    session(root, "s1").run("notes", {"since": "v1"})
    block = 'parameters: {notes: {since: v9}}\ntags: {look: {add: ["#run/always"]}, end: {remove: ["#run/last"]}}'
    edit(root, "USER_CONTEXT.md", "Be brief.\n\n" + context(block))
    out = run("turn", "notes", *S1, cwd=root).out
    assert "New: USER_CONTEXT.md\nRuns always from now on: look\n" in out
    assert "- notes.since = v9 (USER_CONTEXT.md:6)\n" in out
    assert "## From USER_CONTEXT.md\n\nBe brief." in out
    assert "- greet: unchanged, as you read it\n- look: as said below\n- notes: unchanged" in out
    assert "- since = v9 (user-context, USER_CONTEXT.md:6)" in out
    bag(root, {**SKILLS, "sing": "Sings. Use at parties."}, FILES)
    out = run("turn", *S1, cwd=root).out
    assert "## Skills that are new or described anew\n\nsing: Sings. Use at parties.\n" in out


def test_values_are_for_the_skills_that_have_them(tmp_path: Path, run: Run) -> None:
    root = world(tmp_path)
    session(root, "s1").turn()
    is_refused(
        run("turn", "look", *S1, "--set", "since=v1", cwd=root),
        "since: it is no parameter or risk of greet, look, end in this turn",
    )
    is_refused(run("turn", "look", *S1, "--set", "since", cwd=root), "write --set NAME=VALUE")
    is_refused(run("turn", "lok", *S1, cwd=root), "did you mean look?")
    # Nothing of it counts as read.
    assert "# Skill: look" in run("turn", "look", *S1, cwd=root).out


def test_a_text_counts_as_missing_once_the_context_was_shortened(tmp_path: Path, run: Run) -> None:
    root = world(tmp_path)
    session(root, "s1").turn()
    session(root, "s1").enter(again=True)
    assert "# Skill: end" in run("turn", *S1, cwd=root).out


@pytest.mark.proves("lifecycle", "entry.missing")
def test_what_is_missing_is_asked_before_anything_runs(tmp_path: Path, run: Run) -> None:
    dependency = "dependencies:\n  - {name: lint, source: https://example.com/x.git, version: v1}"
    root = bag(tmp_path / "w", SKILLS, {**FILES, "CONTEXT.md": context(dependency)})
    outcome = run("turn", *S1, cwd=root)
    assert outcome.code == 3
    assert "Say hello." not in outcome.out
    assert "skillbag install" in outcome.out
    assert run("turn", "--incomplete", *S1, cwd=root).code == 0


@pytest.mark.proves("lifecycle", "entry.missing")
@pytest.mark.proves("inputs", "inputs.required")
def test_what_is_missing_since_is_asked_until_it_is_there(tmp_path: Path, run: Run) -> None:
    dependency = "dependencies:\n  - {name: lint, source: https://example.com/x.git, version: v1}"
    value = "parameters: {greet: {name: Ann}}"
    greeting = skill_md("greet", SKILLS["greet"], parameters("required:\n  - name: name", "Say hello."))
    for folder, skill, before, since in (
        ("a", FILES[".skills/greet/SKILL.md"], "", context(dependency)),
        ("b", greeting, context(value), ""),
    ):
        root = bag(tmp_path / folder, SKILLS, {".skills/greet/SKILL.md": skill, "CONTEXT.md": before})
        assert run("turn", *S1, cwd=root).code == 0
        edit(root, "CONTEXT.md", since)
        for _ in range(2):
            outcome = run("turn", *S1, cwd=root)
            assert outcome.code == 3
            assert "greet can't run yet" in outcome.out
        edit(root, "CONTEXT.md", before)
        assert "# Skill: greet" in run("turn", *S1, cwd=root).out
        assert run("turn", *S1, cwd=root).out == ""


def test_the_json_has_the_same(tmp_path: Path, run: Run) -> None:
    root = world(tmp_path)
    values = answer(run, root, "turn", "look", *S1)
    assert (values["entered"], values["ready"], values["session"]) == (True, True, "s1")
    assert [each["name"] for each in values["order"]] == ["greet", "look", "end"]
    assert [each["skill"] for each in values["runs"]] == ["greet", "look", "end"]
    assert "look" in [each["name"] for each in values["catalog"]]
    values = answer(run, root, "turn", "look", *S1)
    assert (values["entered"], values["nothing"], values["known"]) == (False, True, ["greet", "look", "end"])
    assert [(each["skill"], each["instructions"]) for each in values["runs"]] == [("look", "")]
    values = answer(run, root, "turn", *S1)
    assert (values["order"], values["runs"], values["nothing"]) == ([], [], True)


def hook(run: Run, root: Path, **values: str) -> str:
    event = {"session_id": "s1", "cwd": str(root), "hook_event_name": "UserPromptSubmit", "prompt": "Hello", **values}
    outcome = run("turn", "--hook", stdin=json.dumps(event).encode(), cwd=root.parent)
    assert (outcome.code, outcome.err) == (0, "")
    return outcome.out


@pytest.mark.proves("lifecycle", "refresh.trigger")
def test_as_the_hook_of_each_prompt_it_says_when_an_always_skill_has_changed(tmp_path: Path, run: Run) -> None:
    root = world(tmp_path)
    session(root, "s1").enter()
    assert "# Skill: end" in hook(run, root)
    assert hook(run, root) == ""
    edit(root, ".skills/greet/SKILL.md", skill_md("greet", SKILLS["greet"], "Say good day."))
    assert "Say good day." in hook(run, root)
    assert hook(run, root) == ""
    assert hook(run, tmp_path) == ""
    edit(root, "CONTEXT.md", context("parameters: ["))
    assert hook(run, root).startswith("skillbag: CONTEXT.md")
    outcome = run("turn", "--hook", stdin=b"{}", cwd=root)
    assert (outcome.code, outcome.out) == (0, f"skillbag: {NO_ID}\n")


@pytest.mark.parametrize("command", ["winner look notes", "remember colour=blue", "forget colour", "order", "turn"])
def test_every_command_takes_the_session(tmp_path: Path, run: Run, command: str) -> None:
    root = world(tmp_path)
    session(root).remember("colour", "red")
    if command != "turn":
        is_refused(run(*command.split(), *S1, cwd=root), "has not entered this workspace")
    session(root, "s1").enter()
    assert run(*command.split(), *S1, cwd=root).code == 0


NO_ID = "the standard input of the hook has no `session_id`; give --session ID"
