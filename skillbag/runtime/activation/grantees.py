"""Skills as the broker knows them, and what the user must be asked about them (skill runtime, section 5)."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from functools import partial

from skillbag import DOCUMENTATION
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.base.user_dirs import STATE_VARIABLE
from skillbag.kernel.fs.read import is_within
from skillbag.kernel.manifest.names import MANIFEST_FILE, BackendKind, Permission
from skillbag.kernel.manifest.prompt_skill import prompt_manifest
from skillbag.kernel.manifest.reader import read_manifest
from skillbag.kernel.processes.confinement import available
from skillbag.runtime.activation.request import RuntimeRequest
from skillbag.runtime.backends.launching import unconfined
from skillbag.runtime.broker.content import content_hash
from skillbag.runtime.broker.questions import PermissionQuestion
from skillbag.runtime.errors import NotPermittedError, RuntimeFaultError
from skillbag.runtime.skill import FoundSkill, Grantee, SkillSource
from skillbag.runtime.triggers.settings import McpServer


def grantee_of(found: FoundSkill, servers: Iterable[McpServer] = ()) -> Grantee:
    """The skill with the hash of its content as it is now. One without code and permissions needs no hash. That of an
    MCP server is of its settings.

    Raises:
        RuntimeFaultError: its folder can't be read.
    """
    declared = frozenset(found.manifest.permissions)
    try:
        if found.source is SkillSource.MCP:
            content = _server_hash(found, servers)
        else:
            content = content_hash(found.directory) if declared or found.manifest.implementation else ""
    except OSError as error:
        raise RuntimeFaultError(f'skill "{found.name}" can\'t be read: {format_error(error)}') from error
    return Grantee(found.name, found.origin, content, found.source, declared)


def what_is_not_held(found: FoundSkill) -> tuple[str, ...]:
    """Sentences about what the system can't hold the skill's process to, and which protected files it writes."""
    implementation, files = found.manifest.implementation, found.manifest.steering_files
    held = unconfined(implementation.backend, frozenset(found.manifest.permissions)) if implementation else ()
    steers = f"It writes files that steer agents, editors, shells, version control or services: {', '.join(files)}."
    return (*held, steers) if files else held


def question_about(found: FoundSkill, missing: tuple[Permission, ...], session: str | None) -> PermissionQuestion:
    """The question about these permissions of a skill."""
    unheld = what_is_not_held(found)
    if Permission.HOOK_OBSERVE in missing and Permission.HOOK_OBSERVE not in found.manifest.permissions:
        unheld = ("A guard of this name has had other files until now.", *unheld)
    return PermissionQuestion(found.name, missing, unheld, session is not None)


def _server_hash(found: FoundSkill, servers: Iterable[McpServer]) -> str:
    name = found.manifest.implementation.entrypoint if found.manifest.implementation else ""
    plain = [server._asdict() for server in servers if server.name == name]
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def check_startable(found: FoundSkill, request: RuntimeRequest) -> None:
    """Check that the manifest and the instructions to be used are those that were found, and that the skill's process
    can be confined, or that the user has named the skill.

    Raises:
        RuntimeFaultError: the manifest has changed. NotPermittedError: nobody has allowed an unconfined process.
    """
    if found.source not in (SkillSource.BUILTIN, SkillSource.BUNDLED, SkillSource.MCP):
        name = os.path.basename(found.file)
        read = read_manifest if name == MANIFEST_FILE else partial(prompt_manifest, file=name)
        now = read(found.folder, found.folder)
        if (now.manifest, now.instructions) != (found.manifest, found.instructions):
            raise RuntimeFaultError(f'the manifest of the skill "{found.name}" has changed meanwhile; try again')
    implementation = found.manifest.implementation
    if implementation is None or implementation.backend not in (BackendKind.PROCESS, BackendKind.PLUGIN):
        return
    # With permissions, the question says what is not held; without any, nobody would be asked.
    is_foreign = found.source in (SkillSource.PROJECT, SkillSource.CONFIGURED)
    if is_foreign and not found.manifest.permissions and found.name not in request.approved:
        held = available()
        if not (held.files and held.network):
            raise NotPermittedError(
                f'this system can\'t keep the process of the skill "{found.name}" from your files and the network, and '
                f"nobody has approved it by its name, which a person does: {DOCUMENTATION}/runtime.md#sandbox"
            )


def check_state(request: RuntimeRequest) -> None:
    """Check that no skill can write the state that its permissions are kept in.

    Raises:
        UserError: the folder of the state lies in the workspace.
    """
    if request.workspace and is_within(request.workspace, request.state):
        raise UserError(
            f"the folder of the state, {request.state}, lies in the workspace, where skills may write; set "
            f"{STATE_VARIABLE} to another folder"
        )
