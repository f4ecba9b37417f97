"""Completions of a language model for skills (skill runtime, sections 7.2 and 17, Q9)."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence

from skillbag.kernel.processes.bounded import CommandLimits, CommandResult, Excess, awaiting, run_bounded
from skillbag.kernel.processes.output_capture import OutputLimit
from skillbag.kernel.secrets.detection import mask
from skillbag.runtime.errors import BadParametersError, NotFoundError, RuntimeFaultError, TimeLimitError
from skillbag.runtime.host.schemas import first_fault
from skillbag.runtime.skill import Json
from skillbag.supply.sources.entry import quoted

Completer = Callable[[str], str]
"""Completes a prompt."""

COMMAND_SECONDS = 300.0
"""Limit of one completion by a command, in seconds."""

_LARGEST = 1 << 20
_SHOWN = 300


def complete(completer: Completer | None, prompt: str) -> str:
    """The model's answer to the prompt.

    Raises:
        RuntimeFaultError: there is no completer, or it failed.
    """
    if completer is None:
        raise RuntimeFaultError("no LLM completer configured")
    try:
        answer = completer(prompt)
    except RuntimeFaultError:
        raise
    except Exception as error:
        # A host's callable may raise anything, and name its key.
        raise RuntimeFaultError(f"the LLM completer failed: {mask(str(error))[:_SHOWN]}") from None
    if not isinstance(answer, str):
        raise RuntimeFaultError("the LLM completer gave no text")
    return answer


def complete_json(completer: Completer | None, prompt: str, schema: Mapping[str, Json]) -> Json:
    """The model's answer to the prompt as a JSON value that `schema`, a JSON Schema, describes.

    Raises:
        BadParametersError: it is no JSON Schema. RuntimeFaultError: the answer is something else, or as `complete`.
    """
    request = f"{prompt}\n\nAnswer with one JSON value alone. It must match this JSON Schema:\n{json.dumps(schema)}\n"
    answer = _without_fence(complete(completer, request))
    try:
        value = json.loads(answer, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        raise RuntimeFaultError(f"the LLM's answer is not JSON: {mask(str(error))[:_SHOWN]}") from None
    check_value(schema, value)
    return value


def check_value(schema: Mapping[str, Json], value: Json) -> None:
    """Check a value against a JSON Schema of a skill.

    Raises:
        BadParametersError: it is no JSON Schema. RuntimeFaultError: the value does not match.
        TimeLimitError: the check takes too long.
    """
    kind, text = first_fault(schema, value, "the check of the answer against the schema")
    if kind == "schema":
        raise BadParametersError(f"the schema is no JSON Schema: {text}")
    if kind:
        raise RuntimeFaultError(f"the LLM's answer does not match the schema: {text}")


def command_completer(words: Sequence[str]) -> Completer:
    """A completer that runs a command of the user's settings: the prompt is its input, its output the answer.

    It has the user's whole environment, since that holds the key of the model.
    """

    def complete_by_command(prompt: str) -> str:
        command = quoted(words[0])
        program = shutil.which(words[0])
        if program is None:
            raise NotFoundError(f"the LLM command {command} is not on this machine; correct `llm.command`")
        found = [os.path.abspath(program), *words[1:]]
        ended = _run(found, prompt.encode("utf-8", "replace"), COMMAND_SECONDS, f"the LLM command {command}")
        if ended.code:
            lines = mask(ended.errors.text()).strip().splitlines()
            said = f": {lines[-1][:_SHOWN]}" if lines else ""
            raise RuntimeFaultError(f"the LLM command {command} ended with exit code {ended.code}{said}")
        return ended.output.text().removesuffix("\n")

    return complete_by_command


def _run(words: Sequence[str], stdin: bytes, seconds: float, what: str) -> CommandResult:
    command = awaiting(words, os.environ, stdin, os.getcwd())
    try:
        ended = run_bounded(command, CommandLimits(seconds, OutputLimit(_LARGEST, 0, ends=True), OutputLimit(0, 8192)))
    except OSError as error:
        raise RuntimeFaultError(f"{what} can't be started: {error.strerror}") from error
    if ended.excess is Excess.TIME:
        raise TimeLimitError(f"{what} took longer than {seconds:g} s and was ended")
    if ended.excess is Excess.OUTPUT:
        raise RuntimeFaultError(f"{what} wrote more than {_LARGEST >> 20} MiB and was ended")
    return ended


def _without_fence(answer: str) -> str:
    """The answer without the code fence that models like to write around JSON."""
    lines = answer.strip().split("\n")
    if len(lines) > 2 and lines[0].startswith("```") and lines[-1].strip() == "```":
        return "\n".join(lines[1:-1])
    return answer


def _refused(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")
