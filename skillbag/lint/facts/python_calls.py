"""What calls of Python do with data: the tables of functions that take, send, run or store it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.lint.facts.paths import file_name, secret_kind
from skillbag.lint.facts.python_commands import command_of, lists_of, quoted
from skillbag.lint.facts.python_values import UNKNOWN, AssignedValues, dotted
from skillbag.lint.facts.values import Act, ActKind, Origin, OriginKind

_INERT = frozenset(
    "len bool isinstance issubclass hasattr hash id type any all callable sum min max print".split()  # noqa: SIM905
)
"""Functions whose result tells nothing of what they are given."""
_SEND_FUNCTIONS_WORDS = """
    urllib.request.urlopen urlopen urllib.urlopen urllib2.urlopen aiohttp.request requests.request httpx.request
    httpx.stream urllib3.request websocket.create_connection discord_webhook.DiscordWebhook"""
_SEND_FUNCTIONS = frozenset(_SEND_FUNCTIONS_WORDS.split())
_SEND_METHODS_WORDS = """
    sendall sendto sendmail send_message storbinary storlines put_object upload_file upload_fileobj send_document"""
_SEND_METHODS = frozenset(_SEND_METHODS_WORDS.split())
_CLIENT_METHODS = frozenset("post put patch request send publish get delete head upload upload_blob setopt".split())  # noqa: SIM905
_CLIENT = late(
    r"(?i)(?:^|[._])(?:requests|httpx|aiohttp|urllib3|session|sess|client|http|https?connection|conn|connection|api|s|ws"
    r"|websocket|sock|socket|bot|webhook|server|smtp|ftp|pool|poolmanager|\w*clientsession|asyncclient|sftp|s3"
    r"|from_transport|open_sftp|websockets\.connect|telebot|curl|smtp_ssl|ftp_tls)\d*(?:\.\(\)|\(\))*$"
)
_RESOLVERS = frozenset("getaddrinfo gethostbyname gethostbyname_ex getfqdn".split())  # noqa: SIM905
_RUN_WORDS = """
    exec eval builtins.exec builtins.eval runpy.run_path execfile code.interact runpy.run_module
    importlib.import_module"""
_RUN = frozenset(_RUN_WORDS.split())
_PROCESS = late(
    r"(?:^|\.)(?:os\.(?:system|popen|exec[a-z]+|spawn[a-z]+|posix_spawnp?|startfile)"
    r"|(?:subprocess|sp)\.(?:run|call|check_call|check_output|Popen|getoutput|getstatusoutput)"
    r"|asyncio\.create_subprocess_(?:shell|exec)|pty\.spawn|commands\.getoutput|ctypes\.CDLL|ctypes\.cdll\.LoadLibrary)$"
)
_LOADERS_WORDS = """
    pickle.load pickle.loads dill.load dill.loads cloudpickle.load cloudpickle.loads joblib.load yaml.unsafe_load"""
_LOADERS = frozenset(_LOADERS_WORDS.split())
_DECODERS = late(
    r"(?:^|\.)(?:b64decode|urlsafe_b64decode|standard_b64decode|b32decode|b16decode|b85decode|a85decode|decodebytes"
    r"|unhexlify|fromhex|codecs\.decode|zlib\.decompress|gzip\.decompress|bz2\.decompress|lzma\.decompress|marshal\.loads?)$"
)
_FETCHERS = late(
    r"(?i)(?:^|[._])(?:(?:requests|httpx|\w*session|\w*client|http|urllib3|poolmanager)(?:\.\(\))?\.(?:get|post|request)"
    r"|httpsconnection\.getresponse|urlopen|urlretrieve"
    r"|wget\.download|download_file)$"
)
_INPUT_CALLS = (
    (late(r"(?:^|\.)(?:pyperclip|clipboard)\.paste$|\.clipboard_get$|GetClipboardData$"), OriginKind.CLIPBOARD),
    (
        late(r"(?:^|\.)(?:ImageGrab\.grab|pyautogui\.screenshot)$|(?:^|\.)mss\.mss\.\(\)\.(?:grab|shot)$"),
        OriginKind.SCREEN,
    ),
    (
        late(r"(?:^|\.)(?:getpass\.getpass|simpledialog\.askstring)$|\(\)\.askstring$|^(?:getpass|askstring)$"),
        OriginKind.PASSWORD,
    ),
    (
        late(
            r"(?:^|\.)(?:keyring\.get_password|(?i:\w*session)\w*(?:\.\(\))?\.get_credentials|google\.auth\.default)$"
            r"|AzureCredential\.\(\)\.get_token$|^(?:browser_cookie3|browsercookie|rookiepy|pycookiecheat)\.\w+$"
        ),
        OriginKind.TOKEN,
    ),
)
_INTERPRETER = "python3"
_OPENS = frozenset("open io.open codecs.open os.open gzip.open zipfile.ZipFile tarfile.open sqlite3.connect".split())  # noqa: SIM905
_READS = frozenset("read_text read_bytes open".split())  # noqa: SIM905
_TAKES_PATHS = frozenset("read write add put upload_file upload upload_blob upload_from_filename fput_object".split())  # noqa: SIM905
_LISTS = frozenset("listdir walk scandir glob iglob rglob iterdir".split())  # noqa: SIM905
_WRITES = frozenset("write_text write_bytes".split())  # noqa: SIM905
_COPIES = late(r"(?:^|\.)shutil\.(?:copy|copy2|copyfile|copytree|move|make_archive)$|^os\.(?:rename|replace)$")
_STORES = frozenset("urllib.request.urlretrieve urlretrieve wget.download".split())  # noqa: SIM905


class Callee(NamedTuple):
    """A call: the dotted `name` of what is called and its last part; `known`: a table names it.

    `texts` are what its first argument, or what holds the method, may be; `reads` and `writes` are files by their name,
    `lines` the command lines that a process may get, `given` the expression of an address that is not known,
    `folder` what an archive is unpacked into.
    """

    name: str
    method: str
    known: bool
    texts: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    sends: bool = False
    lines: tuple[str, ...] = ()
    given: str = ""
    folder: str = ""

    @property
    def takes_paths(self) -> bool:
        """Whether the method has a path whose file it takes."""
        return bool(self.reads) and self.method in _TAKES_PATHS

    @classmethod
    def of(cls, name: str, node: ast.Call, values: AssignedValues) -> Callee:
        """The call `node`, whose callee has the dotted `name`."""
        method = name.rpartition(".")[2]
        first = values.texts(address_of(method, node))
        holder = name.rpartition(".")[0]
        starts = is_process(name)
        reads, writes = (_words(node, values), []) if starts else _files(name, method, node, values)
        client = method in _CLIENT_METHODS and (bool(_CLIENT().search(holder)) or _is_address(first))
        known = client or starts or name in _RUN or name in _SEND_FUNCTIONS
        return cls(
            name,
            method,
            known,
            tuple(first),
            tuple(map(file_name, reads)),
            tuple(map(file_name, writes)),
            client,
            _lines(name, node, values) if starts else (),
            ast.unparse(node.args[0])[:60] if first == [UNKNOWN] and node.args and _FETCHERS().search(name) else "",
            _folder(name, method, node, values),
        )


def _lines(name: str, node: ast.Call, values: AssignedValues) -> tuple[str, ...]:
    """The command lines that a call gives to a shell, or to a program as a list of words; `UNKNOWN` stays in them."""
    first = command_of(name, node)
    if first is None:
        return ()
    lists = lists_of(first, values)
    found = [line for words in lists for line in _joined(words, values)]
    return tuple(found if lists else (text for text in values.texts(first) if text != UNKNOWN))


def _joined(words: Sequence[ast.expr], values: AssignedValues) -> Iterator[str]:
    """A list of words as command lines, one for each program that the first word may be."""
    rest = [quoted(values.texts(word)[0]) for word in words[1:] if not isinstance(word, ast.Starred)]
    for word in words[:1]:
        programs = [_INTERPRETER] if dotted(word) == "sys.executable" else map(quoted, values.texts(word))
        yield from (" ".join([program, *rest]) for program in programs)


def address_of(method: str, node: ast.Call) -> ast.expr | None:
    """The argument that says what a call is about: the first, or the address of a request."""
    at = int(method in ("request", "stream") and len(node.args) > 1)
    return node.args[at] if node.args else next((each.value for each in node.keywords if each.arg == "url"), None)


def is_process(name: str) -> bool:
    """Whether what a dotted name calls starts a program."""
    return _PROCESS().search(name) is not None


def is_fetch(callee: Callee) -> bool:
    """Whether a call gets something from an address."""
    return callee.name in _SEND_FUNCTIONS or _FETCHERS().search(callee.name) is not None


def _folder(name: str, method: str, node: ast.Call, values: AssignedValues) -> str:
    """The folder that an archive is unpacked into; empty for other calls."""
    at = {"extractall": 0, "extract": 1, "unpack_archive": 1}.get(method)
    if at is None:
        return ""
    named = next((each.value for each in node.keywords if each.arg in ("path", "extract_dir")), None)
    place = node.args[at] if len(node.args) > at else named
    return file_name(values.texts(place)[0]) if place is not None else "."


def program_of(callee: Callee, first: list[ast.expr]) -> ast.expr | None:
    """The part of a command that is code of a name known at run time: the program, or an interpreter's file."""
    if not callee.lines:
        return None
    words = callee.lines[0].split()
    unknown = f'"{UNKNOWN}"'
    if words[:1] == [unknown]:
        return first[0]
    plain = [word for word in words if not word.startswith("-")]
    if len(words) > 1 and _CODE_INPUT().search(words[0]) and plain[1:2] == [unknown] and words[1] not in ("-m", "-c"):
        return first[words.index(unknown)]
    return None


def is_client(name: str) -> bool:
    """Whether what a dotted name calls gives a connection."""
    return _CLIENT().search(name) is not None


_CODE_INPUT = late(r"(?:\A|/)(?:(?:ba|z|da|k)?sh|python[\d.]*|node|perl|ruby|php|pwsh)\Z")


def runs_input(callee: Callee) -> bool:
    """Whether a call starts an interpreter that has its code from its input."""
    if not _PROCESS().search(callee.name):
        return False
    lines = [[word for word in line.replace("'", "").split() if word != "-s" and word != "-"] for line in callee.lines]
    return any(len(words) == 1 and _CODE_INPUT().search(words[0]) for words in lines)


def _is_address(texts: list[str]) -> bool:
    return any(text.startswith(("http://", "https://", "ws://", "wss://")) for text in texts)


def _files(name: str, method: str, node: ast.Call, values: AssignedValues) -> tuple[list[str], list[str]]:
    """The files that a call reads and those that it writes, as texts."""
    first = [text for text in values.texts(node.args[0]) if text != UNKNOWN] if node.args else []
    held = (
        [text for text in values.texts(node.func.value) if text != UNKNOWN]
        if isinstance(node.func, ast.Attribute)
        else []
    )
    if name in _OPENS or name.endswith(".open_file"):
        return ([], first) if _writes(node, 1) else (first, [])
    if method in _READS and held:
        return ([], held) if method == "open" and _writes(node, 0) else (held, [])
    if method in _TAKES_PATHS:
        return [text for text in first if secret_kind(file_name(text))], []
    if name in ("runpy.run_path", "execfile"):
        return first, []
    if method in _LISTS:
        return [text for text in values.texts(node) if secret_kind(file_name(text))], []
    if name == "importlib.import_module":
        return [f"{text.replace('.', '/')}.py" for text in first], []
    if method in _WRITES:
        return [], held
    if name in _STORES and len(node.args) > 1:
        return [], values.texts(node.args[1])
    if name.endswith("make_archive") and len(node.args) > 2:
        ending = values.texts(node.args[1])[0].replace("gztar", "tar.gz").replace("bztar", "tar.bz2")
        return values.texts(node.args[2]), [f"{text}.{ending}" for text in first]
    if _COPIES().search(name) and len(node.args) > 1:
        return first, values.texts(node.args[1])
    return [], []


def _words(node: ast.Call, values: AssignedValues) -> list[str]:
    """The program that a call starts and, behind an interpreter, its file."""
    first = node.args[0] if node.args else None
    elements = first.elts[:3] if isinstance(first, ast.List | ast.Tuple) else [first]
    texts = (text for element in elements if element is not None for text in values.texts(element))
    return [text for text in texts if UNKNOWN not in text and "\n" not in text]


def _writes(node: ast.Call, at: int) -> bool:
    mode = node.args[at] if len(node.args) > at else next((k.value for k in node.keywords if k.arg == "mode"), None)
    return isinstance(mode, ast.Constant) and isinstance(mode.value, str) and bool(set(mode.value) & set("wax+"))


def is_inert(callee: Callee) -> bool:
    """Whether the result of a call tells nothing of what it is given."""
    return callee.name in _INERT or callee.name.startswith(("logging.", "logger.", "log."))


def act_of(callee: Callee, start: int, end: int) -> Act | None:
    """What a call does with what it is given, if a table has it."""
    kind: ActKind | None = None
    name, method = callee.name, callee.method
    if name in _SEND_FUNCTIONS or method in _SEND_METHODS or callee.sends:
        kind = ActKind.SENDS
    elif method in _RESOLVERS or name.startswith("dns.resolver.") or name == "dns.resolver.resolve":
        kind = ActKind.RESOLVES
    elif name in _RUN:
        kind = ActKind.RUNS
    elif _PROCESS().search(name):
        kind = ActKind.STARTS
    elif name in _LOADERS:
        kind = ActKind.LOADS
    return None if kind is None else Act(kind, _host(callee.texts), f"{name}"[:60], start, end)


def _host(texts: tuple[str, ...]) -> str:
    for text in texts:
        scheme, found, rest = text.partition("://")
        if found and len(scheme) < 8:
            return rest.partition("/")[0].replace(UNKNOWN, "…")
    return ""


def source_of(callee: Callee, start: int, end: int) -> tuple[Origin, ...]:
    """What a call takes: secret files, downloads, decoded texts, what the user types, copies or sees."""
    name, found = callee.name, list[Origin]()
    for path in callee.reads:
        if kind := secret_kind(path):
            found.append(Origin(kind, path, start, end))
    if _FETCHERS().search(name):
        address = next((text for text in callee.texts if text != UNKNOWN), callee.given or "…")
        found.append(Origin(OriginKind.DOWNLOAD, address.replace(UNKNOWN, "…"), start, end))
    elif _DECODERS().search(name):
        found.append(Origin(OriginKind.DECODED, callee.method, start, end))
    for form, taken in _INPUT_CALLS:
        if form().search(name):
            found.append(Origin(taken, name, start, end))
    return tuple(found)
