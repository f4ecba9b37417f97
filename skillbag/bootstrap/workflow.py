"""The GitHub workflow that `--github` asks for."""

from __future__ import annotations

from skillbag import __version__
from skillbag.bootstrap.address import Address
from skillbag.bootstrap.plan import Action, create, find, keep
from skillbag.bootstrap.templates import template

PATH = ".github/workflows/skillbag.yml"

_ACTION = """\
      - uses: {github}@v{version}
"""

_INSTALLED = """\
      # A step that installs skillbag belongs here.
      - name: Look for skillbag
        run: |
          if ! command -v skillbag; then
            echo "::error::skillbag is not installed on this runner: add a step that installs it before this one"
            exit 1
          fi
"""

_FETCHED = """\
      - name: Install skillbag
        run: python -m pip install {requirement}@v{version}
"""

_CHECK = """\
      - name: Check the skills
        run: skillbag check --format github
"""


def workflow_action(root: str, address: Address | None) -> Action:
    """Create the workflow; one of that name which is there stays."""
    if find(root, PATH):
        return keep(PATH, "a workflow of this name is there")
    return create(PATH, workflow(address), "runs skillbag check on GitHub")


def workflow(address: Address | None) -> str:
    """The workflow's text: the action, a program fetched from `address`, or one that the runner has already."""
    return template("workflow.yml") + _steps(address)


def _steps(address: Address | None) -> str:
    if address is None:
        return _INSTALLED + _CHECK
    if address.github:
        return _ACTION.format(github=address.github, version=__version__)
    return _FETCHED.format(requirement=address.requirement, version=__version__) + _CHECK
