"""Faults of input resolution and precedence."""

from __future__ import annotations

import re
from functools import partial

from tests.fleet.conformance.planting import ALL, INPUTS, Deed, answered, fault, plant, refuse


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


for _name, _level, _instead in (
    ("ignores-user-context", "user-context", "context"),
    ("ignores-project-context", "context", "skill"),
    ("ignores-the-entrypoint", "entrypoint", "skill"),
    ("ignores-the-conversation", "conversation", "user-context"),
    ("ignores-defaults", "skill", "skill"),
    ("discovers-nothing", "discovered", "skill"),
):
    plant(_name, INPUTS, partial(_lower, level=_level, instead=_instead))

for _name, _operations, _kind in (
    ("asks-nothing-about-risks", INPUTS, "confirm"),
    ("asks-nothing-about-conditions", INPUTS, "condition"),
    ("takes-any-value", INPUTS, "invalid"),
    ("needs-nothing", ("enter", *INPUTS), "missing"),
):
    plant(_name, _operations, partial(answered, kinds={_kind}))


@fault(*INPUTS)
def lets_defaults_win(deed: Deed) -> None:
    for name, hidden in deed.outcome.get("hidden", {}).items():
        if name in deed.outcome["values"]:
            deed.outcome["values"][name], deed.outcome["levels"][name] = hidden[-1], "skill"


@fault(*INPUTS)
def ignores_prohibited_values(deed: Deed) -> None:
    for name, dropped in deed.outcome.get("dropped", {}).items():
        deed.outcome["values"][name] = dropped[0]
        deed.outcome["dropped"] = {}


@fault(*INPUTS)
def lets_the_conversation_prohibit_no_default(deed: Deed) -> None:
    for name, value in deed.inputs.get("prohibit", {}).items():
        if name not in deed.outcome.get("values", {}):
            deed.outcome["values"][name], deed.outcome["levels"][name] = value, "skill"


@fault(*INPUTS)
def takes_blank_text_for_a_value(deed: Deed) -> None:
    blank = {name for name, value in deed.inputs.get("set", {}).items() if not str(value).strip()}
    open_ = [question for question in deed.outcome.get("questions", []) if question["about"] not in blank]
    if blank and deed.outcome["status"] == "question":
        deed.outcome.update({"questions": open_, "status": "question" if open_ else "done"})


@fault(*INPUTS)
def asks_again_for_what_was_given(deed: Deed) -> None:
    if deed.outcome["status"] == "question" and deed.inputs.get("set"):
        again = [{"kind": "missing", "about": name, "candidates": []} for name in deed.inputs["set"]]
        deed.outcome["questions"] = [*again, *deed.outcome["questions"]]


@fault(*INPUTS)
def hides_what_is_hidden(deed: Deed) -> None:
    deed.outcome.update({"hidden": {}, "dropped": {}})


@fault("enter", *INPUTS)
def makes_text_of_types(deed: Deed) -> None:
    for part in ("values", "settings"):
        for name, value in deed.outcome.get(part, {}).items():
            deed.outcome[part][name] = str(value)


@fault("enter", *INPUTS, "winner", "install")
def never_asks(deed: Deed) -> None:
    if deed.outcome["status"] == "question":
        deed.outcome.update({"status": "done", "questions": [], "missing": [], "installed": [], "kept": []})


@fault("enter", *INPUTS, "winner")
def always_asks(deed: Deed) -> None:
    if deed.outcome["status"] == "done":
        question = {"kind": "confirm", "about": "everything", "candidates": []}
        deed.outcome.update({"status": "question", "questions": [question], "instructions": "", "winner": None})


@fault("enter", *INPUTS, "winner")
def asks_without_candidates(deed: Deed) -> None:
    for question in deed.outcome.get("questions", []):
        question["candidates"] = []


@fault(*INPUTS)
def takes_the_first_candidate(deed: Deed) -> None:
    open_ = [question for question in deed.outcome.get("questions", []) if not question["candidates"]]
    for question in deed.outcome.get("questions", []):
        if question["candidates"]:
            deed.outcome["values"][question["about"]] = question["candidates"][0]
    if deed.outcome["status"] == "question":
        deed.outcome.update({"questions": open_, "status": "question" if open_ else "done"})


@fault("enter", *INPUTS, "winner")
def calls_a_question_a_failure(deed: Deed) -> None:
    if deed.outcome["status"] == "question":
        deed.outcome.update({"status": "refused", "error": "the skill failed", "questions": []})


@fault("enter", *INPUTS)
def asks_one_question_at_a_time(deed: Deed) -> None:
    deed.outcome["questions"] = deed.outcome.get("questions", [])[:1]


@fault("run")
def gives_instructions_before_the_answer(deed: Deed) -> None:
    if deed.outcome["status"] == "question":
        name = deed.inputs["run"].replace("_", "-")
        deed.outcome["instructions"] = deed.text(f".skills/{name}/SKILL.md")


@fault("run")
def knows_canonical_names_alone(deed: Deed) -> None:
    if "_" in deed.inputs["run"]:
        refuse(deed, "there is no such skill")


_READING = ("enter", "resolve", "run", "order", "winner")


@fault(*_READING)
def passes_over_mistakes_in_files(deed: Deed) -> None:
    if re.search(r"\.md:\d+: ", deed.outcome.get("error", "")):
        deed.outcome.clear()
        deed.outcome["status"] = "done"


@fault(*_READING)
def guesses_what_names_mean(deed: Deed) -> None:
    if deed.outcome["status"] == "refused" and not re.search(r"\.md:\d+: ", deed.outcome["error"]):
        deed.outcome.clear()
        deed.outcome["status"] = "done"


@fault(*ALL, crude=True)
def accepts_whatever_is_wrong(deed: Deed) -> None:
    if deed.outcome["status"] == "refused":
        deed.outcome.clear()
        deed.outcome["status"] = "done"


@fault(*ALL, crude=True)
def takes_a_refusal_for_a_question(deed: Deed) -> None:
    if deed.outcome["status"] == "refused":
        deed.outcome["status"] = "question"
