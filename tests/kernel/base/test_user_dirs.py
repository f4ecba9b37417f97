"""Where caches and states lie: as platformdirs has it, whether or not it is asked."""

from __future__ import annotations

import platformdirs
import pytest

from skillbag.kernel.base.user_dirs import cache_folder, state_folder

pytestmark = pytest.mark.boundary


@pytest.mark.parametrize("named", [None, "", " ", "/var/own"])
def test_the_folders_are_those_that_platformdirs_names(monkeypatch: pytest.MonkeyPatch, named: str | None) -> None:
    for variable in ("SKILLBAG_CACHE_DIR", "SKILLBAG_STATE_DIR", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(variable, raising=False)
        if named is not None and variable.startswith("XDG"):
            monkeypatch.setenv(variable, named)
    assert cache_folder() == platformdirs.user_cache_dir("skillbag", appauthor=False)
    assert state_folder() == platformdirs.user_state_dir("skillbag", appauthor=False)
