"""`.pre-commit-hooks.yaml`: the hooks that a repository gets when it names this one in its pre-commit configuration."""

from __future__ import annotations

from typing import NamedTuple

from skillbag.supply.bootstrap.check_files import HOOK_ID, WHEN


class Hook(NamedTuple):
    """What tells one hook from the others."""

    id: str
    name: str
    description: str
    entry: str


HOOKS = (
    Hook(HOOK_ID, "skillbag check", "Check agent skills against the SkillBag standard.", "skillbag check"),
    Hook(
        "skillbag-staged",
        "skillbag check --staged",
        "Check what the commit changes, and what that breaks elsewhere.",
        "skillbag check --staged",
    ),
    Hook("skillbag-fix", "skillbag check --fix", "The same check, after the safe fixes.", "skillbag check --fix"),
)

_HEAD = """\
# Made by tools/generate.py. A hook looks at the whole workspace, since rules about the catalog and about dependencies
# can't be judged file by file.
"""


def hook_list() -> str:
    """The text of the file."""
    return _HEAD + "".join(_item(hook) for hook in HOOKS)


def _item(hook: Hook) -> str:
    keys = (
        *(f"{key}: {value}" for key, value in hook._asdict().items()),
        "language: python",
        # What `pip install skillbag` leaves out: without it, scripts in JavaScript would not be parsed.
        "additional_dependencies: ['.[javascript]']",
        *WHEN,
        "require_serial: true",
        # Warnings do not fail the hook, and pre-commit hides what a hook that passes says.
        "verbose: true",
    )
    return "- " + "\n  ".join(keys) + "\n"
