"""Messages about a turn to a host's user: each question and each failure once in a session, as long as the skill's
content and what it asks for stay the same."""

from __future__ import annotations

import hashlib

from skillbag.agents.hosts.carried import limits_of
from skillbag.agents.hosts.event import Host
from skillbag.runtime.activation.outcomes import Turn
from skillbag.runtime.broker.questions import sentence_for_hosts
from skillbag.runtime.errors import NotFoundError, RuntimeFaultError
from skillbag.runtime.sessions.runtime import Runtime


def of_turn(runtime: Runtime, turn: Turn, host: Host, known: list[str]) -> list[str]:
    """Sentences about what a turn brought about. `known` has the digests of the sentences that the session's user has
    read, and gets those of new ones."""
    sentences = [f'the skill "{skill}" is active' for skill in turn.activated]
    for skill in turn.activated:
        if active := runtime.skills.get(skill):
            sentences += limits_of(host.name, skill, active.registration.hooks)
    open_ = [(skill, f'the skill "{skill}" is not active: {reason}') for skill, reason in turn.failed.items()]
    open_ += [(question.skill, sentence_for_hosts(question)) for question in turn.questions]
    for skill, sentence in open_:
        digest = _digest(runtime, skill, sentence)
        if digest not in known:
            known.append(digest)
            sentences.append(sentence)
    return [*sentences, *turn.notes]


def _digest(runtime: Runtime, skill: str, sentence: str) -> str:
    """Of a sentence about the skill with its content as it is now."""
    try:
        content = runtime.grantee(skill).tree_hash
    except (NotFoundError, RuntimeFaultError):
        content = ""
    return hashlib.sha256("\0".join((skill, content, sentence)).encode("utf-8", "surrogatepass")).hexdigest()[:32]
