"""The interface of every backend (skill runtime, section 7)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple, Protocol

from skillbag.kernel.manifest.names import Permission, Phase
from skillbag.kernel.manifest.values import Implementation, Manifest
from skillbag.runtime.errors import ChildError
from skillbag.runtime.skill import Json


class CallKind(StrEnum):
    """What is called."""

    TOOL = "tool"
    HOOK = "hook"
    WORKFLOW = "workflow"
    SCAN = "scan"


class ToolSpec(NamedTuple):
    """A tool that the skill's code registered; `input_schema` is a JSON Schema of an object."""

    name: str
    description: str
    input_schema: Mapping[str, Json]
    requires_approval: bool = False


class Registration(NamedTuple):
    """What the skill's code registered. A phase is in `hooks` once for each handler, in order of registration."""

    tools: tuple[ToolSpec, ...] = ()
    hooks: tuple[Phase, ...] = ()
    workflows: tuple[str, ...] = ()
    scanners: tuple[str, ...] = ()


class ToolOutput(NamedTuple):
    """The result of a tool: a text (JSON where the tool gave another value), and whether it is an error's message."""

    content: str
    is_error: bool = False


HostFunctions = Callable[[str, Mapping[str, Json]], Json]
"""Calls a host function for the skill: its name (`read_file`) and arguments by name; raises `RuntimeFaultError`."""


StandIn = Callable[[str, Mapping[str, Json], Callable[[], Json]], Json]
"""Answers in place of a function: gets its name, its checked arguments, and a call of the function itself. It may raise
`RuntimeFaultError`. Permissions are checked before."""


class Launch(NamedTuple):
    """All that a backend needs to run a skill.

    `directory` has the skill's files, `workspace` is the real root of the workspace (None outside of any). `granted`
    are the permissions it has now. `host` is behind the broker. `remark` gets one sentence about what went wrong
    without failing a call, such as a late answer. `session` names the session, if there is one. `verify` is called
    before the skill's code is started again; it raises `RuntimeFaultError` if they have changed. `still_granted` says
    whether all of `granted` is approved now; a process that has more than that is ended. `environment` are
    the variables that its process gets a part of; `offline`: it has no network, whatever is granted.
    """

    manifest: Manifest
    directory: str
    workspace: str | None
    granted: frozenset[Permission]
    host: HostFunctions
    remark: Callable[[str], None]
    strict_sandbox: bool = False
    session: str | None = None
    verify: Callable[[], None] = lambda: None
    still_granted: Callable[[], bool] = lambda: True
    environment: Mapping[str, str] = os.environ
    offline: bool = False

    @property
    def implementation(self) -> Implementation:
        """That of the manifest. Raises `ChildError` where there is none."""
        if self.manifest.implementation is None:
            raise ChildError(f'skill "{self.manifest.name}" has no code')
        return self.manifest.implementation


WITHDRAWN = "permissions were withdrawn; activate it again"
"""Why a skill fails whose process was started with more than is approved now."""


class Backend(Protocol):
    """Runs the code of one skill. Methods may be called from several threads."""

    def load(self) -> Registration:
        """Start it. Raises `ChildError` or `TimeLimitError`, with the reason; nothing is left running then."""

    def call(self, kind: CallKind, name: str, value: Json, *, number: int = 0, timeout: float | None = None) -> Json:
        """Call a tool (gives a `ToolOutput`), a hook, workflow or scanner (give a JSON value).

        `number` is that of the handler among those of a phase. `timeout` (seconds) replaces the default of the kind;
        the time that host functions wait for others is not counted, up to 300 s.

        Raises:
            TimeLimitError, ChildError, RuntimeFaultError: the message is for the user.
        """

    def unload(self) -> None:
        """Stop it and all its processes. Raises `ChildError` if it did not end in an orderly way; it has ended then."""

    @property
    def failure(self) -> str | None:
        """Why the backend can't be used any more (its process died too often); None while it can."""
