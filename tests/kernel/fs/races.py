"""Two at the same files at once: one asks, the other swaps what is asked for, until both have had their turns."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable


def raced(
    ask: Callable[[], bytes | str], swap: Callable[[], None], wanted: set[bytes | str], count: int = 2000
) -> Counter[bytes | str]:
    """What `ask` answered, and how often, while another thread did `swap` again and again.

    They go on until `ask` was asked `count` times, `swap` was done 100 times, and every answer of `wanted` came: a
    machine with other work may let one of the two sleep for long. After a minute it is over whatever came.
    """
    over, swaps = threading.Event(), 0

    def go_on() -> None:
        nonlocal swaps
        while not over.is_set():
            swap()
            swaps += 1

    thread = threading.Thread(target=go_on)
    seen: Counter[bytes | str] = Counter()
    thread.start()
    try:
        latest = time.monotonic() + 60
        while time.monotonic() < latest and (seen.total() < count or swaps < 100 or not wanted <= set(seen)):
            seen[ask()] += 1
    finally:
        over.set()
        thread.join()
    assert swaps >= 100, "the files were swapped while they were asked for"
    return seen
