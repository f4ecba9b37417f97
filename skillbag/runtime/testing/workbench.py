"""A skill under development: loaded in a temporary workspace, and reloaded when it has changed (skill runtime, section
10)."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import ExitStack

from skillbag.kernel.manifest.cases import Expectation, SkillTestCase
from skillbag.runtime.activation.activation import ActivatedSkill
from skillbag.runtime.discovery.discovery import DiscoveryRequest, discover
from skillbag.runtime.errors import NotFoundError
from skillbag.runtime.sessions.hot_reload import reload
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.skill import FoundSkill
from skillbag.runtime.testing.playback import Playback
from skillbag.runtime.testing.running import Situation, case_environment, opened
from skillbag.runtime.testing.suite import sandbox_of

_CASE = SkillTestCase("dev", Expectation())


class Workbench:
    """Holds the skill of a folder loaded. What its code asks of the host while it is loaded fails, as in a case without
    a record. Use it as a context."""

    def __init__(self, directory: str, approved: Collection[str]) -> None:
        """Nothing is loaded yet. For `approved` see `run_all`."""
        self._directory = directory
        self._approved = approved
        self._runtime: Runtime | None = None
        self._name = ""
        self._stack = ExitStack()

    def __enter__(self) -> Workbench:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def is_loaded(self) -> bool:
        """Whether some version of the skill is loaded."""
        return self._runtime is not None

    def load(self) -> ActivatedSkill:
        """Load the skill as it is now. After an error, what was loaded before stays.

        Raises:
            UserError: it can't be loaded; the message says why.
        """
        found = self._found()
        if self._runtime is not None and self._name == found.name:
            return reload(self._runtime, found.name)
        with ExitStack() as stack:
            situation = Situation(Playback(()), case_environment(_CASE), sandbox=sandbox_of(found, self._approved))
            runtime, _ = stack.enter_context(opened(found, _CASE, situation))
            runtime.activate(found.name)
            before, self._stack = self._stack, stack.pop_all()
        self._runtime, self._name = runtime, found.name
        before.close()
        active = runtime.skills.get(found.name)
        if active is None:
            raise NotFoundError(f'skill "{found.name}" is not active any more')
        return active

    def _found(self) -> FoundSkill:
        request = DiscoveryRequest(inline=(os.path.join(self._directory, ""),))
        skills = [skill for skill in discover(request).skills if skill.directory == self._directory]
        if not skills:
            raise NotFoundError(f"there is no skill in {self._directory}")
        return skills[0]
