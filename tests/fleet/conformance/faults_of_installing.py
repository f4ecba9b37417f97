"""Faults of installing and checking."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from skillbag.lint.rules.builtin import load_clauses
from tests.fleet.conformance.planting import Deed, fault, refuse


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


@fault("check")
def claims_that_all_is_broken(deed: Deed) -> None:
    every = [clause.id for clause in load_clauses()]
    broken = deed.outcome.get("broken")
    deed.outcome["broken"] = dict.fromkeys(broken, every) if isinstance(broken, Mapping) else every
