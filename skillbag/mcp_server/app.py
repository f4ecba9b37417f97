"""The SDK's server with our handlers."""

from __future__ import annotations

from typing import Any

from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp_types import NotificationParams

from skillbag import __version__
from skillbag.mcp_server.core import Context, Core
from skillbag.mcp_server.resources import Resources
from skillbag.mcp_server.tools import Tools

_INSTRUCTIONS = """\
Skills of this workspace and of its user, and the lifecycle of the workspace.
Call `enter` before anything else: it says what the workspace is, what to read and which skills to run first.
Then, for a task that a skill's description fits, call its tool `skill_NAME`, and do as it says; read its files with
`read_skill_file`, run its scripts with `run_skill_script`. Call `refresh` before you rely on what you read long ago.
Find further skills with `skill_marketplace`. A skill's files are also resources, `skill://NAME/PATH`."""


class _Server(Server[Any]):
    """Announces to every client, over each transport, that its lists may change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        *more: Any,
        **named: Any,
    ) -> InitializationOptions:
        """The SDK's, with the notifications that `Changes` sends."""
        options = notification_options or NotificationOptions(True, True, True)
        return super().create_initialization_options(options, *more, **named)


def make_server(core: Core) -> Server[Any]:
    """The server, for either transport."""
    tools, resources = Tools(core), Resources(core)
    server = _Server(
        "skillbag",
        version=__version__,
        title="SkillBag",
        instructions=_INSTRUCTIONS,
        # No argument is also sent as a header. Without this the SDK would list the tools at each call to find out.
        get_tool_input_schema=lambda name: None,
        on_list_tools=tools.list,
        on_call_tool=tools.call,
        on_list_resources=resources.list,
        on_list_resource_templates=resources.templates,
        on_read_resource=resources.read,
        on_list_prompts=tools.prompts,
        on_get_prompt=tools.prompt,
        on_subscriptions_listen=core.changes.listen,
    )

    async def note_client(context: Context, params: NotificationParams) -> None:
        # Only the connection can be notified later, and the SDK has no public way from a request to it.
        core.changes.add_client(context.session._connection)

    server.add_notification_handler("notifications/initialized", NotificationParams, note_client)
    return server
