"""What a check of clean, plain skills does not load."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.supply.install.worlds import write

pytestmark = pytest.mark.boundary

LOADED = """
import sys
before = set(sys.modules)
sys.argv = ["skillbag", "check", "--config=cache=false", "."]
from skillbag.doors.cli import main
try:
    main()
except SystemExit as ended:
    assert not ended.code, ended.code
print(*sorted(set(sys.modules) - before), file=sys.stderr)
"""
HEAVY = {
    *("click", "yaml", "threading", "subprocess", "shutil", "difflib", "string", "hashlib"),
    *("filelock", "jsonschema", "pathspec", "tempfile", "logging", "sqlite3", "pyromark"),
    *("dataclasses", "inspect", "json", "typing", "datetime"),
}
UNASKED_CHECKS = (
    *(
        "run_flows",
        "flows",
        "encoded_commands",
        "delivery",
        "security",
        "source",
        "catalog",
        "override",
        "concealment",
        "hidden_text",
    ),
    *(
        "load_commands",
        "agent_settings",
        "theft",
        "disclosure",
        "harvest",
        "foothold",
        "obfuscation",
        "loader_attacks",
        "javascript",
    ),
    *("path_advice", "parameters", "bootstrap_skill", "context", "context_skills", "remote_sources"),
)
UNASKED = {
    *("skillbag.kernel.secrets.detection", "skillbag.kernel.secrets.formats", "skillbag.kernel.secrets.private_keys"),
    *(
        "skillbag.kernel.standard.parameters",
        "skillbag.kernel.standard.parameter_keys",
        "skillbag.kernel.standard.reserved",
    ),
    *(
        "skillbag.kernel.standard.context_blocks",
        "skillbag.kernel.standard.context_declared",
        "skillbag.kernel.standard.declarations",
    ),
    *(f"skillbag.lint.checks.{name}" for name in UNASKED_CHECKS),
}


def test_clean_plain_skills_are_checked_without_what_is_slow_to_load(tmp_path: Path) -> None:
    text = "---\nname: {name}\ndescription: Plots lines when asked.\n---\n\nRun `scripts/x.py`; see [it](it.md).\n"
    for name in ("s0", "s1", "s2"):
        files = {"SKILL.md": text.format(name=name), "it.md": "# It\n\nIt is so.\n", "scripts/x.py": "print(1)\n"}
        write(tmp_path / "skills" / name, files)
    command = [sys.executable, "-c", LOADED]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, encoding="utf-8")
    assert "No findings." in done.stdout
    loaded = set(done.stderr.split())
    assert "skillbag.lint.checks.links" in loaded
    assert loaded & (HEAVY | UNASKED) == set()
    assert all(find_spec(name) for name in UNASKED)
