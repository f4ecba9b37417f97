"""The benchmark of the language server runs, and says what it measured."""

from __future__ import annotations

import re
from pathlib import Path

import pytest


@pytest.mark.nightly
def test_keys_and_requests_are_timed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import corpora
    import lsp_rounds

    monkeypatch.setattr(corpora, "WORK", str(tmp_path))
    monkeypatch.setattr(corpora, "has_archive", lambda: False)
    assert lsp_rounds.main(["--skills", "3", "--keys", "2", "--requests", "4", "--edits", "4"]) == 0
    table = capsys.readouterr().out
    rows = re.findall(r"^\| (a key .*|a request|the answer.*?) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", table, re.M)
    assert len(rows) == 4
    assert all(0 < float(median) <= float(slowest) < 60_000 for _, median, _, slowest in rows)
    assert "| MiB after 4 further keys |" in table
