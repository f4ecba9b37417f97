"""What calls of JavaScript do with data: the tables of functions that take, send, run or store it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.facts.carried import Carried
from skillbag.lint.facts.paths import secret_kind
from skillbag.lint.facts.values import Act, ActKind, Origin, OriginKind

READ = late(
    r"(?:^|\.)(?:readFile(?:Sync)?|createReadStream|readTextFile(?:Sync)?|Bun\.file|copyFile(?:Sync)?|openSync|openAsBlob"
    r"|fs(?:/promises|\.promises)?\.open|Deno\.open|readJson(?:Sync)?|(?:file|blob)From(?:Path)?(?:Sync)?"
    r"|sendMail|fastPut|uploadFrom|sendDocument)$"
)
"""What takes a file by its path, for a program or to send it."""
WRITE = late(r"(?:^|\.)(?:writeFile(?:Sync)?|appendFile(?:Sync)?|createWriteStream|writeTextFile(?:Sync)?|Bun\.write)$")
_FETCH = late(
    r"(?:^|\.)(?:fetch|https?\.(?:get|request)|got(?:\.get)?|axios(?:\.create\(\))?(?:\.(?:get|request))?|ky(?:\.get)?"
    r"|needle(?:\.get)?|superagent\.get|undici\.(?:request|stream)|phin|bent\(\))$|^request(?:\.get)?$"
)
SEND = late(
    r"(?:^|\.)(?:fetch|axios(?:\.\w+)?|got(?:\.\w+)?|ky(?:\.\w+)?|needle(?:\.\w+)?|https?\.(?:request|get)|sendBeacon|sendMail"
    r"|superagent\.\w+|undici\.\w+|XMLHttpRequest|net\.connect|createConnection|WebSocket|putObject|upload"
    r"|(?:gists|issues|pulls|repos)\.create\w*|fastPut|uploadFrom|sendDocument|submit|phin|bent\(\))$"
    r"|^request(?:\.(?:get|post|put|patch))?$|socket\.io-client.*\(\)\.emit$"
)
_SEND_METHOD = frozenset(["write", "end", "send", "sendMessage", "post", "put", "patch", "publish"])
_OWN_METHOD = late(r"^(?:process|res|fs|console)\.|\.stdin\.")
"""What is written to the program's own streams and files."""
RUN = late(
    r"(?:^|\.)(?:eval|Function|runInThisContext|runInNewContext|runInContext|compileFunction|importScripts|_compile)$"
    r"|^import$|\.constructor\.constructor$|getPrototypeOf\(\)\.constructor$|^\(\)\.constructor$|vm2\.\w*VM\(\)\.run$"
)
FOREIGN_MODULE = late(
    r"https?://(?!(?:esm\.sh|esm\.run|unpkg\.com|cdn\.jsdelivr\.net/npm|cdn\.skypack\.dev|ga\.jspm\.io|jsr\.io"
    r"|deno\.land)/(?!gh/))"
)
"""The address of a module that no index of packages has; those pages were read in November 2026."""
PROCESS = late(
    r"(?:^|\.)(?:exec(?:Sync|File|FileSync)|(?:^|(?:child_process|cp|proc|shell|shelljs|childProcess)\.)exec|spawn(?:Sync)?|fork"
    r"|execa(?:Sync)?|execaCommand(?:Sync)?|cross-spawn(?:\.sync)?|Deno\.(?:Command|run)|Bun\.spawn(?:Sync)?)$"
)
_DECODE = late(
    r"(?:^|\.)(?:atob|inflateSync|gunzipSync|unzipSync|brotliDecompressSync|unescape|String\.from(?:CharCode|CodePoint))$"
)
_BYTES = frozenset(["Buffer.from", "Uint8Array.from", "Uint8Array", "Buffer"])
_TEXT = late(r"\.(?:text|toString|decode)\(\)$|\.(?:data|body|responseText)$|(?:^|\.)atob\(\)$")
"""What is called so is a text."""
_RESOLVE = late(r"(?:^|\.)(?:dns(?:\.promises)?\.)?(?:lookup|resolve(?:4|6|Txt|Any)?)$")
_CLIPBOARD = late(r"clipboard\.readText$|(?:clipboardy(?:\.default)?\.read(?:Sync)?|copy-paste\.paste)$")
_KEPT_LOGIN = late(r"(?:^|\.)keytar\.(?:getPassword|findPassword|findCredentials)$")
_INERT_WORDS = """
    console.log console.error console.info console.warn Boolean Number parseInt existsSync fs.existsSync"""
INERT = frozenset(_INERT_WORDS.split())
PASSED = frozenset("join resolve normalize expandHome untildify String".split())  # noqa: SIM905


def runs_input(program: str) -> bool:
    """Whether a program runs what it reads."""
    return program.rpartition("/")[2] in ("sh", "bash", "zsh", "dash", "node", "python3", "python", "perl")


def is_text(values: Sequence[Carried]) -> bool:
    """Whether the first of some values is a text, and not a function."""
    return any(value.texts or _TEXT().search(value.name) for value in values[:1])


def act_of(name: str, texts: Sequence[Sequence[str]], span: tuple[int, int]) -> Act | None:
    known = [text for each in texts[:1] for text in each]
    host = next((text.partition("://")[2].partition("/")[0] for text in known if "://" in text), "")
    if RUN().search(name):
        return Act(ActKind.RUNS, "", name[:60], *span)
    if PROCESS().search(name):
        return Act(ActKind.STARTS, "", name[:60], *span)
    if SEND().search(name) or (name.rpartition(".")[2] in _SEND_METHOD and not _OWN_METHOD().search(name)):
        return Act(ActKind.SENDS, host, name[:60], *span)
    if _RESOLVE().search(name) and name.startswith("dns"):
        return Act(ActKind.RESOLVES, host, name[:60], *span)
    return None


def taken_by(
    name: str, files: Iterable[str], texts: Sequence[Sequence[str]], span: tuple[int, int], *, is_numbers: bool
) -> tuple[Origin, ...]:
    """What a call takes. `is_numbers`: it gets a list of numbers, the letters of a text."""
    if READ().search(name):
        return tuple(Origin(kind, each, *span) for each in files if (kind := secret_kind(each)))
    if _DECODE().search(name) or (
        name in _BYTES and (is_numbers or any("base64" in each or "hex" in each for each in texts[1:2]))
    ):
        return (Origin(OriginKind.DECODED, name, *span),)
    if _FETCH().search(name):
        address = next((text for each in texts[:1] for text in each), "…")
        return (Origin(OriginKind.DOWNLOAD, address, *span),)
    if _CLIPBOARD().search(name):
        return (Origin(OriginKind.CLIPBOARD, name, *span),)
    if _KEPT_LOGIN().search(name):
        return (Origin(OriginKind.TOKEN, name, *span),)
    if name == "Deno.env.toObject":
        return (Origin(OriginKind.ENVIRONMENT, name, *span),)
    return ()
