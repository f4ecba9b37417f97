"""Skills and their files as resources, with the URIs `skill://NAME/PATH`."""

from __future__ import annotations

import base64
import contextlib
import mimetypes
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote_to_bytes

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    BlobResourceContents,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from skillbag.agents.mcp_server.core import Context, Core
from skillbag.agents.personal.available import AgentSkill, available_skill, available_skills
from skillbag.agents.personal.names import UnknownSkillError, check_name
from skillbag.agents.scripts.skill_files import list_skill_files, os_errors_reported, plain_path
from skillbag.agents.settings.scope import Scope
from skillbag.agents.tools.skill_tools import dangers_text
from skillbag.agents.tools.skills_in_use import begin_limits
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.fs.confined import read_beneath
from skillbag.kernel.fs.read import LIMIT
from skillbag.kernel.standard.names import is_name
from skillbag.kernel.workspace.target import SKILL_FILE
from skillbag.report.sanitize import exact, masked

if TYPE_CHECKING:
    from skillbag.agents.tools.active_prompts import ActivePrompt

_SCHEME = "skill://"
_LONGEST = 4096
"""Characters of a URI."""

_SKILLS_A_PAGE = 50
_FILES_A_SKILL = 50
"""Of a skill with more files only `SKILL.md` is listed; the template still reads them."""

_MARKDOWN = "text/markdown"
_MORE_TYPES = {".md": _MARKDOWN, ".yaml": "application/yaml", ".yml": "application/yaml", ".toml": "application/toml"}
"""Types that not every Python knows."""


def address(name: str, path: str) -> str:
    """The URI of a skill's file; `path` is relative to the skill's folder, with `/`."""
    return f"{_SCHEME}{name}/{quote(path, errors='surrogateescape')}"


def read_address(uri: str) -> tuple[str, str]:
    """The name of the skill and the path of its file, which may not exist.

    The name matches the pattern of names; no step of the path is `..` or contains an escaped separator.

    Raises:
        UserError: it is not such a URI.
    """
    name, slash, path = uri.removeprefix(_SCHEME).partition("/")
    if uri.startswith(_SCHEME) and slash and len(uri) <= _LONGEST and not any(mark in uri for mark in "?#\\"):
        check_name(name)
        with contextlib.suppress(UnicodeError):
            plain = unquote_to_bytes(path).decode()
            is_plain = plain.isprintable() and not any(step in ("", ".", "..") for step in plain.split("/"))
            if is_plain and not any(escape in path.lower() for escape in ("%2f", "%5c", "%00")):
                return name, plain
    hint = "write skill://NAME/PATH, such as skill://NAME/SKILL.md"
    raise UserError(f"{uri[:80]!a} is not the URI of a skill's file; {hint}")


class Resources:
    """The handlers of `resources/list`, `resources/templates/list` and `resources/read`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def list(self, context: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        """A page of skills by name, each with its files. The cursor is the last name of the page before."""
        after = (params.cursor if params else None) or ""
        await self._core.listed(context)
        page = await self._core.ask(context, partial(_page, after))
        if page.next_cursor is None:
            page.resources += await self._core.ask(context, self._active)
        return page

    async def templates(self, context: Context, params: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        """The one template, of RFC 6570: the path keeps its slashes."""
        template = ResourceTemplate(
            name="skill-file",
            title="File of a skill",
            uri_template="skill://{name}/{+path}",
            description="A file of a skill, by the skill's name and the file's path within its folder.",
        )
        return ListResourceTemplatesResult(resource_templates=[template])

    async def read(self, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        """The file: text if it is UTF-8, else its bytes."""
        contents = await self._core.ask(context, partial(self._read, params.uri))
        return ReadResourceResult(contents=[contents])

    def _active(self, scope: Scope) -> tuple[Resource, ...]:
        """The instructions of active skills that are no Agent Skills, as their `SKILL.md`."""
        known = available_skills(scope).by_name
        return tuple(
            Resource(
                uri=address(prompt.name, SKILL_FILE),
                name=prompt.name,
                description=exact(prompt.description),
                mime_type=_MARKDOWN,
            )
            for prompt in self._instructions()
            if prompt.name not in known
        )

    def _instructions(self) -> tuple[ActivePrompt, ...]:
        more = self._core.active.tools()
        if more is None:
            return ()
        from skillbag.agents.tools.active_prompts import instructions

        return instructions(more.runtime)

    def _read(self, uri: str, scope: Scope) -> TextResourceContents | BlobResourceContents:
        name, path = read_address(uri)
        try:
            skill = available_skill(scope, name)
            if dangers := dangers_text(scope, skill):
                raise UserError(dangers)
            contents = _read(uri, skill, path)
            if path.lower() in (SKILL_FILE.lower(), skill.file.lower()):
                begin_limits(scope, skill.name, skill.directory, skill.file)
            return contents
        except UnknownSkillError:
            text = next((prompt.text for prompt in self._instructions() if prompt.name == name), None)
            if text is None or path != SKILL_FILE:
                raise
            return TextResourceContents(uri=uri, mime_type=_MARKDOWN, text=exact(text))


def _page(after: str, scope: Scope) -> ListResourcesResult:
    if after and not is_name(after):
        raise MCPError(INVALID_PARAMS, "this cursor was not returned by a list; list from the start")
    skills = [skill for name, skill in available_skills(scope).by_name.items() if name > after]
    page = skills[:_SKILLS_A_PAGE]
    cursor = page[-1].name if len(skills) > len(page) else None
    return ListResourcesResult(
        resources=[resource for skill in page for resource in _resources(skill)], next_cursor=cursor
    )


def _resources(skill: AgentSkill) -> list[Resource]:
    own = Resource(
        uri=address(skill.name, SKILL_FILE),
        name=skill.name,
        description=exact(skill.description),
        mime_type=_MARKDOWN,
    )
    files = [path for path in list_skill_files(skill.directory) if path != skill.file]
    if len(files) > _FILES_A_SKILL:
        return [own]
    others = (
        Resource(uri=address(skill.name, path), name=exact(f"{skill.name}/{path}"), mime_type=_mime_type(path))
        for path in files
    )
    return [own, *others]


def _read(uri: str, skill: AgentSkill, path: str) -> TextResourceContents | BlobResourceContents:
    plain = plain_path(skill.file if path == SKILL_FILE else path)
    with os_errors_reported(skill.directory, plain, "File"):
        data = read_beneath(skill.directory, plain, LIMIT)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return BlobResourceContents(uri=uri, mime_type=_mime_type(path), blob=base64.b64encode(data).decode())
    return TextResourceContents(uri=uri, mime_type=_mime_type(path) or "text/plain", text=masked(text))


def _mime_type(path: str) -> str | None:
    """By the suffix, from Python's own table rather than the system's."""
    _, dot, ending = path.rpartition(".")
    suffix = f".{ending.lower()}"
    return _MORE_TYPES.get(suffix) or mimetypes.types_map.get(suffix) if dot else None
