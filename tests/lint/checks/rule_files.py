"""The files of our own rules, read once for all tests of a process."""

from __future__ import annotations

from skillbag.kernel.base.package_data import folder
from skillbag.lint.rules.builtin import load_clauses
from skillbag.lint.rules.loader import read_folder

RULE_FILES = list(read_folder(folder("rules")))
CLAUSES = {clause.id: clause for clause in load_clauses()}
