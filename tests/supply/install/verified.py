"""A source and a workspace whose skill is verified against its lock and its source."""

from __future__ import annotations

import json
from pathlib import Path

from skillbag.kernel.workspace.tree_hash import tree_hash
from tests.supply.install.worlds import skill_text, source_files

SCRIPT = ".skills/tidy/scripts/run.py"


HELPER = ".skills/tidy/scripts/helper.py"


def files() -> dict[str, str | bytes]:
    """A source with a skill that has two scripts, of which one may be executed."""
    text = skill_text("tidy", body="Run `python3 scripts/run.py`, which uses `scripts/helper.py`.")
    found: dict[str, str | bytes] = dict(source_files({"tidy": text}))
    return found | {
        SCRIPT: "#!/usr/bin/env python3\nimport helper\n\nhelper.greet()\n",
        HELPER: "def greet():\n    print('hello')\n",
    }


def relock(workspace: Path, name: str = "tidy", **values: object) -> None:
    """Write values into the lock's entry of a skill; by default the tree that is there now."""
    path = workspace / "skillbag.lock"
    lock = json.loads(path.read_text())
    lock["skills"][name] |= values or {"tree": tree_hash(str(workspace / ".skills" / name))}
    path.write_text(json.dumps(lock, indent=2) + "\n")
