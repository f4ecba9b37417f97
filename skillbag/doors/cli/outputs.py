"""Files that only a person may have written: what steers agents and other programs, and what is the user's own.

An agent may run each command of this program, so these options write elsewhere unless a person is at the command.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from skillbag.doors.cli import person
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.fs.folded_names import folded
from skillbag.kernel.fs.read import is_within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.supply.bootstrap.plan import SetupPlan


def check_output(path: str) -> None:
    """Raises NeedsPersonError without a person, if a file or a folder of files at `path` would steer
    (`lint/signals/steering.py`), or would be among what is the user's own."""
    from skillbag.lint.signals.steering import steers_undeclared

    if person.is_present():
        return
    check_not_own(path)
    folder, names = _below_project(os.path.realpath(path))
    if names and steers_undeclared(folder, names):
        who = "agents, editors, shells, git or services that build"
        person.check_person(f"writing {path!r} (choose another name: {who} may obey this one)")


def check_not_own(path: str) -> None:
    """Raises NeedsPersonError without a person, if `path` is in a folder of the user's own: state, settings, caches,
    personal skills, settings of agents that a variable names."""
    real = folded(os.path.join(os.path.realpath(path), ""))
    for own in _own_folders():
        if real.startswith(folded(os.path.join(os.path.realpath(own), ""))):
            person.check_person(f"writing {path!r}, in a folder of your own settings, state or skills")


def check_personal(root: str | None) -> None:
    """As `check_output`, of the folder of personal skills that a command changes, unless it is the user's."""
    from skillbag.agents.settings.user_settings import personal_root

    if root and os.path.realpath(root) != os.path.realpath(personal_root() or ""):
        check_output(root)


def check_plan(plan: SetupPlan) -> None:
    """As `check_not_own`, of each file that the plan writes."""
    for change in plan.changes:
        check_not_own(os.path.join(plan.root, change.path))


def _own_folders() -> Iterator[str]:
    from skillbag.agents.settings.user_settings import personal_root
    from skillbag.kernel.base.user_dirs import config_folder, named_cache_folder, named_state_folder
    from skillbag.kernel.workspace.agents import BASES

    for folder in (config_folder, named_cache_folder, named_state_folder, personal_root):
        # A command that needs it says what is wrong with it.
        with contextlib.suppress(UserError):
            if found := folder():
                yield found
    yield from filter(os.path.isabs, (os.environ.get(variable, "") for variable, _ in BASES.values()))


def _below_project(real: str) -> tuple[str, list[str]]:
    """A folder above the real path, and the names below it that may steer. Those above both the path and the repository
    of the current folder do not, nor do those of a folder for temporary files: jobs and worktrees may lie below names
    with a dot."""
    from skillbag.kernel.workspace.git import repository

    project = repository(os.path.realpath(os.getcwd())) or os.path.realpath(os.path.expanduser("~"))
    for folder in filter(os.path.isabs, (os.environ.get(name, "") for name in ("RUNNER_TEMP", "TMPDIR"))):
        if is_within(folder, real) and not is_within(folder, project):
            return folder, os.path.relpath(real, os.path.realpath(folder)).split(os.sep)
    try:
        base = os.path.commonpath((project, real))
    except ValueError:  # another drive
        base = f"{os.path.splitdrive(real)[0]}{os.sep}"
    while os.path.basename(base).startswith("."):
        base = os.path.dirname(base)
    return base, [] if real == base else os.path.relpath(real, base).split(os.sep)
