"""The faults of section 12 of the specification are not repeated: which test shows it for each, and the tests of those
that no other test is about."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from skillbag.runtime.activation.request import QuestionsError
from skillbag.runtime.sessions.resumption import resumed
from skillbag.runtime.states import SkillState
from skillbag.runtime.triggers.settings import RuntimeSettings
from tests.runtime.worlds_active import active, opened
from tests.supply.install.worlds import write
from tests.support import PROJECT

SHOWN: Mapping[int, tuple[str, ...]] = {
    # Limits of a turn and their settings, and the time of one operation.
    1: (
        "runtime/fields/test_every_setting.py::test_a_setting_of_the_user_has_an_effect",
        "runtime/broker/test_runtime_limits.py::test_a_turn_has_a_limit_and_the_next_one_begins_anew",
        "runtime/host/test_host_commands.py::test_it_ends_in_time_with_all_its_processes",
        "runtime/host/test_host_fetch.py::test_the_whole_call_has_an_end",
    ),
    # `once` is consumed.
    2: (
        "runtime/broker/test_approvals.py::test_once_is_for_one_activation",
        "runtime/broker/test_runtime_store_processes.py::test_exactly_one_process_gets_what_was_approved_once",
    ),
    # The user is asked.
    3: (
        "doors/cli/test_runtime_questions.py::test_on_a_terminal_permissions_are_asked",
        "agents/mcp_server/test_runtime_mcp_asking.py::test_a_client_that_can_ask_is_asked",
    ),
    # `approved_skills` holds for calls, too.
    4: ("runtime/faults/test_known_faults.py::test_what_is_approved_by_name_is_so_for_every_call",),
    # Workflows in Starlark, and `invoke_skill`.
    5: (
        "runtime/sessions/test_runtime.py::test_skills_invoke_each_other",
        "doors/cli/test_runtime_calls.py::test_a_workflow_is_run_and_its_value_printed",
    ),
    # Fields have an effect, and permissions an operation.
    6: (
        "runtime/fields/test_every_field.py::test_a_change_of_the_field_alone_is_seen",
        "doors/cli/test_runtime_scan.py::test_a_rule_finds_its_expression",
        "runtime/host/test_host_functions.py::test_every_permission_has_an_operation_and_every_function_its_permission",
        "runtime/host/test_host_git.py::test_files_are_staged_committed_and_branched",
        "runtime/host/test_host_commands.py::test_what_is_set_is_there_for_later_programs_of_this_skill_alone",
    ),
    # `OnDeactivate` comes before the end, `OnActivate` to the skill itself; `OnBeforeWikiSection` fires.
    7: (
        "runtime/faults/test_known_faults.py::test_a_skill_hears_of_its_own_beginning_and_end_while_it_runs",
        "doors/cli/test_runtime_wiki.py::test_the_pages_of_a_skill_are_written",
    ),
    # All handlers count, and one that fails ends nothing.
    8: ("runtime/hooks/test_hook_chaining.py::test_each_sees_what_came_before_and_the_result_is_the_union",),
    9: ("runtime/hooks/test_hook_dispatch.py::test_a_failure_is_noted_and_the_next_hook_is_run",),
    # An answer counts for its id alone.
    10: ("runtime/backends/test_process_misbehaving.py::test_a_late_answer_is_dropped_and_remarked",),
    # Processes: where they are, their arguments, environment and log.
    11: (
        "runtime/backends/test_process_backend.py::test_entrypoints_that_are_refused",
        "runtime/backends/test_process_backend.py::test_arguments_are_given_without_a_shell",
        "runtime/backends/test_process_backend.py::test_the_environment_is_that_of_scripts",
        "runtime/backends/test_process_misbehaving.py::test_an_unexpected_end_at_the_start_is_told",
    ),
    # One bad skill stops no other.
    12: (
        "runtime/discovery/test_skill_discovery.py::test_a_bad_manifest_hides_no_other",
        "runtime/sessions/test_runtime.py::test_a_missing_dependency_blocks_its_skill_alone",
        "runtime/faults/test_known_faults.py::test_an_activation_that_fails_stops_no_other",
    ),
    # Dependencies: versions, cycles, order.
    13: (
        "runtime/activation/test_dependencies.py::test_the_version_must_be_in_the_range",
        "runtime/activation/test_dependencies.py::test_a_cycle_blocks_its_skills_and_their_dependents",
        "runtime/activation/test_dependencies.py::test_everything_is_sorted_but_what_needs_something_impossible",
    ),
    # Triggers of languages and paths, the budget, and `execution_mode` are fed.
    14: (
        "runtime/fields/test_every_field.py::test_a_change_of_the_field_alone_is_seen",
        "runtime/fields/test_every_setting.py::test_a_setting_of_the_user_has_an_effect",
        "doors/cli/test_runtime_queries.py::test_why_has_the_parts_of_the_score",
    ),
    # Paths are real ones.
    15: (
        "runtime/host/test_host_files.py::test_a_link_out_is_refused",
        "runtime/host/test_host_files.py::test_no_path_reads_or_changes_the_secret",
    ),
    # The workspace is what is written.
    16: ("runtime/faults/test_known_faults.py::test_the_project_is_the_workspace_and_not_the_skill",),
    # `git_status` keeps the first letter.
    17: ("runtime/host/test_host_git.py::test_the_status_keeps_the_first_letter_of_its_first_line",),
    # Approvals end with an edit.
    21: (
        "runtime/sessions/test_runtime.py::test_an_edited_skill_is_asked_for_again",
        "runtime/broker/test_exchanged_files.py::test_what_is_exchanged_before_a_restart_is_not_started",
    ),
    # Skills that come and go leave active ones alone.
    22: ("runtime/faults/test_known_faults.py::test_what_is_found_anew_ends_nothing_that_is_active",),
    # Starlark ends.
    23: (
        "runtime/backends/test_starlark_limits.py::test_an_endless_loop_is_stopped_and_the_child_lives_on",
        "runtime/backends/test_starlark_limits.py::test_a_bomb_ends_its_call_alone",
    ),
    # Foreign code runs without a lock.
    24: (
        "runtime/hooks/test_hook_dispatch.py::test_no_lock_is_held_while_a_hook_runs",
        "runtime/faults/test_known_faults.py::test_no_lock_is_held_while_a_skill_s_code_runs",
    ),
    # What is documented does something: `--skills ./dir`, built-in skills.
    25: (
        "doors/cli/test_runtime_queries.py::test_a_skill_that_is_named_is_activated_in_any_case",
        "runtime/discovery/test_builtin.py::test_the_command_line_and_the_settings_name_them",
    ),
}
"""By fault: tests of this project, as `FOLDER/FILE::NAME` below `tests/`."""

LATER: Mapping[int, str] = {
    14: "the watcher: `runtime dev` is not there yet",
    18: "the registry is not there yet",
    19: "archives of a registry are not there yet",
    20: "`new --type` is not there yet",
    25: "`registry:` in `install` is not there yet",
}
"""What of the faults is about things that are not there yet."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "workspace", {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})


def test_every_fault_has_a_test_that_is_there_or_a_reason() -> None:
    assert SHOWN.keys() | LATER.keys() == set(range(1, 26))
    for name in {name for names in SHOWN.values() for name in names}:
        file, _, test = name.partition("::")
        assert f"\ndef {test}(" in (PROJECT / "tests" / file).read_text("utf-8"), name


def test_what_is_approved_by_name_is_so_for_every_call(root: Path) -> None:
    code = 'register_tool("peek", "Peeks.", lambda input: read_file(input["path"]))\n'
    active(root, "peek", code, permissions="[file:read]")
    write(root, {"a.txt": "Alpha.\n"})
    settings = RuntimeSettings(approved_skills=frozenset({"peek"}))
    for _ in range(2):
        with resumed(runtime := opened(root, approved=frozenset(), settings=settings, session="s1")):
            runtime.activate("peek")
            outputs = [runtime.call_tool("peek", {"path": "a.txt"}).output for _ in range(3)]
            assert outputs == [("Alpha.\n", False)] * 3
    with opened(root, approved=frozenset()) as runtime, pytest.raises(QuestionsError):
        runtime.activate("peek")


def test_a_skill_hears_of_its_own_beginning_and_end_while_it_runs(root: Path) -> None:
    code = """\
def log(event):
    old = read_file("log.txt") if "log.txt" in list_dir(project_root()) else ""
    write_file("log.txt", old + "NAME " + event["phase"] + " " + event["data"]["skill_name"] + "\\n")

register_hook("OnActivate", log)
register_hook("OnDeactivate", log)
"""
    for name in ("one", "two"):
        active(root, name, code.replace("NAME", name), permissions="[file:read, file:write]")
    with opened(root) as runtime:
        runtime.activate("one")
        runtime.activate("two")
        runtime.deactivate("one")
    lines = (root / "log.txt").read_text().splitlines()
    assert lines == ["one OnActivate one", "two OnActivate two", "one OnDeactivate one", "two OnDeactivate two"]
    assert runtime.remarks == []


def test_an_activation_that_fails_stops_no_other(root: Path) -> None:
    triggers = "{keywords: [start]}"
    active(root, "a-broken", 'fail("no way")\n', triggers=triggers)
    active(root, "b-needing", triggers=triggers, dependencies="[{name: a-broken}]")
    active(root, "c-well", triggers=triggers, dependencies="[{name: a-broken, optional: true}]")
    with opened(root) as runtime:
        turn = runtime.begin("start")
        assert turn.activated == ("c-well",)
        assert {name: "no way" in reason for name, reason in turn.failed.items()} == {
            "a-broken": True,
            "b-needing": True,
        }
        assert runtime.call_tool("echo", {"text": "x"}).output.content == "x"


def test_the_project_is_the_workspace_and_not_the_skill(root: Path) -> None:
    code = """\
def save(input):
    write_file("notes/out.txt", load_file("main.star")[:4])
    return project_root()

register_tool("save", "Saves.", save)
"""
    folder = active(root, "saver", code, permissions="[file:write]")
    before = sorted(path.name for path in folder.iterdir())
    with opened(root) as runtime:
        runtime.activate("saver")
        assert runtime.call_tool("save", {}).output.content == str(root.resolve())
    assert (root / "notes/out.txt").read_text() == "def "
    assert sorted(path.name for path in folder.iterdir()) == before


def test_what_is_found_anew_ends_nothing_that_is_active(root: Path) -> None:
    active(root, "kept")
    active(root, "gone", "")
    with resumed(runtime := opened(root, session="s1")):
        runtime.activate("kept")
        runtime.activate("gone")
    active(root, "added", "")
    (root / ".skills/gone/SKILL.yaml").unlink()
    with resumed(runtime := opened(root, session="s1")):
        states = {each.found.name: each.state for each in runtime.statuses()}
        assert states == {"added": SkillState.INACTIVE, "kept": SkillState.ACTIVE}
        assert runtime.call_tool("echo", {"text": "x"}).output.content == "x"
        assert any('"gone"' in remark for remark in runtime.remarks)


def test_no_lock_is_held_while_a_skill_s_code_runs(root: Path) -> None:
    hook = 'register_hook("{}", lambda event: llm_complete(event["phase"]))\n'
    phases = ("OnActivate", "OnBeforePromptBuild", "OnAfterResponse", "OnDeactivate")
    active(root, "busy", "".join(map(hook.format, phases)), permissions="[llm:call]")
    active(root, "other")
    done: list[str] = []

    def complete(phase: str) -> str:
        """Within the hook, another thread uses the runtime in every way."""

        def use() -> None:
            runtime.statuses()
            runtime.activate("other")
            runtime.call_tool("echo", {"text": "x"})
            runtime.deactivate("other")
            done.append(phase)

        thread = threading.Thread(target=use)
        thread.start()
        thread.join(300)
        return ""

    with opened(root, completer=complete) as runtime:
        runtime.activate("busy")
        runtime.build_prompt()
        runtime.respond("x")
        runtime.deactivate("busy")
    assert done == list(phases)
