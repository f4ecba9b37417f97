"""What happens in a host, and what it is answered: one shape for all hosts (skill runtime, section 6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from skillbag.kernel.base.errors import UserError


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
    """A step of the session `session` in the folder `folder`.

    `text` is the user's message or the agent's answer. A call has the name `tool` and the input `value` (JSON), and
    after it the result as text, `content`, and whether that is an error. `forgot`: at a start, whether the agent has
    lost what it was given before.
    """

    step: ConversationStep
    session: str
    folder: str
    text: str = ""
    tool: str = ""
    value: Any = None
    content: str = ""
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
    """An agent with hooks of its own. `read` understands an event, or gives None for one that concerns no skill; it
    raises `BadEventError`. `write` puts a reply to an event into the host's form. `most_tokens` bounds what skills add
    at once. `seconds` is the time of one event, less than the agent waits. `mode` is one that triggers name.
    `builds_prompts`: it makes a new prompt for each message, in a step of its own; others keep what they were given
    with a message."""

    name: str
    read: Callable[[Mapping[str, Any]], HostEvent | None]
    write: Callable[[Mapping[str, Any], HostReply], dict[str, Any]]
    most_tokens: int
    seconds: float
    mode: str = "interactive"
    builds_prompts: bool = False
