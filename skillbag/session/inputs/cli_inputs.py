"""Read `--set name=value` and `--prohibit name=value` as a conversation."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.standard.declarations import Level
from skillbag.session.inputs.interface import DeclaredParameter, Interface
from skillbag.session.inputs.levels import Conversation
from skillbag.session.inputs.prompts import CONFIRM
from skillbag.session.settings.settings import ProhibitedValue, some
from skillbag.session.settings.value import Value, parse_value, short, typed


class BadAnswerError(UserError):
    """A value can't be used; the message lists the parameters."""


def read_conversation(
    interface: Interface,
    values: Iterable[str] = (),
    prohibited: Iterable[str] = (),
    plain: Mapping[str, object] | None = None,
) -> Conversation:
    """The conversation of `name=value` pairs, the last of a name counting; `plain` are values of JSON, below the pairs.

    `confirm=NAME` (or a list of names) accepts a risk, unless the skill has a parameter `confirm`; several are added.

    Raises:
        BadAnswerError: a pair has no `=`, or names a parameter or a risk that the skill does not have.
    """
    parameters = {parameter.name: parameter for parameter in interface.parameters}
    given: dict[str, Value] = {}
    confirmed: set[str] = set()
    for name, value in (*_plain(plain or {}), *(_answer(pair, parameters) for pair in values)):
        if name == CONFIRM and CONFIRM not in parameters:
            confirmed.update(_risks(interface, parameters, value))
        else:
            _check(interface, parameters, name)
            given[name] = value
    return Conversation(given, tuple(_prohibitions(interface, parameters, prohibited)), frozenset(confirmed))


def concerning(interface: Interface, pairs: Iterable[str]) -> tuple[str, ...]:
    """Those of several `name=value` that are about a parameter or a risk of this skill."""
    names = {parameter.name for parameter in interface.parameters}
    risks = {f"{CONFIRM}={name}" for name in (interface.skill, *names)}
    return tuple(pair for pair in pairs if pair.partition("=")[0] in names or pair in risks)


def _plain(values: Mapping[str, object]) -> Iterable[tuple[str, Value]]:
    for name, value in values.items():
        try:
            yield str(name), typed(value)
        except (TypeError, ValueError) as error:
            raise BadAnswerError(f"the value of {short(str(name))} can't be used: {error}") from None


def split_pair(pair: str, option: str = "--set") -> tuple[str, str]:
    """The name and the text of `name=value`. Raises BadAnswerError if it is none."""
    name, equals, text = pair.partition("=")
    if not equals or not name:
        from skillbag.session.persistence.secret_detection import is_secret

        raise BadAnswerError(f"{option} {'****' if is_secret(pair) else short(pair)}: write {option} NAME=VALUE")
    return name, text


def _answer(pair: str, parameters: Mapping[str, DeclaredParameter]) -> tuple[str, Value]:
    name, text = split_pair(pair)
    value = parse_value(text)
    # For a text parameter, a bracket does not begin a list.
    as_text = isinstance(value.value, list | dict) and name in parameters and parameters[name].type == "string"
    return name, Value(text, text) if as_text else value


def _prohibitions(
    interface: Interface, parameters: Mapping[str, DeclaredParameter], pairs: Iterable[str]
) -> Iterable[ProhibitedValue]:
    for pair in pairs:
        name, text = split_pair(pair, "--prohibit")
        _check(interface, parameters, name)
        value = parse_value(text)
        for item in value.items or (value,):
            yield ProhibitedValue(interface.skill, name, item, Level.CONVERSATION, None)


def _risks(interface: Interface, parameters: Mapping[str, DeclaredParameter], value: Value) -> Iterable[str]:
    for item in value.items or (value,):
        if item.written != interface.skill and item.written not in parameters:
            risky = [parameter.name for parameter in interface.parameters if parameter.confirm is not None]
            risky += [interface.skill] if interface.risk else []
            advice = f"{CONFIRM} takes {some(map(short, risky))}" if risky else "it asks before nothing"
            raise BadAnswerError(f"{item.short}: {interface.skill} has no such risk to accept; {advice}")
        yield item.written


def _check(interface: Interface, parameters: Mapping[str, DeclaredParameter], name: str) -> None:
    if name in parameters:
        return
    close = [name.replace("_", "-")] if name.replace("_", "-") in parameters else []
    close = close or difflib.get_close_matches(name[:80], parameters, 1)
    meant = f" (did you mean {short(close[0])}?)" if close else ""
    there = f"it has {some(map(short, parameters))}" if parameters else "it has none"
    raise BadAnswerError(f"{interface.skill} has no parameter {short(name)}{meant}; {there}")
