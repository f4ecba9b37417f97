"""Faults of entry and refresh, and of what is kept beyond a session."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.fleet.conformance.planting import Deed, answered, fault, plant, refuse


@fault("enter")
def forgets_sessions(deed: Deed) -> None:
    if deed.outcome["status"] == "already":
        deed.outcome["status"] = "done"


@fault("enter")
def has_entered_already(deed: Deed) -> None:
    if deed.outcome["status"] == "done":
        deed.outcome["status"] = "already"


@fault("enter", "resolve", "run", "order", "winner", "refresh")
def reads_every_skill(deed: Deed) -> None:
    if "opened" in deed.outcome:
        deed.outcome["opened"] += [path for path in deed.skill_files() if path not in deed.outcome["opened"]]


@fault("enter")
def enters_by_the_catalog_first(deed: Deed) -> None:
    for part in ("read", "opened"):
        if part in deed.outcome:
            deed.outcome[part].sort()


@fault("enter")
def keeps_silent_about_what_is_missing(deed: Deed) -> None:
    if "missing" in deed.outcome:
        deed.outcome["missing"] = []
        answered(deed, {"dependency"})
    deed.outcome["text"] = re.sub(r"(?i)install", "", deed.outcome.get("text", ""))


@fault("enter", "run")
def installs_by_itself(deed: Deed) -> None:
    if any(question["kind"] == "dependency" for question in deed.outcome.get("questions", [])) or deed.outcome.get(
        "missing"
    ):
        deed.effects[".skills/fetched/SKILL.md"] = b"---\nname: fetched\ndescription: Fetched.\n---\n"
        deed.outcome.update({"status": "done", "missing": [], "questions": []})


@fault("enter")
def prints_everything(deed: Deed) -> None:
    top = Path(deed.request["workspace"])
    files = [path for path in sorted(top.rglob("*")) if path.is_file() and ".git" not in path.parts]
    deed.outcome["text"] = "\n".join(path.read_text("utf-8", "replace") for path in files)


@fault("refresh")
def notices_no_change(deed: Deed) -> None:
    for part in ("changed", "read", "added", "removed", "described", "always"):
        if part in deed.outcome:
            deed.outcome[part] = []


@fault("refresh")
def reads_everything_again(deed: Deed) -> None:
    deed.outcome["read"] = [*(".skills/SKILLS.md", "SKILLBAG.md"), *deed.skill_files()]
    deed.outcome["opened"] = deed.outcome["read"]


@fault("refresh")
def sees_change_everywhere(deed: Deed) -> None:
    deed.outcome["changed"] = ["SKILLBAG.md", ".skills/SKILLS.md", *deed.skill_files()]


@fault("refresh")
def refreshes_without_entry(deed: Deed) -> None:
    if deed.outcome["status"] == "refused":
        deed.outcome.update({"status": "done", "changed": [], "read": []})


@fault("remember")
def keeps_whatever_it_gets(deed: Deed) -> None:
    if deed.outcome["status"] == "refused":
        line = f"{deed.inputs['name']}: {deed.inputs['value']}\n"
        deed.effects["USER_CONTEXT.md"] = (deed.text("USER_CONTEXT.md") + line).encode()
        deed.outcome.update({"status": "done", "file": "USER_CONTEXT.md", "error": line})


@fault("remember", "forget")
def keeps_nothing(deed: Deed) -> None:
    deed.effects.clear()


@fault("remember", "forget")
def writes_another_file(deed: Deed) -> None:
    if "USER_CONTEXT.md" in deed.effects:
        deed.effects["CONTEXT.md"] = deed.effects.pop("USER_CONTEXT.md")
        deed.outcome["file"] = "CONTEXT.md"


@fault("remember", "forget")
def writes_the_file_anew(deed: Deed) -> None:
    if deed.effects.get("USER_CONTEXT.md"):
        value = deed.inputs.get("value", "")
        deed.effects["USER_CONTEXT.md"] = f"# Context\n\n{deed.inputs['name']}: {value}\n".encode()


@fault("check")
def says_the_users_file_is_tracked(deed: Deed) -> None:
    if isinstance(deed.outcome.get("broken"), list):
        deed.outcome["broken"].append("files.user-context-untracked")


@fault("remember", crude=True)
def refuses_to_remember(deed: Deed) -> None:
    if deed.outcome["status"] == "done":
        refuse(deed, "nothing is kept")


@fault("enter")
def says_nothing_of_the_skills_that_it_read(deed: Deed) -> None:
    if "read" in deed.outcome:
        deed.outcome["read"] = [path for path in deed.outcome["read"] if not path.endswith("/SKILL.md")]


@fault("run")
def gives_the_front_matter_too(deed: Deed) -> None:
    if deed.outcome.get("instructions"):
        deed.outcome["instructions"] = deed.text(f".skills/{deed.outcome['skill']}/SKILL.md")


@fault("run")
def cuts_instructions_at_a_rule(deed: Deed) -> None:
    deed.outcome["instructions"] = deed.outcome.get("instructions", "").partition("---")[0]


@fault("refresh")
def tells_one_session_alone(deed: Deed) -> None:
    if deed.request["session"] == "morning":
        notices_no_change(deed)


@fault("run")
def offers_to_keep_everything(deed: Deed) -> None:
    if "remember" in deed.outcome:
        deed.outcome["remember"] = sorted(deed.outcome["values"])


def _empty(deed: Deed, part: str, empty: Callable[[], object]) -> None:
    deed.outcome[part] = empty()


for _name, _operation, _part, _type in (
    ("says-nothing-of-the-instructions", "run", "instructions", str),
    ("reports-nothing", "enter", "text", str),
    ("says-nothing-of-settings", "enter", "settings", dict),
    ("loses-the-catalog", "enter", "catalog", list),
    ("tells-changes-and-reads-nothing", "refresh", "read", list),
    ("offers-to-keep-nothing", "run", "remember", list),
    ("tells-no-new-descriptions", "refresh", "described", list),
    ("leaves-out-the-files-of-a-skill", "run", "files", list),
):
    plant(_name, [_operation], partial(_empty, part=_part, empty=_type))
