"""The GitHub workflow that `--github` asks for."""

from __future__ import annotations

from skillbag.bootstrap.address import Address
from skillbag.bootstrap.plan import Action, CannotInitError, create, find, keep
from skillbag.bootstrap.templates import template

PATH = ".github/workflows/skillbag.yml"

_ACTION = """\
      - uses: {github}@{rev}
"""

_FETCHED = """\
      - name: Install skillbag
        run: python -m pip install {requirement}@{rev}
"""

_CHECK = """\
      - name: Check the skills
        run: skillbag check --format github
"""


def workflow_action(root: str, address: Address | None) -> Action:
    """Create the workflow; one of that name which is there stays.

    Raises:
        CannotInitError: nothing says where the workflow gets the program from.
    """
    if find(root, PATH):
        return keep(PATH, "a workflow of this name is there")
    if address is None:
        raise CannotInitError(
            "--github: the workflow has to install skillbag, and nothing says from where; give --repo ADDRESS, "
            "the git repository in which skillbag is published (owner/name, where it is on GitHub)"
        )
    return create(PATH, workflow(address), "runs skillbag check on GitHub")


def workflow(address: Address) -> str:
    """The workflow's text: the action where `address` is on GitHub, else a program that is fetched from there."""
    if address.github:
        steps = _ACTION.format(github=address.github, rev=address.rev)
    else:
        steps = _FETCHED.format(requirement=address.requirement, rev=address.rev) + _CHECK
    return template("workflow.yml") + steps
