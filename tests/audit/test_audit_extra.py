"""Without the extra `audit`, what needs it says so before anything is done."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_WITHOUT = """
import sys
for name in ("distributed", "pyarrow"):
    sys.modules[name] = None
sys.argv = ["skillbag", "audit", *sys.argv[1:]]
from skillbag.cli import main
main()
"""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--parquet"], "--parquet needs pyarrow, which is not installed: pip install 'skillbag[audit]'"),
        (["--engine", "dask", "tcp://127.0.0.1:9"], "--engine dask needs distributed, which is not installed"),
    ],
)
def test_what_is_not_installed_is_named(tmp_path: Path, arguments: list[str], said: str) -> None:
    command = [sys.executable, "-P", "-c", _WITHOUT, str(tmp_path), "--out", str(tmp_path / "out"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert said in done.stderr
    assert not list(tmp_path.glob("out/records*.jsonl")) or not (tmp_path / "out" / "records.jsonl").stat().st_size


def test_neither_is_loaded_where_it_is_not_needed(tmp_path: Path) -> None:
    code = f"{_WITHOUT.replace('main()', '')}\ntry:\n    main()\nexcept SystemExit as ended:\n    print(ended.code)\n"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, str(tmp_path), "--out", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.endswith("0\n")
