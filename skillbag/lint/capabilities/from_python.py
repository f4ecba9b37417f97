"""Facts of Python code, read from its syntax tree; what does not parse is read by nothing here."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.capabilities.facts import FactKind, FactPlace, FoundFact
from skillbag.lint.capabilities.from_shell import called
from skillbag.lint.capabilities.hosts import bucket, host_of, is_public
from skillbag.lint.capabilities.shortening import shortened
from skillbag.lint.facts.python_values import UNKNOWN, AssignedValues, dotted, named
from skillbag.lint.facts.units import Unit
from skillbag.lint.signals.packages import marks_of, packages
from skillbag.lint.signals.programs import BUILTINS, ProgramRun, plain_name
from skillbag.lint.signals.shell_commands import Word
from skillbag.lint.signals.syntax_trees import nodes_of, parsed
from skillbag.lint.signals.variables import ORDINARY, is_secret
from skillbag.lint.signals.writes import is_system, outside

_LARGEST = 400_000
"""Most characters of a file whose tree is built."""
_CLIENTS = late(
    r"(?:^|\.)(?:requests|httpx|aiohttp|urllib3|session|client|http|sess|s|_session|_client|scraper)(?:\.\(\))?$"
)
_BROWSERS = late(r"(?:^|\.)(?:page|tab|frame|browser|driver|context|popup)\d?$")
_OBJECTS = {"upload_file": 1, "upload_fileobj": 1, "download_file": 0, "download_fileobj": 0, "Bucket": 0}
"""Methods of boto3 with the place of the bucket among their arguments; others take it by name."""
_OBJECT_METHODS = frozenset(
    ["put_object", "get_object", "delete_object", "list_objects", "list_objects_v2", "head_object"]
)
_METHODS_WORDS = "get post put patch delete head options request stream"
_METHODS = frozenset(_METHODS_WORDS.split())
_OPENERS = frozenset(["urlopen", "urlretrieve", "Request", "create_connection", "ws_connect"])
_STARTERS_WORDS = "run call check_call check_output Popen getoutput getstatusoutput"
_STARTERS = frozenset(_STARTERS_WORDS.split())
_SYSTEM = frozenset(["os.system", "os.popen"])
_EXEC = late(r"os\.(?:exec|spawn|posix_spawn)[a-z]*$")
_SENDING = frozenset(["post", "put", "patch", "delete"])
_WRITERS_WORDS = "write_text write_bytes mkdir touch unlink rmdir symlink_to rename"
_WRITERS = frozenset(_WRITERS_WORDS.split())
_MODULE_WRITERS_WORDS = (
    "os.makedirs os.mkdir os.remove os.unlink os.rename os.symlink shutil.copy shutil.copy2 shutil.copytree "
    "shutil.move shutil.rmtree shutil.copyfile"
)
_MODULE_WRITERS = frozenset(_MODULE_WRITERS_WORDS.split())
_NETWORK_WORDS = "playwright pyppeteer selenium webdriver page.goto requests httpx aiohttp urllib http.client websocket"
_NETWORK = tuple(_NETWORK_WORDS.split())


def python_facts(unit: Unit) -> Iterator[FoundFact]:
    """The facts of a script or a code block."""
    text = unit.text
    if len(text) > _LARGEST:
        return
    shifted = textwrap.dedent(text) if text[:1] in " \t" else text
    tree = parsed(shifted)
    if tree is None:
        return
    indent = len(text.split("\n", 1)[0]) - len(shifted.split("\n", 1)[0])
    yield from _Python(unit, tree, indent).facts()


def _is_environment(node: ast.expr) -> bool:
    return dotted(node) in ("os.environ", "environ")


class _Python:
    def __init__(self, unit: Unit, tree: ast.Module, indent: int) -> None:
        self.unit, self.indent = unit, indent
        # The only walk over the tree: it takes longer than all that is asked of its nodes.
        self.nodes = nodes_of(tree)
        self.first = unit.position(0).line
        self.lines = unit.text.split("\n")
        self.values = AssignedValues(self.nodes, {})
        self.has_network = any(word in unit.text for word in _NETWORK)
        self.has_subprocess = "subprocess" in unit.text

    def _found(self, kind: FactKind, value: str, node: ast.expr, *marks: str, detail: str = "") -> FoundFact:
        line = self.lines[node.lineno - 1] if node.lineno <= len(self.lines) else ""
        column = len(line.encode()[: node.col_offset + self.indent].decode("utf-8", "replace")) + 1
        place = FactPlace(self.unit.file.relative, self.first + node.lineno - 1, column)
        return FoundFact(kind, value, place, (self.unit.origin, *filter(None, marks)), detail)

    def facts(self) -> Iterator[FoundFact]:
        for node in self.nodes:
            if isinstance(node, ast.Call):
                name = dotted(node.func)
                yield from self._started(node, name)
                yield from self._variable(node, name)
                yield from self._written(node, name)
                if "boto3" in self.unit.text:
                    yield from self._stored(node)
                if self.has_network:
                    yield from self._contacted(node, name)
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and _is_environment(node.value):
                yield from self._named_variable(node.slice, node)
        if "environ" in self.unit.text:
            yield from self._whole_environment()

    def _contacted(self, node: ast.Call, name: str) -> Iterator[FoundFact]:
        method = named(node.func) or ""
        holder = name.rpartition(".")[0]
        is_client = method in _METHODS and bool(_CLIENTS().search(holder))
        is_client = is_client or (method in ("goto", "get") and bool(_BROWSERS().search(holder)))
        if not (is_client or method in _OPENERS):
            return
        given = node.args[1:2] if method in ("request", "stream") and len(node.args) > 1 else node.args[:1]
        address = given[0] if given else next((each.value for each in node.keywords if each.arg == "url"), None)
        if address is None:
            return
        keywords = {keyword.arg for keyword in node.keywords}
        verb = method
        if method in ("request", "stream") and node.args and isinstance(node.args[0], ast.Constant):
            verb = str(node.args[0].value).lower()
        sends = "sends" if verb in _SENDING or keywords & {"data", "json", "files"} else ""
        if isinstance(address, ast.Call) and named(address.func) == "Request":
            return
        known = False
        for text in self.values.texts(address):
            host = host_of(text.replace(UNKNOWN, "{}"))
            known = known or bool(host) or (host is None and "://" in text)
            if host:
                yield self._found(FactKind.HOST, host, node, sends, "public-address" if is_public(host) else "")
        certain = (is_client and holder.rpartition(".")[2] in ("requests", "httpx")) or method in (
            "urlopen",
            "urlretrieve",
        )
        if not known and certain and not self._is_request(address):
            yield self._found(FactKind.UNKNOWN_HOST, shortened(ast.unparse(address), 60), node, sends)

    def _is_request(self, node: ast.expr) -> bool:
        """Whether a name stands for a request, whose address is found where it is made."""
        values = self.values.assigned.get(named(node) or "", ())
        return any(isinstance(value, ast.Call) and named(value.func) == "Request" for value in values)

    def _stored(self, node: ast.Call) -> Iterator[FoundFact]:
        """Buckets that calls of boto3 name."""
        method = named(node.func) or ""
        if method not in _OBJECTS and method not in _OBJECT_METHODS:
            return
        given = next((each.value for each in node.keywords if each.arg == "Bucket"), None)
        at = _OBJECTS.get(method, len(node.args))
        if given is None and at < len(node.args):
            given = node.args[at]
        if given is None:
            return
        for text in self.values.texts(given):
            found = bucket(text.replace(UNKNOWN, "{}"))
            if found is not None:
                sends = "sends" if method.startswith(("upload", "put")) else ""
                kind, value = (
                    (FactKind.HOST, found) if found else (FactKind.UNKNOWN_HOST, shortened(ast.unparse(given), 60))
                )
                yield self._found(kind, value, node, sends)

    def _started(self, node: ast.Call, name: str) -> Iterator[FoundFact]:
        method = named(node.func) or ""
        if name in _SYSTEM or name == "asyncio.create_subprocess_shell":
            yield from self._command_line(node)
        elif _EXEC().match(name):
            yield from self._program(node, node.args[:1])
        elif name == "asyncio.create_subprocess_exec":
            yield from self._program(node, node.args)
        elif method in _STARTERS and self.has_subprocess and name in (method, f"subprocess.{method}", f"sp.{method}"):
            if name == method and method in ("run", "call") and f"import {method}" not in self.unit.text:
                return
            shell = any(each.arg == "shell" and getattr(each.value, "value", True) for each in node.keywords)
            if shell or method.startswith("get"):
                yield from self._command_line(node)
            else:
                yield from self._programs(node)

    def _command_line(self, node: ast.Call) -> Iterator[FoundFact]:
        for text in self.values.texts(node.args[0] if node.args else None):
            line = text.replace(UNKNOWN, "$_")
            if line.strip() == "$_":
                yield self._found(FactKind.PROGRAM, "(decided at run time)", node, "shell", "run-time")
                continue
            yield from called(self.unit, line, self._found(FactKind.PROGRAM, "", node).place)

    def _programs(self, node: ast.Call) -> Iterator[FoundFact]:
        argument = (
            node.args[0] if node.args else next((each.value for each in node.keywords if each.arg == "args"), None)
        )
        for value in self._lists(argument):
            if isinstance(value, ast.List | ast.Tuple):
                yield from self._program(node, value.elts)
            elif isinstance(value, ast.Constant | ast.JoinedStr):
                yield from self._program(node, [value])
            else:
                yield self._found(FactKind.PROGRAM, "(decided at run time)", node, "run-time")

    def _lists(self, node: ast.expr | None, depth: int = 0) -> Iterator[ast.expr]:
        """The lists that an expression may be."""
        match node:
            case None:
                return
            case ast.BinOp(op=ast.Add()):
                yield from self._lists(node.left, depth + 1)
            case ast.Name() | ast.Attribute() if depth < 4 and (name := named(node)) in self.values.assigned:
                for value in self.values.assigned[name or ""]:
                    yield from self._lists(value, depth + 1)
            case ast.Call() if named(node.func) in ("list", "split") and isinstance(
                node.func, ast.Attribute | ast.Name
            ):
                inner = node.args[0] if node.args else getattr(node.func, "value", None)
                yield from self._lists(inner, depth + 1) if depth < 4 else ()
            case _:
                yield node

    def _program(self, node: ast.Call, words: list[ast.expr]) -> Iterator[FoundFact]:
        if not words or isinstance(words[0], ast.Starred):
            yield self._found(FactKind.PROGRAM, "(decided at run time)", node, "run-time")
            return
        if dotted(words[0]) == "sys.executable":
            first = ["python"]
        else:
            first = [text.split()[0] for text in self.values.texts(words[0]) if text.strip()]
        rest = tuple(self._word(word) for word in words[1:] if not isinstance(word, ast.Starred))
        for name in first:
            if UNKNOWN in name:
                yield self._found(FactKind.PROGRAM, "(decided at run time)", node, "run-time")
                continue
            run = ProgramRun(name, rest, (), 0)
            if name == "sudo":
                yield self._found(FactKind.RIGHTS, f"sudo {rest[0].text if rest else ''}".strip(), node)
            if plain_name(run) not in BUILTINS:
                yield self._found(FactKind.PROGRAM, plain_name(run), node)
            for package in packages(run):
                if UNKNOWN not in package.name:
                    yield self._found(FactKind.PACKAGE, f"{package.manager}:{package.name}", node, *marks_of(package))

    def _word(self, node: ast.expr) -> Word:
        text = self.values.texts(node)[0]
        return Word(text, text, 0, 0)

    def _variable(self, node: ast.Call, name: str) -> Iterator[FoundFact]:
        if name in ("os.getenv", "getenv", "os.environ.get", "environ.get", "os.environ.pop") and node.args:
            yield from self._named_variable(node.args[0], node)

    def _named_variable(self, key: ast.expr, node: ast.expr) -> Iterator[FoundFact]:
        for text in self.values.texts(key):
            if UNKNOWN not in text and text not in ORDINARY and text:
                yield self._found(FactKind.VARIABLE, text, node, "secret" if is_secret(text) else "")

    def _whole_environment(self) -> Iterator[FoundFact]:
        for node in self.nodes:
            inner: ast.expr | None = None
            match node:
                case ast.For(iter=ast.Call(func=ast.Attribute(value=value, attr="items" | "keys" | "values"))):
                    inner = value
                case ast.For(iter=value) | ast.comprehension(iter=value):
                    inner = (
                        value.func.value
                        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)
                        else value
                    )
                case ast.Call(func=ast.Attribute(attr="dumps"), args=[ast.Call(args=[value]) | value, *_]):
                    inner = value
            if inner is not None and dotted(inner) == "os.environ":
                yield self._found(FactKind.VARIABLE, "(all)", inner, "all")

    def _written(self, node: ast.Call, name: str) -> Iterator[FoundFact]:
        target: ast.expr | None = None
        method = named(node.func)
        if name in ("open", "io.open", "codecs.open") and node.args:
            mode = (
                node.args[1] if len(node.args) > 1 else next((k.value for k in node.keywords if k.arg == "mode"), None)
            )
            if isinstance(mode, ast.Constant) and isinstance(mode.value, str) and set(mode.value) & set("wax+"):
                target = node.args[0]
        elif name in _MODULE_WRITERS and node.args:
            target = node.args[-1]
        elif method in _WRITERS and isinstance(node.func, ast.Attribute):
            target = node.func.value
        for text in self.values.texts(target) if target is not None else ():
            path = outside(text.partition(UNKNOWN)[0])
            if path is not None and len(path) > 1:
                removed = "removed" if method in ("unlink", "rmdir", "rmtree", "remove") else ""
                yield self._found(FactKind.WRITE_OUTSIDE, path, node, "system" if is_system(path) else "", removed)
