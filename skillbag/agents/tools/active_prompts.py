"""What active skills offer a user as prompts: their commands, and the instructions of skills that are prompts (skill
runtime, sections 1 and 7.3)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import NamedTuple

from skillbag.agents.tools.tool import BadArgumentsError
from skillbag.kernel.manifest.values import CommandArgument
from skillbag.runtime.errors import NotFoundError
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.skill import FoundSkill
from skillbag.runtime.triggers.prompts import fragment_text


class ActivePrompt(NamedTuple):
    """A prompt of an active skill: `text` is what it begins with, before the arguments."""

    name: str
    description: str
    arguments: tuple[CommandArgument, ...]
    text: str

    def filled(self, given: Mapping[str, str]) -> str:
        """The text with arguments.

        Raises:
            BadArgumentsError: one is missing, or is none of the prompt's.
        """
        names = [argument.name for argument in self.arguments]
        if unknown := [name for name in given if name not in names]:
            known = ", ".join(names) or "none"
            raise BadArgumentsError(f"{self.name}: there is no argument `{unknown[0][:80]}`; there are {known}")
        if missing := [each.name for each in self.arguments if each.required and not given.get(each.name)]:
            raise BadArgumentsError(f"{self.name}: `{missing[0]}` is missing")
        lines = [f"- {name}: {given[name]}" for name in names if given.get(name)]
        return "\n".join((self.text.rstrip(), *(["", "## Arguments", "", *lines] if lines else [])))


def active_prompts(runtime: Runtime, taken: Collection[str]) -> tuple[ActivePrompt, ...]:
    """The prompts of the active skills, by name; `taken` are the names of other prompts. Of two commands with one name,
    the later one has the skill's name before it."""
    texts = {prompt.name: prompt for prompt in instructions(runtime)}
    prompts = {name: prompt for name, prompt in texts.items() if name not in taken}
    for active in runtime.skills:
        found = active.found
        for prompt in _commands(found, texts[found.name].text if found.name in texts else ""):
            is_taken = prompt.name in taken or prompt.name in prompts
            prompt = prompt._replace(name=f"{found.name}-{prompt.name}") if is_taken else prompt
            prompts.setdefault(prompt.name, prompt)
    return tuple(prompts[name] for name in sorted(prompts))


def instructions(runtime: Runtime) -> tuple[ActivePrompt, ...]:
    """The active skills that have instructions, each as a prompt; one whose files can't be read is left out."""
    most = runtime.request.settings.budget.skill
    prompts = []
    for active in runtime.skills:
        with suppress(NotFoundError):
            if text := fragment_text(active.found, most):
                prompts.append(ActivePrompt(active.found.name, active.found.manifest.description, (), text))
    return tuple(prompts)


def _commands(found: FoundSkill, text: str) -> list[ActivePrompt]:
    """The commands of a skill, each with its instructions."""
    return [
        ActivePrompt(
            command.name,
            command.description or f"The command {command.name} of the skill {found.name}.",
            command.arguments,
            "\n\n".join(filter(None, (f"# {command.name}", command.description, text))),
        )
        for command in found.manifest.commands
    ]
