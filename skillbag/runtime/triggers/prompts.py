"""What a skill adds to the prompt of a host: its instructions, references and context files (skill runtime, sections 2
and 3)."""

from __future__ import annotations

import os

from skillbag.kernel.fs.confined import read_beneath
from skillbag.kernel.fs.read import LIMIT
from skillbag.runtime.errors import NotFoundError
from skillbag.runtime.skill import FoundSkill, SkillSource
from skillbag.session.inputs.dangers import danger_questions

BYTES_PER_TOKEN = 4
"""Bytes of UTF-8 that count as one token."""


def count_tokens(text: str) -> int:
    """The tokens of a text: a quarter of its bytes, rounded up."""
    return -(-len(_encoded(text)) // BYTES_PER_TOKEN)


def cut(text: str, tokens: int) -> str:
    """The beginning of a text, of at most so many tokens, that ends with a whole character."""
    encoded = _encoded(text)
    size = max(tokens, 0) * BYTES_PER_TOKEN
    return text if len(encoded) <= size else encoded[:size].decode("utf-8", "ignore")


def _encoded(text: str) -> bytes:
    # A message may hold half of a pair of surrogates; it counts as what will be sent for it.
    return text.encode("utf-8", "replace")


def header(directory: str) -> str:
    """The first lines of a fragment: where the skill is, and what its relative paths mean."""
    return f"Skill root directory: {directory}\nRelative paths in this skill resolve against that directory.\n\n"


def fragment_text(skill: FoundSkill, most: int) -> str:
    """The fragment of a skill before it is cut: header, instructions, references, and context files within the tokens
    that the manifest gives them, or `most`; empty if the skill has nothing to say.

    Raises:
        NotFoundError: a file of the prompt can't be read, or the skill has errors about security.
    """
    if skill.directory and skill.source is not SkillSource.BUILTIN:
        above = os.path.dirname(skill.directory)
        for question in danger_questions(skill.name, skill.directory, above, source=skill.directory, remove=""):
            raise NotFoundError(f"{question.text}; {question.answer}")
    prompt = skill.manifest.prompt
    text = _read(skill, prompt.system_prompt_file) if prompt and prompt.system_prompt_file else skill.instructions
    # References come before the context files: they are short, and what is last is cut first.
    parts = [text.strip(), _references(skill)]
    left = (prompt.max_context_tokens if prompt else 0) or most
    for path in prompt.context_files if prompt else ():
        if left <= 0:
            break
        added = cut(f"Context file {path}:\n\n{_read(skill, path).strip()}", left)
        left -= count_tokens(added)
        parts.append(added)
    body = "\n\n".join(part for part in parts if part)
    return f"{header(skill.directory)}{body}\n" if body else ""


def _references(skill: FoundSkill) -> str:
    """The files that an agent reads when it needs them, a line each; empty without any."""
    named = ((each.path, " ".join(each.when.split())) for each in skill.manifest.references)
    lines = [f"- {path}: {when}" if when else f"- {path}" for path, when in named]
    return "\n".join(["Files to read when they are needed:", "", *lines]) if lines else ""


def _read(skill: FoundSkill, path: str) -> str:
    try:
        return read_beneath(skill.folder, path, LIMIT).decode("utf-8-sig")
    except OSError as error:
        raise NotFoundError(f'skill "{skill.name}": prompt file {path}: {error.strerror or error}') from error
    except UnicodeDecodeError as error:
        raise NotFoundError(f'skill "{skill.name}": prompt file {path} is not UTF-8') from error
