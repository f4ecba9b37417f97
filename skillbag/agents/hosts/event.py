"""What happens in a host, and what it is answered: one shape for all hosts (skill runtime, section 6)."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from skillbag.kernel.base.errors import UserError

if TYPE_CHECKING:
    from skillbag.kernel.base.json_records import JsonRecord


class BadEventError(UserError):
    """The host sent something that is no event of it."""


class ConversationStep(StrEnum):
    """The steps of a conversation that a host tells of."""

    START = "start"
    MESSAGE = "message"
    PROMPT = "prompt"
    BEFORE_TOOL = "before_tool"
    AFTER_TOOL = "after_tool"
    ANSWER = "answer"
    END = "end"


BEGINNING = (ConversationStep.START, ConversationStep.MESSAGE)
"""The steps that activate skills."""


class HostEvent(NamedTuple):
    """A step of the session `session` in the folder `folder`; `name` is the host's own word for it.

    `text` is the user's message or the agent's answer. A call has the name `tool` and the input `value` (JSON), and
    after it the `result` (JSON), its text, `content`, and whether that is an error. `forgot`: at a start, whether the
    agent has lost what it was given before.
    """

    step: ConversationStep
    session: str
    folder: str
    name: str = ""
    text: str = ""
    tool: str = ""
    value: Any = None
    content: str = ""
    result: Any = None
    is_error: bool = False
    forgot: bool = False


class HostReply(NamedTuple):
    """What the skills want: `context` is a text for the agent, `refusal` says why a call must not happen. `value`,
    `content` and `text` replace those of the event; None leaves them. `is_error` is that of the result, `by` are
    the skills that changed the result or the text. `remarks` are sentences for the user."""

    context: str = ""
    refusal: str | None = None
    value: Any = None
    content: str | None = None
    is_error: bool = False
    text: str | None = None
    by: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


class Host(NamedTuple):
    """An agent with hooks of its own. `most_tokens` bounds what skills add at once. `seconds` is the time of one event,
    less than the agent waits. `mode` is one that triggers name. `builds_prompts`: it makes a new prompt for each
    message, in a step of its own; others keep what they were given with a message."""

    name: str
    most_tokens: int
    seconds: float
    mode: str = "interactive"
    builds_prompts: bool = False


class HookHost(NamedTuple):
    """A host that runs a command at its events. `read` understands what it writes, or gives None for an event that
    concerns no skill; it raises `BadEventError`. `write` puts a reply into the host's form; an event without a name is
    a call that could not be read."""

    host: Host
    read: Callable[[bytes], HostEvent | None]
    write: Callable[[HostEvent, HostReply], JsonRecord]
