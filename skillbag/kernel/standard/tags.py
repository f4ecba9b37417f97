"""Words of a description that are meant as tags of the groups `run` and `use`, and are none (clause tags.syntax)."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.name_lists import closest
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.standard.names import fixable, is_name
from skillbag.kernel.workspace.summary import TAG

RUN_TAGS = ("#run/always", "#run/last")


class TagFault(StrEnum):
    """Why a word is no tag that counts: its form, its name, or what stands around it; or the name of its companion."""

    FORM = "form"
    NAME = "name"
    COMPANION = "companion"


class OddTag(NamedTuple):
    """Such a word, and the tag that is meant; empty where none is near."""

    fault: TagFault
    text: str
    meant: str


_SOUND = late(r"(?<!\S)#(?:run/(?:always|last)|use/[a-z0-9]+(?:-[a-z0-9]+)*)(?=[\s,;]|\Z)")
_RESERVED = late(r"(?i)#(?:run|use)\b")
_MALFORMED = late(
    r"""(?ix)\#(?:run|use)[/:\\._-]*         # no name
      | \#run[:\\._-]+(?:always|last)       # another separator
      | \#run/(?:always|last)/.*"""
)
_CAPITALS = late(r"#(?!run/|use/)(?i:run|use)/\S+")
_SEPARATORS = late(r"[\s,;]+")
_AROUND = late(
    r"(?i)([^\s,;`\w#]{1,4})(#(?:run|use)/[\w-]{1,80})([^\s,;]{0,9})|(#(?:\s{1,3}(?:run|use)|runs|uses)\s?/\s?[\w-]{1,80})"
)
_ENDS = (".", "!", "?", ")", ":", ").")
_SAID = late(r"(?i)\s+tags?\b")


@lru_cache(maxsize=8)
def odd_tags(text: str) -> tuple[OddTag, ...]:
    """The words of a description that are meant as tags and are none, each once."""
    return tuple(_odd_tags(text))


def _odd_tags(text: str) -> Iterator[OddTag]:
    # Most descriptions have no others than these.
    if "#" not in text or "#" not in _SOUND().sub("", text):
        return
    for token in dict.fromkeys(_SEPARATORS().split(text)):
        if _RESERVED().match(token):
            if _MALFORMED().fullmatch(token) or _CAPITALS().fullmatch(token):
                yield OddTag(TagFault.FORM, token, meant_tag(token))
            elif token.startswith("#run/") and token not in RUN_TAGS:
                yield OddTag(TagFault.NAME, token, meant_tag(token))
    for name in dict.fromkeys(match[2] for match in TAG.finditer(text) if match[1] == "use"):
        if not is_name(name):
            yield OddTag(TagFault.COMPANION, f"#use/{name}", meant_tag(f"#use/{name}"))
    for match in _AROUND().finditer(text):
        # In backticks, in an address, or before the word `tag`, it is spoken of.
        spoken = "`" in match[0] or _SAID().match(text, match.end())
        apart = match.start() == 0 or text[match.start() - 1] in " \t\n,;" or match[1] in (None, *_ENDS)
        if apart and not spoken:
            yield OddTag(TagFault.NAME, match[0], meant_tag(match[2] or match[4]))


_PARTS = late(r"(?i)#\s{0,3}(run|use)s?\W+([\w-]*)")


def meant_tag(tag: str) -> str:
    """The tag that is meant by another spelling; empty where it is not plain."""
    parts = _PARTS().match(tag)
    if parts is None:
        return ""
    group, name = parts[1].lower(), parts[2]
    if group == "run":
        name = closest(name.lower()[:20], ("always", "last"), 0.6)
        return f"#run/{name}" if name else ""
    better = name if is_name(name) else fixable(name)
    return f"#use/{better}" if better else ""
