"""The answers of the commands about registries: `registry publish`, `registry serve`, `search`, `marketplace show`."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from skillbag.kernel.base.json_records import Absent, fits
from skillbag.report.answers.types import Text

Remarks = Annotated[
    tuple[str, ...],
    "What the registry answered that is out of date or was left out, and why it can't be asked.",
]


class PublishedVersionJson(NamedTuple):
    """The skill and its version."""

    name: Text
    version: Text
    is_new: Annotated[bool, "False if it was there with the same content."]


class PublishJson(NamedTuple):
    """A version in the store."""

    published: PublishedVersionJson


class ServeJson(NamedTuple):
    """One line, printed when the registry answers."""

    url: Annotated[str, fits(pattern="^http://"), "Its address."]


class OfferedSkillJson(NamedTuple):
    """A skill that is offered."""

    name: Text
    description: str
    ref: Annotated[Text, "What `marketplace install` takes."]
    source: Annotated[Text, "The name of a configured source; `registry` for one of the registry."]
    address: Annotated[Text, "Where it is fetched from."]
    score: Annotated[float, "How well it matches; 0 for one of the registry, which gives no score."]


class SearchJson(NamedTuple):
    """The matches of the index, then those of the registry."""

    query: str
    skills: tuple[OfferedSkillJson, ...]
    meant: Annotated[tuple[str, ...], "Words that may be meant, where nothing was found."]
    remarks: Remarks | Absent


class PublishedSkillJson(NamedTuple):
    """The skill."""

    name: Text
    version: Annotated[Text, "The version that the reference means."]
    manifest: Annotated[str, "The text of its `SKILL.yaml`."]
    versions: Annotated[tuple[Text, ...], fits(minItems=1), "All versions, the highest first."]


class PublishedJson(NamedTuple):
    """A skill of a registry."""

    skill: PublishedSkillJson
    remarks: Remarks
