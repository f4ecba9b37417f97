"""Tries facts about hosts on the validators of hosts that are installed, and says which still hold.

python tools/try_host_facts.py    prints a line for each fact of `tools/host_probes.yaml`, and exits with 1 if one fails

Each probe is a folder of its own, with a home of its own. A fact that fails: correct it and its date in `hosts/*.yaml`,
and the probe.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from host_data import yaml_value

PROBES = Path(__file__).parent / "host_probes.yaml"
_SECONDS = 60


def main() -> int:
    """Try all facts; returns the exit code."""
    failed = 0
    for host, data in yaml_value(PROBES).items():
        if shutil.which(data["command"][0]) is None:
            print(f"{host}: not installed (`{data['command'][0]}` is not on the path)")
            continue
        print(f"{host}: {_run(data['version'], {})[1].strip()}")
        for probe in data["probes"]:
            fault = _fault(probe, *_run(data["command"], {**data["base"], **probe["files"]}))
            failed += bool(fault)
            print(f"  {'NO LONGER' if fault else 'holds'}: {probe['fact']}{fault}")
    return int(failed > 0)


def _fault(probe: Mapping[str, Any], code: int, output: str) -> str:
    """Why a fact does not hold any more; empty if it does."""
    if "passes" in probe and probe["passes"] != (code == 0):
        return f" (exit {code}: {' '.join(output.split())[-200:]})"
    if probe.get("says", "") not in output:
        return f" (nothing about {probe['says']})"
    if "silent" in probe and probe["silent"] in output:
        return f" (it speaks of {probe['silent']})"
    return ""


def _run(command: Sequence[str], files: Mapping[str, str]) -> tuple[int, str]:
    """The exit code and the output of a command in a folder with these files."""
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env={**os.environ, "HOME": home},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return 1, str(error)
    return done.returncode, done.stdout


if __name__ == "__main__":
    sys.exit(main())
