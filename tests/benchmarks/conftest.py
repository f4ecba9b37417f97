"""The modules of the benchmarks can be imported by their tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support import PROJECT


@pytest.fixture(scope="module", autouse=True)
def modules() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(PROJECT / "tools")
        patch.syspath_prepend(PROJECT / "benchmarks")
        yield
