"""The GitHub workflow that runs `skillbag check`."""

from __future__ import annotations

from skillbag.supply.bootstrap.actions import Action, create, keep
from skillbag.supply.bootstrap.address import RepositoryAddress
from skillbag.supply.bootstrap.existing import CannotInitError, find
from skillbag.supply.bootstrap.templates import template

WORKFLOW = ".github/workflows/skillbag.yml"
_PYTHON = '      - uses: actions/setup-python@v5\n        with:\n          python-version: "3.12"\n'


def workflow_action(root: str, address: RepositoryAddress | None) -> Action:
    """Create the workflow; one of that name which is there stays.

    Raises:
        CannotInitError: nothing says where the workflow gets the program from.
    """
    if find(root, WORKFLOW):
        return keep(WORKFLOW, "a workflow of this name is there")
    if address is None:
        raise CannotInitError(
            "--github: the workflow has to install skillbag, and nothing says from where; give --repo ADDRESS, "
            "the git repository in which skillbag is published (owner/name, where it is on GitHub)"
        )
    return create(WORKFLOW, workflow(address), "runs skillbag check on GitHub")


def workflow(address: RepositoryAddress) -> str:
    """The workflow's text: the action where `address` is on GitHub, else a program that is fetched from there."""
    if address.github:
        steps = f"      - uses: {address.github}@{address.rev}\n"
    else:
        steps = (
            f"      - name: Install skillbag\n        run: python -m pip install {address.requirement}@{address.rev}\n"
            "      - name: Check the skills\n        run: skillbag check --format github\n"
        )
    # The action compares a pull request with its base, which is the commit before the merge.
    depth = "          fetch-depth: 2\n" if address.github else ""
    return template("workflow.yml") + depth + _PYTHON + steps
