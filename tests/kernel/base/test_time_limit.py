"""The time limit of a piece of work, which everything that waits in it keeps to."""

from __future__ import annotations

import math
import socket
import sys
import time
from contextvars import copy_context

import pytest

from skillbag.kernel.base.time_limit import is_over, rest, within
from skillbag.kernel.processes.bounded import CommandLimits, CommandLine, Excess, run_bounded
from skillbag.kernel.processes.output_capture import OutputLimit
from skillbag.runtime.errors import TimeLimitError
from skillbag.runtime.host.fetch import FetchLimits, fetch


def test_an_inner_limit_can_t_be_longer_than_an_outer_one() -> None:
    assert (rest(), rest(7.0), is_over()) == (math.inf, 7.0, False)
    with within(60):
        with within(0):
            assert (rest(), rest(7.0), is_over()) == (0.0, 0.0, True)
            with within(60):
                assert is_over()
            assert copy_context().run(is_over)
        assert 50 < rest() <= 60
        assert rest(7.0) == 7.0
        assert rest(-1.0) == 0.0
    assert rest() == math.inf


def test_a_program_ends_with_the_work_that_it_is_part_of() -> None:
    kept = OutputLimit(100, 0)
    began = time.monotonic()
    with within(0.2):
        ended = run_bounded(
            CommandLine([sys.executable, "-c", "import time; time.sleep(1000)"], {}, b""), CommandLimits(60, kept, kept)
        )
    assert ended.excess is Excess.TIME
    assert time.monotonic() - began < 50


def test_a_fetch_ends_with_the_work_that_it_is_part_of() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, within(0.2), pytest.raises(TimeLimitError):
        fetch(f"http://127.0.0.1:{silent.getsockname()[1]}/", FetchLimits(60, allow_private=True))
