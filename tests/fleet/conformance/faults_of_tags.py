"""Faults of tags, of the order, and between skills that contradict each other."""

from __future__ import annotations

import re

from tests.fleet.conformance.planting import Deed, fault, refuse


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


@fault("run", "order")
def trusts_the_catalog_for_companions(deed: Deed) -> None:
    used = re.findall(r"#use/([a-z0-9-]+)", " ".join(deed.catalog.values()))
    gone = [name for name in used if name in deed.catalog and not deed.text(f".skills/{name}/SKILL.md")]
    for part in ("companions", "order"):
        if part in deed.outcome:
            deed.outcome[part] += [name for name in gone if name not in deed.outcome[part]]


@fault("enter")
def enters_from_the_end_of_the_alphabet(deed: Deed) -> None:
    deed.outcome.get("always", []).reverse()


@fault("order")
def orders_canonical_names_alone(deed: Deed) -> None:
    if any("_" in name for name in deed.inputs.get("skills", [])):
        refuse(deed, "there is no such skill")


@fault("enter", "order")
def runs_what_the_conversation_rules_out(deed: Deed) -> None:
    for part in ("order", "always"):
        if part in deed.outcome:
            deed.outcome[part] += [name for name in deed.inputs.get("without", []) if name in deed.catalog]


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
    back = [tag["skill"] for tag in deed.outcome.get("disabled", [])] + deed.inputs.get("without", [])
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
