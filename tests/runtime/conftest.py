"""What tests of the runtime leave behind is closed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.runtime.grantees import close_stores


@pytest.fixture(autouse=True)
def _closed_stores() -> Iterator[None]:
    yield
    close_stores()
