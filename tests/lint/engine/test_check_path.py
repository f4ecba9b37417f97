"""The way from the command line to a rule is short enough to be read on one screen."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.support import PROJECT, Tree, documented_path

MAX = 7
"""Named frames from `main` to the first predicate, both counted."""

# Prints the functions on the stack when a predicate of a rule is called for the first time.
STACK = """
import sys
from skillbag.lint.checks.lazy_predicate import all_predicates
predicates = {predicate.check.__code__ for predicate in all_predicates().values()}
def watch(frame, event, argument):
    if event != "call" or frame.f_code not in predicates:
        return
    sys.setprofile(None)
    names = []
    while frame is not None and frame.f_code.co_name != "<module>":
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    print("stack", *[name for name in reversed(names) if name[0] != "<"], file=sys.stderr)
sys.setprofile(watch)
from skillbag.doors.cli import main
main()
"""


def test_few_calls_lead_from_the_command_line_to_the_first_predicate(tree: Tree) -> None:
    root = tree({"skills/a/SKILL.md": "---\nname: b\ndescription: Tidies up.\n---\n"})
    command = [sys.executable, "-c", STACK, "check", "--no-cache"]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    _, *stack = next(line for line in done.stderr.splitlines() if line.startswith("stack ")).split()
    assert stack[:-1] == documented_path("A check")[:-1]
    assert len(stack) <= MAX, stack
