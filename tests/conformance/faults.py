"""Faults to plant: what programs get wrong, each as a change of a right answer and of what it did to the disk."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple


class Deed(NamedTuple):
    """What was asked, the right outcome, and what is done to the workspace; the latter two are to be spoilt."""

    request: dict[str, Any]
    outcome: dict[str, Any]
    effects: dict[str, bytes | None]

    @property
    def inputs(self) -> dict[str, Any]:
        """What was asked with the operation."""
        inputs: dict[str, Any] = self.request["inputs"]
        return inputs

    @property
    def catalog(self) -> dict[str, str]:
        """The descriptions of the workspace's skills."""
        path = Path(self.request["workspace"], ".skills", "SKILLS.md")
        lines = path.read_text("utf-8", "replace").splitlines() if path.is_file() else []
        return {name: text for name, _, text in (line.partition(": ") for line in lines) if text}

    def text(self, name: str) -> str:
        """A file of the workspace; empty where there is none."""
        path = Path(self.request["workspace"], name)
        return path.read_text("utf-8", "replace") if path.is_file() else ""

    def skill_files(self) -> list[str]:
        """Every `SKILL.md` of the workspace."""
        top = Path(self.request["workspace"])
        return sorted(str(path.relative_to(top)) for path in top.glob(".skills/*/SKILL.md"))

    def with_tag(self, tag: str) -> list[str]:
        """The skills whose descriptions have this tag."""
        return sorted(name for name, text in self.catalog.items() if tag in text.split())


class Fault(NamedTuple):
    """The operations that it may change, and how."""

    operations: frozenset[str]
    plant: Callable[[Deed], object]


FAULTS: dict[str, Fault] = {}
_ALL = ("enter", "resolve", "run", "order", "winner", "refresh", "remember", "forget", "install", "check")
_INPUTS = ("resolve", "run")

Plant = Callable[[Deed], object]


def fault(*operations: str) -> Callable[[Plant], Plant]:
    """Enter a fault under its name."""

    def enter(plant: Plant) -> Plant:
        FAULTS[plant.__name__.replace("_", "-")] = Fault(frozenset(operations), plant)
        return plant

    return enter


# Inputs and precedence


def _lower(deed: Deed, level: str, instead: str) -> None:
    """Values of this level give way to the best one that they hide."""
    outcome = deed.outcome
    for name, found in list(outcome.get("levels", {}).items()):
        if found != level:
            continue
        hidden = outcome.get("hidden", {}).get(name, [])
        if hidden:
            outcome["values"][name], outcome["levels"][name] = hidden[0], instead
        else:
            del outcome["values"][name], outcome["levels"][name]


@fault(*_INPUTS)
def ignores_user_context(deed: Deed) -> None:
    _lower(deed, "user-context", "context")


@fault(*_INPUTS)
def ignores_project_context(deed: Deed) -> None:
    _lower(deed, "context", "skill")


@fault(*_INPUTS)
def ignores_the_entrypoint(deed: Deed) -> None:
    _lower(deed, "entrypoint", "skill")


@fault(*_INPUTS)
def ignores_the_conversation(deed: Deed) -> None:
    _lower(deed, "conversation", "user-context")


@fault(*_INPUTS)
def ignores_defaults(deed: Deed) -> None:
    _lower(deed, "skill", "skill")


@fault(*_INPUTS)
def discovers_nothing(deed: Deed) -> None:
    _lower(deed, "discovered", "skill")


@fault(*_INPUTS)
def lets_defaults_win(deed: Deed) -> None:
    for name, hidden in deed.outcome.get("hidden", {}).items():
        if name in deed.outcome["values"]:
            deed.outcome["values"][name], deed.outcome["levels"][name] = hidden[-1], "skill"


@fault(*_INPUTS)
def ignores_prohibited_values(deed: Deed) -> None:
    for name, dropped in deed.outcome.get("dropped", {}).items():
        deed.outcome["values"][name] = dropped[0]
        deed.outcome["dropped"] = {}


@fault(*_INPUTS)
def hides_what_is_hidden(deed: Deed) -> None:
    deed.outcome.update({"hidden": {}, "dropped": {}})


@fault("enter", *_INPUTS)
def makes_text_of_types(deed: Deed) -> None:
    for part in ("values", "settings"):
        for name, value in deed.outcome.get(part, {}).items():
            deed.outcome[part][name] = str(value)


@fault("enter", *_INPUTS, "winner", "install")
def never_asks(deed: Deed) -> None:
    if deed.outcome["status"] == "question":
        deed.outcome.update({"status": "done", "questions": [], "missing": [], "installed": [], "kept": []})


@fault("enter", *_INPUTS, "winner")
def always_asks(deed: Deed) -> None:
    if deed.outcome["status"] == "done":
        question = {"kind": "confirm", "about": "everything", "candidates": []}
        deed.outcome.update({"status": "question", "questions": [question], "instructions": "", "winner": None})


@fault("enter", *_INPUTS, "winner")
def asks_without_candidates(deed: Deed) -> None:
    for question in deed.outcome.get("questions", []):
        question["candidates"] = []


@fault(*_INPUTS)
def takes_the_first_candidate(deed: Deed) -> None:
    open_ = [one for one in deed.outcome.get("questions", []) if not one["candidates"]]
    for question in deed.outcome.get("questions", []):
        if question["candidates"]:
            deed.outcome["values"][question["about"]] = question["candidates"][0]
    if deed.outcome["status"] == "question":
        deed.outcome.update({"questions": open_, "status": "question" if open_ else "done"})


@fault("enter", *_INPUTS, "winner")
def calls_a_question_a_failure(deed: Deed) -> None:
    if deed.outcome["status"] == "question":
        deed.outcome.update({"status": "refused", "error": "the skill failed", "questions": []})


@fault("enter", *_INPUTS)
def asks_one_question_at_a_time(deed: Deed) -> None:
    deed.outcome["questions"] = deed.outcome.get("questions", [])[:1]


@fault(*_INPUTS)
def asks_nothing_about_risks(deed: Deed) -> None:
    _answered(deed, {"confirm"})


@fault(*_INPUTS)
def asks_nothing_about_conditions(deed: Deed) -> None:
    _answered(deed, {"condition"})


@fault(*_INPUTS)
def takes_any_value(deed: Deed) -> None:
    _answered(deed, {"invalid"})


@fault("enter", *_INPUTS)
def needs_nothing(deed: Deed) -> None:
    _answered(deed, {"missing"})


def _answered(deed: Deed, kinds: set[str]) -> None:
    open_ = [one for one in deed.outcome.get("questions", []) if one["kind"] not in kinds]
    if deed.outcome["status"] == "question":
        deed.outcome.update({"questions": open_, "status": "question" if open_ else "done"})


@fault("run")
def says_nothing_of_the_instructions(deed: Deed) -> None:
    deed.outcome["instructions"] = ""


@fault("run")
def gives_instructions_before_the_answer(deed: Deed) -> None:
    if deed.outcome["status"] == "question":
        name = deed.inputs["run"].replace("_", "-")
        deed.outcome["instructions"] = deed.text(f".skills/{name}/SKILL.md")


@fault("run")
def finds_no_supporting_files(deed: Deed) -> None:
    deed.outcome["files"] = []


@fault("run")
def knows_canonical_names_alone(deed: Deed) -> None:
    if "_" in deed.inputs["run"]:
        _refuse(deed, "there is no such skill")


def _refuse(deed: Deed, why: str) -> None:
    deed.outcome.clear()
    deed.outcome.update(status="refused", error=why)


@fault(*_ALL)
def accepts_whatever_is_wrong(deed: Deed) -> None:
    if deed.outcome["status"] == "refused":
        deed.outcome.clear()
        deed.outcome["status"] = "done"


@fault(*_ALL)
def takes_a_refusal_for_a_question(deed: Deed) -> None:
    if deed.outcome["status"] == "refused":
        deed.outcome["status"] = "question"


# Tags


@fault("enter", "run", "order")
def drops_companions(deed: Deed) -> None:
    used = set(re.findall(r"#use/([a-z0-9-]+)", " ".join([*deed.catalog.values(), deed.text("USER_CONTEXT.md")])))
    chosen = {name.replace("_", "-") for name in deed.inputs.get("skills", [])}
    deed.outcome["companions"] = []
    for part in ("order", "always"):
        deed.outcome[part] = [name for name in deed.outcome.get(part, []) if name in chosen or name not in used]


@fault("run", "order")
def asks_for_absent_companions(deed: Deed) -> None:
    for part in ("companions", "order"):
        if part in deed.outcome:
            wanted = re.findall(r"#use/([A-Za-z0-9_-]+)", " ".join(deed.catalog.values()))
            deed.outcome[part] += [name for name in wanted if name not in deed.outcome[part]]


@fault("enter", "order")
def runs_the_last_first(deed: Deed) -> None:
    last = set(deed.with_tag("#run/last")) | set(
        re.findall(r"([a-z0-9-]+): *\{add: \[\"?#run/last", deed.text("USER_CONTEXT.md"))
    )
    for part in ("order", "always"):
        names = deed.outcome.get(part, [])
        deed.outcome[part] = [n for n in names if n in last] + [n for n in names if n not in last]


@fault("enter", "order")
def runs_only_what_is_chosen(deed: Deed) -> None:
    chosen = {name.replace("_", "-") for name in deed.inputs.get("skills", [])}
    for part in ("order", "always"):
        deed.outcome[part] = [name for name in deed.outcome.get(part, []) if name in chosen]


@fault("enter", "run", "order")
def turns_the_order_around(deed: Deed) -> None:
    for part in ("order", "always", "companions", "read"):
        if deed.outcome.get(part):
            deed.outcome[part].reverse()


@fault("enter", "order")
def sorts_by_name(deed: Deed) -> None:
    for part in ("order", "always"):
        if deed.outcome.get(part):
            deed.outcome[part].sort()


@fault("enter", "order")
def runs_what_is_disabled(deed: Deed) -> None:
    back = [one["skill"] for one in deed.outcome.get("disabled", [])] + deed.inputs.get("without", [])
    for part in ("order", "always"):
        if part in deed.outcome:
            deed.outcome[part] += [name for name in dict.fromkeys(back) if name not in deed.outcome[part]]
    deed.outcome["disabled"] = []


@fault("enter", "order")
def runs_every_tagged_skill(deed: Deed) -> None:
    part = "order" if deed.request["operation"] == "order" else "always"
    tagged = [name for name, text in deed.catalog.items() if "#run/" in text or "#use/" in text]
    if part in deed.outcome:
        deed.outcome[part] += [name for name in tagged if name not in deed.outcome[part]]


@fault("enter", "order", "run")
def runs_twice(deed: Deed) -> None:
    for part in ("order", "always", "companions"):
        if part in deed.outcome:
            deed.outcome[part] += deed.outcome[part][-1:]


@fault("enter", "order")
def ignores_user_tags(deed: Deed) -> None:
    always, last = deed.with_tag("#run/always"), deed.with_tag("#run/last")
    if deed.request["operation"] == "enter":
        deed.outcome["always"] = always
    elif "order" in deed.outcome:
        chosen = [name.replace("_", "-") for name in deed.inputs.get("skills", [])]
        names = dict.fromkeys([*always, *chosen])
        deed.outcome["order"] = [name for name in names if name not in last] + last


# Entry and refresh


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
        _answered(deed, {"dependency"})
    deed.outcome["text"] = re.sub(r"(?i)install", "", deed.outcome.get("text", ""))


@fault("enter", "run")
def installs_by_itself(deed: Deed) -> None:
    if any(one["kind"] == "dependency" for one in deed.outcome.get("questions", [])) or deed.outcome.get("missing"):
        deed.effects[".skills/fetched/SKILL.md"] = b"---\nname: fetched\ndescription: Fetched.\n---\n"
        deed.outcome.update({"status": "done", "missing": [], "questions": []})


@fault("enter")
def reports_nothing(deed: Deed) -> None:
    deed.outcome["text"] = ""


@fault("enter")
def prints_everything(deed: Deed) -> None:
    top = Path(deed.request["workspace"])
    files = [path for path in sorted(top.rglob("*")) if path.is_file() and ".git" not in path.parts]
    deed.outcome["text"] = "\n".join(path.read_text("utf-8", "replace") for path in files)


@fault("enter")
def says_nothing_of_settings(deed: Deed) -> None:
    deed.outcome["settings"] = {}


@fault("enter")
def loses_the_catalog(deed: Deed) -> None:
    deed.outcome["catalog"] = []


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
def tells_changes_and_reads_nothing(deed: Deed) -> None:
    deed.outcome["read"] = []


@fault("refresh")
def sees_change_everywhere(deed: Deed) -> None:
    deed.outcome["changed"] = ["SKILLBAG.md", ".skills/SKILLS.md", *deed.skill_files()]


@fault("refresh")
def refreshes_without_entry(deed: Deed) -> None:
    if deed.outcome["status"] == "refused":
        deed.outcome.update({"status": "done", "changed": [], "read": []})


# Skills that contradict each other


@fault("winner")
def lets_the_alphabet_win(deed: Deed) -> None:
    deed.outcome.update({"status": "done", "winner": min(deed.inputs["skills"]), "level": "alphabet", "questions": []})


@fault("winner")
def lets_the_first_named_win(deed: Deed) -> None:
    if deed.outcome["status"] == "done":
        deed.outcome["winner"] = deed.inputs["skills"][0]


@fault("winner")
def lets_the_other_win(deed: Deed) -> None:
    if deed.outcome.get("winner"):
        deed.outcome["winner"] = next(name for name in deed.inputs["skills"] if name != deed.outcome["winner"])


@fault("winner")
def says_another_level(deed: Deed) -> None:
    deed.outcome["level"] = "skill"


# What is kept


@fault("remember")
def keeps_whatever_it_is_told(deed: Deed) -> None:
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


@fault("remember", "forget")
def lets_git_track_it(deed: Deed) -> None:
    deed.effects.pop(".git/info/exclude", None)


@fault("check")
def says_the_users_file_is_tracked(deed: Deed) -> None:
    if isinstance(deed.outcome.get("broken"), list):
        deed.outcome["broken"].append("files.user-context-untracked")


@fault("remember")
def refuses_to_remember(deed: Deed) -> None:
    if deed.outcome["status"] == "done":
        _refuse(deed, "nothing is kept")
        deed.effects.clear()


@fault("run")
def offers_to_keep_everything(deed: Deed) -> None:
    if "remember" in deed.outcome:
        deed.outcome["remember"] = sorted(deed.outcome["values"])


@fault("run")
def offers_to_keep_nothing(deed: Deed) -> None:
    deed.outcome["remember"] = []


# Installing


@fault("install")
def installs_whatever_is_wrong(deed: Deed) -> None:
    if deed.outcome["status"] in ("refused", "question"):
        names = deed.inputs.get("names") or ["something"]
        deed.effects.update({f".skills/{name}/SKILL.md": f"---\nname: {name}\n---\n".encode() for name in names})
        deed.outcome.update({"status": "done", "installed": names, "kept": [], "error": ""})


@fault("install")
def installs_half_before_it_fails(deed: Deed) -> None:
    if deed.outcome["status"] in ("refused", "question"):
        deed.effects[".skills/half/SKILL.md"] = b"---\nname: half\ndescription: Half.\n---\n"
        deed.effects[".skills/SKILLS.md"] = b"half: Half.\n"
        deed.effects["skillbag.lock"] = b"{}\n"


@fault("install")
def installs_nothing(deed: Deed) -> None:
    deed.effects.clear()
    deed.outcome.update({"installed": [], "kept": []})


@fault("install")
def leaves_out_what_is_needed(deed: Deed) -> None:
    """Only what was named, or the first that is declared, is installed."""
    installed = deed.outcome.get("installed", [])
    stay = deed.inputs.get("names") or installed[:1]
    for name in set(installed) - set(stay):
        _forget_skill(deed, name)


def _forget_skill(deed: Deed, name: str) -> None:
    deed.outcome["installed"] = [one for one in deed.outcome["installed"] if one != name]
    for path in [path for path in deed.effects if path.startswith(f".skills/{name}/")]:
        del deed.effects[path]


@fault("install")
def installs_everything_it_finds(deed: Deed) -> None:
    beside = Path(deed.request["workspace"]).parent
    if deed.outcome["status"] == "done":
        for path in sorted(beside.glob("*/.skills/*/SKILL.md")):
            if path.parts[-4] != "workspace" and path.parent.name not in deed.outcome["installed"]:
                deed.outcome["installed"].append(path.parent.name)
                deed.effects[f".skills/{path.parent.name}/SKILL.md"] = path.read_bytes()


@fault("install")
def forgets_the_catalog(deed: Deed) -> None:
    deed.effects.pop(".skills/SKILLS.md", None)


@fault("install")
def lists_in_the_order_of_arrival(deed: Deed) -> None:
    data = deed.effects.get(".skills/SKILLS.md")
    if data:
        deed.effects[".skills/SKILLS.md"] = b"".join(reversed(data.splitlines(keepends=True)))


@fault("install")
def forgets_the_reserved_skill(deed: Deed) -> None:
    for path in [path for path in deed.effects if path.startswith(".skills/skillbag-get-skills/")]:
        del deed.effects[path]


@fault("install")
def overwrites_what_is_there(deed: Deed) -> None:
    if "kept" in deed.outcome:
        deed.outcome["installed"] = deed.outcome["installed"] + deed.outcome["kept"]
        deed.outcome["kept"] = []
    for path in deed.skill_files():
        deed.effects.setdefault(path, b"---\nname: new\ndescription: From upstream.\n---\n")


@fault("install")
def upgrades_nothing(deed: Deed) -> None:
    if deed.inputs.get("upgrade"):
        deed.outcome["kept"] = deed.outcome.get("kept", []) + deed.outcome.get("installed", [])
        deed.outcome["installed"] = []
        for path in deed.skill_files():
            deed.effects.pop(path, None)


@fault("install")
def takes_another_source(deed: Deed) -> None:
    for path, data in list(deed.effects.items()):
        if data and path.endswith("/SKILL.md"):
            deed.effects[path] = b"---\nname: other\ndescription: From another source.\n---\n\nOther.\n"


@fault("install")
def does_not_say_what_is_wrong(deed: Deed) -> None:
    if "error" in deed.outcome:
        deed.outcome["error"] = "something is wrong"


@fault("install")
def refuses_to_install(deed: Deed) -> None:
    if deed.outcome["status"] == "done":
        _refuse(deed, "nothing is installed")
        deed.effects.clear()


# Checking


@fault("check")
def claims_that_all_is_clean(deed: Deed) -> None:
    broken = deed.outcome.get("broken")
    deed.outcome["broken"] = {name: [] for name in broken} if isinstance(broken, Mapping) else []


@fault("check")
def claims_that_all_is_broken(deed: Deed) -> None:
    from skillbag.rules import load_clauses

    every = [clause.id for clause in load_clauses()]
    broken = deed.outcome.get("broken")
    deed.outcome["broken"] = dict.fromkeys(broken, every) if isinstance(broken, Mapping) else every
