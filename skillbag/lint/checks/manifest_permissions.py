"""What a skill's code calls, and what its manifest permits: a look at Starlark and Python, without running them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.nodes import Scalar, Sequence
from skillbag.kernel.documents.source import Document, Position
from skillbag.kernel.manifest.names import PLUGIN_METHODS, STARLARK_FUNCTIONS, BackendKind, Permission, SkillType
from skillbag.kernel.manifest.reader import ActiveSkill
from skillbag.kernel.manifest.values import Manifest
from skillbag.kernel.workspace.tree import FILE
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, match_at
from skillbag.lint.signals.syntax_trees import bound_names, parsed, position

_CONTEXTS = frozenset({"ctx", "context", "_ctx", "_context"})
"""What plugins name the object through which they call the host."""

_HOOK, _OWN = "register_hook", ("register_tool", "register_workflow")
_ON_CALLS = ("OnBeforeToolCall", "OnAfterToolResult")

_ENDINGS = {BackendKind.STARLARK: ".star", BackendKind.PLUGIN: ".py"}


class HostCall(NamedTuple):
    """A call of a function of the host, the permission that it needs, and its place.

    It is `sure` unless another object may have a method of that name.
    """

    function: str
    permission: Permission
    path: str
    at: Position
    sure: bool


class HostCalls(NamedTuple):
    """The calls in a skill's code; whether they are `all` of them, or some code can't be looked at."""

    calls: tuple[HostCall, ...]
    all: bool


@Predicate("manifest-permission-undeclared", Subject.MANIFEST, values=("function", "permission"))
def undeclared(active: ActiveSkill, _: NoOptions) -> Iterator[Match]:
    """Calls that need a permission which the manifest does not declare: of each function the first in a file."""
    manifest = active.file.manifest
    if manifest is None:
        return
    seen: set[tuple[str, str]] = set()
    for call in _host_calls(active, manifest).calls:
        if call.sure and call.permission not in manifest.permissions and (call.path, call.function) not in seen:
            seen.add((call.path, call.function))
            values = {"function": call.function, "permission": call.permission.value}
            yield Match(call.path, values=values, at=call.at)


@Predicate("manifest-permission-unused", Subject.MANIFEST, values=("permission",))
def unused(active: ActiveSkill, _: NoOptions) -> Iterator[Match]:
    """Permissions of which no call in the skill's code has need."""
    manifest, mapping = active.file.manifest, active.file.mapping
    node = mapping.get("permissions") if mapping else None
    if manifest is None or not isinstance(node, Sequence):
        return
    calls = _host_calls(active, manifest)
    if not calls.all:
        return
    needed = {call.permission for call in calls.calls if call.function not in _OWN}
    if SkillType.SECURITY_RULE in manifest.types:
        # Its scanners are given what others read for it.
        needed.add(Permission.FILE_READ)
    if Permission.HOOK_OBSERVE in needed:
        needed.add(Permission.HOOK_CHANGE)
    idle = {*STARLARK_FUNCTIONS.values(), Permission.HOOK_OBSERVE, Permission.HOOK_CHANGE} - needed
    for item in node.items:
        if isinstance(item, Scalar) and item.value in idle:
            yield match_at(active.file.path, item, {"permission": item.value})


def _host_calls(active: ActiveSkill, manifest: Manifest) -> HostCalls:
    implementation = manifest.implementation
    ending = _ENDINGS.get(implementation.backend) if implementation else None
    if ending is None:
        return HostCalls((), False)
    found: list[HostCall] = []
    is_all = True
    for entry in active.skill.listing.entries:
        if entry.kind is not FILE or not entry.relative.endswith(ending):
            continue
        document = active.skill.read(entry.relative)
        tree = parsed(document.text) if isinstance(document, Document) else None
        if tree is None or not isinstance(document, Document):
            is_all = False
        else:
            find = _in_starlark if ending == ".star" else _in_plugin
            found += [*find(tree, document), *_hooks(tree, document)]
            # A method can be looked up by a text that nothing shows.
            is_all = is_all and not (ending == ".py" and "getattr" in document.text)
    if manifest.tools or any(call.function in _OWN for call in found):
        # Its hooks may be for these alone.
        found = [call._replace(sure=call.sure and call.function != _HOOK) for call in found]
    return HostCalls(tuple(sorted(found, key=lambda call: (call.path, call.at))), is_all)


def _hooks(tree: ast.AST, document: Document) -> Iterator[HostCall]:
    """Hooks on calls, of which those of others need a permission; and what registers calls of its own."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in (_HOOK, *_OWN):
                phases = [*node.args[:1], *(each.value for each in node.keywords if each.arg == "phase")]
                phase = phases[0].value if phases and isinstance(phases[0], ast.Constant) else None
                if name in _OWN or phase is None or phase in _ON_CALLS:
                    at, is_sure = position(node, document), name == _HOOK and phase is not None
                    yield HostCall(name, Permission.HOOK_OBSERVE, document.path, at, is_sure)


def _in_starlark(tree: ast.AST, document: Document) -> Iterator[HostCall]:
    own = {name for node in ast.walk(tree) for name in bound_names(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in STARLARK_FUNCTIONS and node.id not in own:
            yield HostCall(node.id, STARLARK_FUNCTIONS[node.id], document.path, position(node, document), True)


def _in_plugin(tree: ast.AST, document: Document) -> Iterator[HostCall]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in PLUGIN_METHODS:
            holder = node.value
            name = holder.id if isinstance(holder, ast.Name) else getattr(holder, "attr", "")
            permission = PLUGIN_METHODS[node.attr]
            yield HostCall(node.attr, permission, document.path, position(node, document), name in _CONTEXTS)
