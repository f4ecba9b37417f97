"""Whatever is done to a tree, a check that remembers finds what one finds that does not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from skillbag.lint.cache import entry
from tests.lint.cache.edited_texts import FILES, LINKS, PLACES, SHELL, TEXTS
from tests.lint.cache.edited_worlds import World, outcome, tick
from tests.sampling import NIGHTLY, sample
from tests.unprivileged import dropped

# A folder of its own: every worker that collects this module measures at the same time.
with tempfile.TemporaryDirectory() as _folder:
    TICK = tick(Path(_folder))

texts = st.sampled_from(TEXTS)
files = st.sampled_from(FILES)
places = st.sampled_from(PLACES)
anything = st.sampled_from(FILES + PLACES)
modes = st.sampled_from((0o000, 0o100, 0o400, 0o444, 0o600, 0o644, 0o700, 0o755, 0o777))
ignored_words = st.sampled_from(("USER_CONTEXT.md\n", "*.md\n", "plain/\n", "!USER_CONTEXT.md\n", "skills\n"))


class Edits(RuleBasedStateMachine):
    """Edits of a world; after each, some requests are checked with and without the cache."""

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        folder = Path(tempfile.mkdtemp(prefix="warm-")).resolve()
        self.patch.setenv("SKILLBAG_CACHE_DIR", str(folder / "cache"))
        self.world = World(folder / "world")
        for name, value in self.world.environment().items():
            self.patch.setenv(name, value)
        for name in [name for name in os.environ if name.startswith("GIT_")]:
            self.patch.delenv(name)
        self.requests = self.world.requests()
        self.requested: set[int] = set()
        self.prepare()

    def prepare(self) -> None:
        """What is different from an ordinary check."""

    def teardown(self) -> None:
        self.world.remove()
        shutil.rmtree(self.world.top.parent, ignore_errors=True)
        self.patch.undo()

    @initialize(numbers=st.sets(st.integers(0, 10), min_size=1, max_size=3))
    def ask(self, numbers: set[int]) -> None:
        self.requested = numbers

    @rule(numbers=st.sets(st.integers(0, 10), min_size=1, max_size=2))
    def ask_other_things(self, numbers: set[int]) -> None:
        self.requested = numbers

    @rule(
        name=st.sampled_from((".gitignore", "ws/.gitignore", ".git/info/exclude", "home/.config/git/ignore")),
        word=ignored_words,
    )
    def ignore(self, name: str, word: str) -> None:
        self.world.append(name, word.encode()) if (self.world.top / name).exists() else self.world.write(
            name, word.encode()
        )

    @rule(
        name=st.sampled_from(("ws", "plain", "src")),
        text=st.sampled_from([t for t in TEXTS if b"= [" in t or b"[core" in t]),
    )
    def configure(self, name: str, text: bytes) -> None:
        self.world.write(f"{name}/skillbag.toml", text)

    @rule()
    def look_again(self) -> None:
        pass

    @invariant()
    def both_find_the_same(self) -> None:
        for number in self.requested:
            self.wait()
            request = self.requests[number]
            expected = outcome(request, remember=False)
            assert outcome(request, remember=True) == expected
            self.wait()
            assert outcome(request, remember=True) == expected

    def wait(self) -> None:
        """What has to pass before a check."""


settings_of_git = st.sampled_from(("core.filemode", "core.ignorecase", "core.bare"))
EDITS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "write": {"name": files, "text": texts},
    "replace": {"name": files, "text": texts},
    "append": {"name": files, "text": texts},
    "truncate": {"name": files, "size": st.integers(0, 60)},
    "swap_bytes": {"name": files},
    "touch": {"name": anything},
    "copy_over": {"name": files},
    "delete": {"name": anything},
    "move": {"name": anything, "to": anything},
    "swap": {"one": places, "other": places},
    "make_folder": {"name": anything},
    "link": {"name": anything, "says": st.sampled_from(LINKS)},
    "chmod": {"name": anything, "mode": modes},
    "add": {"name": st.sampled_from(("ws/USER_CONTEXT.md", "ws", "plain", "."))},
    "untrack": {"name": st.sampled_from(("ws/USER_CONTEXT.md", "."))},
    "set_in_git": {"key": settings_of_git, "value": st.booleans()},
    "program": {"text": st.sampled_from((SHELL, SHELL.replace("odd", "even"), "#!/bin/sh\nexit 0\n", ""))},
}
"""The methods of the world that are drawn, with their arguments."""


def edit(method: str) -> Callable[..., None]:
    def step(self: Edits, **arguments: Any) -> None:
        getattr(self.world, method)(**arguments)

    step.__name__ = step.__qualname__ = method
    return step


for method, strategies in EDITS.items():
    setattr(Edits, method, rule(**strategies)(edit(method)))  # type: ignore[call-overload]


class SettledEdits(Edits):
    """The same where the times of files count at once."""

    def prepare(self) -> None:
        self.patch.setattr(entry, "SETTLED", 0)

    def wait(self) -> None:
        time.sleep(TICK)


SETTINGS = settings(
    max_examples=20 if NIGHTLY else 2,
    stateful_step_count=20 if NIGHTLY else 10,
    phases=(Phase.explicit, Phase.generate),
    database=None,
)


@pytest.mark.slow
def test_after_any_edits_warm_is_cold_where_contents_are_compared() -> None:
    run_state_machine_as_test(Edits, settings=SETTINGS)


@pytest.mark.slow
def test_after_any_edits_warm_is_cold_where_times_are_compared() -> None:
    run_state_machine_as_test(SettledEdits, settings=SETTINGS)


@pytest.mark.nightly
@pytest.mark.parametrize("name", sample("unprivileged", ["contents", "times"], 1))
def test_it_is_for_who_may_not_read_everything(name: str, tmp_path: Path) -> None:
    drop = dropped(tmp_path)
    if not drop:
        pytest.skip("this user is not root, and may not read everything anyway")
    here = "tests/lint/cache/test_warm_is_cold.py"
    test = f"{here}::test_after_any_edits_warm_is_cold_where_{name}_are_compared"
    command = [
        *drop,
        sys.executable,
        *("-m", "pytest", "-q", "-p", "no:cacheprovider"),
        f"--basetemp={tmp_path / 'base'}",
        test,
    ]
    done = subprocess.run(command, cwd=Path(here).resolve().parents[3], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
