"""After any steps of an author, the server finds what `skillbag check` would find had everything been saved."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.doors.language_server.machine import Author
from tests.sampling import NIGHTLY

_STEPS = 25
_SESSIONS = 40 if NIGHTLY else 3


@pytest.mark.slow
def test_server_and_check_agree(tmp_path: Path) -> None:
    class Here(Author):
        folder = tmp_path
        by_command = NIGHTLY

    run_state_machine_as_test(
        Here, settings=settings(max_examples=_SESSIONS, stateful_step_count=_STEPS, deadline=None)
    )
