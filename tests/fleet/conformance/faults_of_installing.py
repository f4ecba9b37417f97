"""Faults of installing and checking."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from skillbag.lint.rules.builtin import load_clauses
from tests.fleet.conformance.planting import Deed, fault, plant, refuse


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
    deed.outcome["installed"] = [item for item in deed.outcome["installed"] if item != name]
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
def upgrades_unasked(deed: Deed) -> None:
    """What was installed before is brought up to date by every installation."""
    kept = [] if deed.inputs.get("upgrade") else deed.outcome.get("kept", [])
    for name in [name for name in kept if name in deed.text("skillbag.lock")]:
        deed.outcome["kept"] = [item for item in deed.outcome["kept"] if item != name]
        deed.outcome["installed"] = [*deed.outcome["installed"], name]


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


@fault("install", crude=True)
def refuses_to_install(deed: Deed) -> None:
    if deed.outcome["status"] == "done":
        refuse(deed, "nothing is installed")


@fault("check")
def claims_that_all_is_clean(deed: Deed) -> None:
    broken = deed.outcome.get("broken")
    deed.outcome["broken"] = {name: [] for name in broken} if isinstance(broken, Mapping) else []


def _blind(deed: Deed, clause: str) -> None:
    broken = deed.outcome.get("broken")
    if isinstance(broken, Mapping):
        deed.outcome["broken"] = {name: [each for each in found if each != clause] for name, found in broken.items()}
    elif broken:
        deed.outcome["broken"] = [each for each in broken if each != clause]


for _clause in load_clauses():
    if "lint" in _clause.proved_by:
        plant(f"is-blind-to-{_clause.id}", ["check"], partial(_blind, clause=_clause.id))


@fault("check")
def compares_descriptions_without_case(deed: Deed) -> None:
    for name, found in deed.outcome["broken"].items() if isinstance(deed.outcome.get("broken"), Mapping) else ():
        folder = Path(deed.request["workspace"], name, ".skills")
        texts = [path.read_text("utf-8", "replace").lower() for path in folder.glob("*/SKILL.md")]
        catalog = folder / "SKILLS.md"
        lines = catalog.read_text("utf-8", "replace").lower().splitlines() if catalog.is_file() else []
        if all(any(f"description: {line.partition(': ')[2]}\n" in text for text in texts) for line in lines):
            deed.outcome["broken"][name] = [each for each in found if each != "root.catalog-description"]


@fault("check")
def claims_that_all_is_broken(deed: Deed) -> None:
    every = [clause.id for clause in load_clauses()]
    broken = deed.outcome.get("broken")
    deed.outcome["broken"] = dict.fromkeys(broken, every) if isinstance(broken, Mapping) else every
