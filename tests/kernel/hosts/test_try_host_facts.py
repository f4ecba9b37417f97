"""`tools/try_host_facts.py`: facts are tried on a validator on the path, here a stand-in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support import PROJECT

STAND_IN = """\
#!{python}
import json, pathlib, sys
if sys.argv[1:] == ["--version"]:
    sys.exit(print("9.9.9 (Stand-in)"))
assert sys.argv[1:] == ["plugin", "validate", "."]
manifest = json.loads(pathlib.Path(".claude-plugin/plugin.json").read_text())
skill = pathlib.Path("skills/tides/SKILL.md").read_text()
matter = skill.split("---")[1]
words = [*(["shell"] if "shell: fish" in matter else []), *manifest]
words += [path.name for path in pathlib.Path(".").iterdir()]
if pathlib.Path("hooks/hooks.json").exists():
    words.append(pathlib.Path("hooks/hooks.json").read_text())
print(*words)
bad = [manifest.get("author") == "Ann", manifest["name"].startswith("claude-"), "agents" in manifest]
bad += ["hooks" in manifest, "PreToolUse" in " ".join(words), "[a, b]" in skill, {mcp}]
sys.exit(any(bad))
"""


def tried(folder: Path, mcp: str | None = None) -> tuple[int, list[str]]:
    """The exit code and the lines, with a stand-in for Claude Code's program, or none."""
    if mcp:
        program = folder / "claude"
        program.write_text(STAND_IN.format(python=sys.executable, mcp=mcp), "utf-8")
        program.chmod(0o755)
    command = [sys.executable, str(PROJECT / "tools/try_host_facts.py")]
    environment = {"PATH": str(folder), "PYTHONPATH": str(PROJECT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def test_a_host_that_is_not_installed_is_named(tmp_path: Path) -> None:
    assert tried(tmp_path) == (0, ["claude-code: not installed (`claude` is not on the path)"])


def test_facts_that_hold_are_listed_with_the_version(tmp_path: Path) -> None:
    code, (head, *lines) = tried(tmp_path, mcp='pathlib.Path(".mcp.json").exists()')
    assert (code, head) == (0, "claude-code: 9.9.9 (Stand-in)")
    assert len(lines) > 10
    assert all(line.startswith("  holds: ") for line in lines), lines


def test_a_fact_that_holds_no_longer_is_named_and_fails(tmp_path: Path) -> None:
    code, lines = tried(tmp_path, mcp="False")
    failed = [line for line in lines if "NO LONGER" in line]
    assert code == 1
    assert [line.partition(" (exit 0")[0].strip() for line in failed] == [
        "NO LONGER: a server with `url` and without `type` is an error",
        "NO LONGER: an argument of a server that is no text is an error",
    ]
