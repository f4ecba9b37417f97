"""What calls of JavaScript do with data: the tables of functions that take, send, run or store it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.facts.paths import secret_kind
from skillbag.lint.facts.values import Act, ActKind, Origin, OriginKind

READ = late(
    r"(?:^|\.)(?:readFile(?:Sync)?|createReadStream|readTextFile(?:Sync)?|Bun\.file|copyFile(?:Sync)?|openSync)$"
)
WRITE = late(r"(?:^|\.)(?:writeFile(?:Sync)?|appendFile(?:Sync)?|createWriteStream|writeTextFile(?:Sync)?|Bun\.write)$")
_FETCH = late(r"(?:^|\.)(?:fetch|https?\.get|got|axios(?:\.get)?|ky(?:\.get)?|needle|superagent\.get)$")
SEND = late(
    r"(?:^|\.)(?:fetch|axios(?:\.\w+)?|got(?:\.\w+)?|ky(?:\.\w+)?|needle(?:\.\w+)?|https?\.(?:request|get)|sendBeacon|sendMail"
    r"|superagent\.\w+|undici\.\w+|XMLHttpRequest|net\.connect|createConnection|WebSocket|putObject|upload)$"
)
_SEND_METHOD = frozenset(["write", "end", "send", "sendMessage", "post", "put", "patch", "publish"])
RUN = late(
    r"(?:^|\.)(?:eval|Function|runInThisContext|runInNewContext|runInContext|compileFunction|importScripts|_compile)$|^import$"
)
_PROCESS = late(
    r"(?:^|\.)(?:exec(?:Sync|File|FileSync)|(?:^|(?:child_process|cp|proc|require\(\)|promisify\(\)|shell|childProcess)\.)exec|spawn(?:Sync)?|fork|execa|execaCommand|Deno\.Command|Bun\.spawn)$"
)
_DECODE = late(r"(?:^|\.)(?:atob|inflateSync|gunzipSync|unzipSync|brotliDecompressSync)$")
_RESOLVE = late(r"(?:^|\.)(?:dns(?:\.promises)?\.)?(?:lookup|resolve(?:4|6|Txt|Any)?)$")
_INERT_WORDS = """
    console.log console.error console.info console.warn Boolean Number parseInt existsSync fs.existsSync"""
INERT = frozenset(_INERT_WORDS.split())
PASSED = frozenset("join resolve normalize expandHome untildify String".split())  # noqa: SIM905


def runs_input(program: str) -> bool:
    """Whether a program runs what it reads."""
    return program.rpartition("/")[2] in ("sh", "bash", "zsh", "dash", "node", "python3", "python", "perl")


def act_of(name: str, first: str, method: str, texts: Sequence[Sequence[str]], span: tuple[int, int]) -> Act | None:
    known = [text for each in texts[:1] for text in each]
    host = next((text.partition("://")[2].partition("/")[0] for text in known if "://" in text), "")
    if RUN().search(name):
        return Act(ActKind.RUNS, "", name[:60], *span)
    if _PROCESS().search(name):
        return Act(ActKind.STARTS, "", name[:60], *span)
    if (
        name == "request"
        or SEND().search(name)
        or (method in _SEND_METHOD and not name.startswith(("process.", "res.", "fs.", "console.")))
    ):
        return Act(ActKind.SENDS, host, name[:60], *span)
    if _RESOLVE().search(name) and name.startswith("dns"):
        return Act(ActKind.RESOLVES, host, name[:60], *span)
    return None


def taken_by(
    name: str, files: Iterable[str], texts: Sequence[Sequence[str]], span: tuple[int, int]
) -> tuple[Origin, ...]:
    if READ().search(name):
        return tuple(Origin(kind, each, *span) for each in files if (kind := secret_kind(each)))
    if _DECODE().search(name) or (
        name == "Buffer.from" and any("base64" in each or "hex" in each for each in texts[1:2])
    ):
        return (Origin(OriginKind.DECODED, name, *span),)
    if _FETCH().search(name):
        address = next((text for each in texts[:1] for text in each), "…")
        return (Origin(OriginKind.DOWNLOAD, address, *span),)
    if name.endswith("clipboard.readText"):
        return (Origin(OriginKind.CLIPBOARD, name, *span),)
    return ()
