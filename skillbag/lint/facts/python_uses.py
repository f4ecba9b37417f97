"""What Python code uses, by the tables of calls that flows are followed with."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.facts.python_calls import Callee, address_of, is_client, is_fetch, is_process
from skillbag.lint.facts.python_commands import PART
from skillbag.lint.facts.python_links import PythonLinks
from skillbag.lint.facts.python_names import CalledNames
from skillbag.lint.facts.python_values import UNKNOWN, AssignedValues, dotted, named
from skillbag.lint.facts.skill_files import FilesBeside
from skillbag.lint.facts.uses import Use, UseKind
from skillbag.lint.signals.syntax_trees import nodes_of

_LIBRARIES = late(r"(?:requests|httpx|aiohttp|urllib[23]?)\.|(?:^|\.)url(?:open|retrieve)$")
"""Calls that contact a host, even where nothing of its address is known."""
_BROWSERS = late(r"(?:^|\.)(?:page|tab|frame|browser|driver|context|popup)\d?\.(?:goto|get)$")
_OPENERS = frozenset(["Request", "create_connection", "ws_connect", "urlretrieve"])
_SENDING = frozenset(["post", "put", "patch", "delete"])
_BODIES = frozenset(["data", "json", "files"])
_BUCKETS_WORDS = "put_object get_object delete_object list_objects list_objects_v2 head_object"
_BUCKETS = {
    "upload_file": 1,
    "upload_fileobj": 1,
    "download_file": 0,
    "download_fileobj": 0,
    "Bucket": 0,
    **dict.fromkeys(_BUCKETS_WORDS.split(), 9),
}
"""Methods of boto3 with the place of the bucket among their arguments; others take it by its name."""
_SHELLS_WORDS = "os.system os.popen asyncio.create_subprocess_shell subprocess.getoutput subprocess.getstatusoutput"
_SHELLS = frozenset(_SHELLS_WORDS.split())
_VARIABLES = frozenset(["os.getenv", "getenv", "os.environ.get", "environ.get", "os.environ.pop"])
_ENVIRONMENT = frozenset(["os.environ", "environ"])
_CHANGING = frozenset(["mkdir", "touch", "unlink", "rmdir", "symlink_to", "rename"])
_CHANGES_WORDS = "os.makedirs os.mkdir os.remove os.unlink os.symlink os.rename shutil.rmtree"
_CHANGES = frozenset(_CHANGES_WORDS.split())
_REMOVING = frozenset(["unlink", "rmdir", "rmtree", "remove"])


def python_uses(tree: ast.Module, offset_of: Callable[[int, int], int]) -> Iterator[Use]:
    """The uses of a file or block, at offsets that `offset_of(line, column)` gives."""
    yield from _Reader(tree, offset_of).uses()


class _Reader:
    def __init__(self, tree: ast.Module, offset_of: Callable[[int, int], int]) -> None:
        self.nodes, self.offset_of = nodes_of(tree), offset_of
        self.values = AssignedValues(self.nodes, {})
        self.names = CalledNames(self.nodes, self.values, PythonLinks(self.nodes, FilesBeside()))
        self.has_buckets = any("boto" in module for module in (*self.names.modules, *self.names.aliases.values()))

    def uses(self) -> Iterator[Use]:
        for node in self.nodes:
            match node:
                case ast.Call():
                    yield from self._call(node, Callee.of(self.names.of(node.func), node, self.values))
                case ast.Subscript(ctx=ast.Load(), value=value, slice=key) if self._is_environment(value):
                    yield self._use(UseKind.VARIABLE, node, key)
                case ast.For(iter=value) | ast.comprehension(iter=value):
                    yield from self._whole(value)

    def _use(self, kind: UseKind, node: ast.expr, given: ast.expr | None, *marks: str) -> Use:
        shown = ast.unparse(given) if given is not None and kind is UseKind.CONTACTS else ""
        return Use(kind, tuple(self.values.texts(given)), self._place(node), marks, shown)

    def _place(self, node: ast.expr) -> int:
        return self.offset_of(node.lineno, node.col_offset)

    def _is_environment(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name | ast.Attribute) and self.names.of(node) in _ENVIRONMENT

    def _whole(self, node: ast.expr) -> Iterator[Use]:
        """The environment where all of it is gone through."""
        inner = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else node
        if self._is_environment(inner):
            yield self._use(UseKind.ALL_VARIABLES, inner, None)

    def _call(self, node: ast.Call, callee: Callee) -> Iterator[Use]:
        if is_process(callee.name):
            yield from self._started(node, callee)
        elif callee.name in _VARIABLES and node.args:
            yield self._use(UseKind.VARIABLE, node, node.args[0])
        elif callee.method == "dumps" and node.args:
            given = node.args[0]
            yield from self._whole(given.args[0] if isinstance(given, ast.Call) and given.args else given)
        elif self.has_buckets and callee.method in _BUCKETS:
            yield from self._stored(node, callee.method)
        elif self._contacts(callee):
            yield from self._contacted(node, callee)
        paths = callee.writes or self._changed(node, callee)
        if paths:
            removed = ("removed",) if callee.method in _REMOVING else ()
            yield Use(UseKind.WRITES, tuple(paths), self._place(node), removed)

    def _contacts(self, callee: Callee) -> bool:
        holder, _, method = callee.name.rpartition(".")
        is_sending = callee.sends and (method not in ("get", "delete") or is_client(holder))
        return is_sending or method in _OPENERS or is_fetch(callee) or bool(_BROWSERS().search(callee.name))

    def _contacted(self, node: ast.Call, callee: Callee) -> Iterator[Use]:
        verb = callee.method
        if verb in ("request", "stream") and node.args:
            verb = self.values.texts(node.args[0])[0].lower()
        sends = verb in _SENDING or not _BODIES.isdisjoint(each.arg for each in node.keywords)
        address = address_of(callee.method, node)
        if address is None or self._is_request(address):
            return
        use = self._use(UseKind.CONTACTS, node, address, *(("sends",) if sends else ()))
        is_certain = bool(_LIBRARIES().search(callee.name))
        yield use if is_certain else use._replace(shown="")

    def _is_request(self, node: ast.expr) -> bool:
        """Whether it is a request, whose address is found where it is made."""
        given = [node, *self.values.assigned.get(named(node) or "", ())]
        return any(isinstance(each, ast.Call) and named(each.func) == "Request" for each in given)

    def _stored(self, node: ast.Call, method: str) -> Iterator[Use]:
        """Buckets of an object store."""
        at = _BUCKETS[method]
        given = next((each.value for each in node.keywords if each.arg == "Bucket"), None)
        given = node.args[at] if given is None and at < len(node.args) else given
        if given is not None:
            use = self._use(
                UseKind.CONTACTS, node, given, *(("sends",) if method.startswith(("upload", "put")) else ())
            )
            yield use._replace(texts=tuple(f"s3://{text}" for text in use.texts))

    def _started(self, node: ast.Call, callee: Callee) -> Iterator[Use]:
        shell = callee.name in _SHELLS or any(
            each.arg == "shell" and getattr(each.value, "value", True) for each in node.keywords
        )
        if not callee.name.startswith("ctypes."):
            lines = tuple(line.replace(PART, UNKNOWN) for line in callee.lines)
            yield Use(UseKind.STARTS, lines, self._place(node), ("shell",) if shell else ())

    def _changed(self, node: ast.Call, callee: Callee) -> list[str]:
        """The files that a call makes, moves or removes without a value that it gets."""
        if callee.name in _CHANGES and node.args:
            return self.values.texts(node.args[-1])
        if callee.method in _CHANGING and isinstance(node.func, ast.Attribute) and dotted(node.func) not in _CHANGES:
            return self.values.texts(node.func.value)
        return []
