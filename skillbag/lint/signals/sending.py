"""Calls and commands in a text that send data to another machine: requests with a body, uploads, sockets, mail."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple


class Sending(NamedTuple):
    """A call or command that sends data: its span (in code points), and its means. The span of a call is its name."""

    start: int
    end: int
    means: str


_CALLS = late(
    r"""(?<![\w.])
          (?:requests|httpx|session|client|http|s|sess|axios|got|ky|superagent|aiohttp\.\w+|self\.\w*(?:session|client))
          \.(?:post|put|patch)\(
      | (?<![\w.])axios\([ \t]*\{ | \bsendBeacon\( | \$\.post\(
      | \.(?:sendall|sendmail|send_message|storbinary|storlines)\(
      | \bnew[ ]WebSocket\( | \bwebsockets?\.connect\( | \bcreate_connection\(
      | \.Upload(?:String|File|Data|Values)(?:Async)?\( | \bNet::HTTP(?:\.post\w*|::Post)\b | \bhttp\.Post(?:Form)?\(
      | \.request\([ \t]*["'](?:POST|PUT|PATCH)["']
      | (?<![\w./-])xargs[ \t][^\n|;]{0,60}(?<![\w./-])(?:curl|wget)\b""",
    re.VERBOSE,
)
_MAYBE = late(
    r"""(?P<fetch>(?<![\w.])fetch\() | (?P<urllib>\b(?:urlopen|urllib\.request\.Request|Request)\()
      | (?P<node>\bhttps?\.request\() | (?P<xhr>\bXMLHttpRequest\b)
      | (?P<query>\b(?:requests|httpx|axios|session|client)\.get\()
      | (?P<socket>\bsocket\.(?:socket|connect)\b|\bnet\.(?:connect|createConnection)\()
      | (?P<curl>(?<![\w./-])curl(?:\.exe)?[ \t"',]) | (?P<wget>(?<![\w./-])wget(?:\.exe)?[ \t"',])
      | (?P<powershell>(?<![\w-])(?:(?i:invoke-restmethod|invoke-webrequest)|iwr|irm)[ \t])
      | (?P<copy>(?<![\w./-])(?:scp|rsync|sftp)[ \t]) | (?P<netcat>(?<![\w./-])(?:nc|ncat|netcat)[ \t])
      | (?P<cloud>(?<![\w./-])
          (?:aws[ \t]+s3[ \t]+(?:cp|sync|mv)|gsutil[ \t](?:-m[ \t])?cp|rclone[ \t]+(?:copy|sync))[ \t])
      | (?P<mail>(?<![\w./-])(?:mail|mailx|mutt)[ \t]+-s[ \t] | (?<![\w./-])gh[ \t]+gist[ \t]+create\b)""",
    re.VERBOSE,
)
_PROVED = {
    "fetch": late(r"(?i:method)[\"']?[ \t]*:[ \t]*[\"'`](?i:post|put|patch)|[?&]\w+=(?:\$\{|[\"'`][ \t]*\+)|\$\{\w+"),
    "urllib": late(
        r"\bdata[ \t]*=|,[ \t]*(?:data|body|payload)\b|method[ \t]*=[ \t]*[\"']P"
        r"|(?<=urlopen|Request)\([ \t\n]*(?:f?[\"'][^\"'\n]{0,200}[\"']|[\w.]{1,60})[ \t\n]*,[ \t\n]*"
        r"(?!None\b|\w+[ \t]*=)\w|\?\w+=(?:\{|[\"'][ \t]*\+)"
    ),
    "node": late(r"(?i:method)[\"']?[ \t]*:[ \t]*[\"'`](?i:post|put|patch)|\.write\("),
    "xhr": late(r"\.open\([ \t]*[\"'](?:POST|PUT)|\.send\([^)\s]"),
    "query": late(r"\bparams[ \t]*[=:]|\?\w+=(?:\$?\{|[\"'`][ \t]*\+|%s)"),
    "socket": late(r"\.(?:send|sendto|write)\("),
    "curl": late(
        r"(?<!\S)[\"']?(?:-[a-zA-Z]*[dFT](?=[\s\"'@{$]|\w+=)|--(?:data|form|json|upload-file|url-query)\b"
        r"|-X[ \t]*[\"',\s]*(?:POST|PUT|PATCH)|--request[ \t=][\"']?(?:POST|PUT|PATCH))"
        r"|[?&]\w+=[\"']?(?:\$\(|`|\$\w|\$\{)"
    ),
    "wget": late(r"--(?:post-data|post-file|body-data|body-file|method[= ][\"']?P)|[?&]\w+=[\"']?(?:\$\(|`)"),
    "powershell": late(r"-(?i:method)[ \t:]+[\"']?(?i:post|put|patch)|-(?i:body|infile|form)\b"),
    "copy": late(r"[ \t][\"']?(?:[\w.$\{\}-]+@)?[\w.$\{\}-]+:(?!//|\\)|rsync://"),
    "netcat": late(r"[ \t][\"']?[\w.$\{\}-]+[\"']?[ \t]+[\"']?(?:\d{2,5}|\$\{?\w+)"),
    "cloud": late(r"\b(?:s3|gs)://|\b\w+:"),
    "mail": late(r"[ \t]"),
}
_MEANS = {
    "node": "http.request",
    "xhr": "XMLHttpRequest",
    "query": "a query",
    "socket": "a socket",
    "powershell": "a PowerShell request",
    "copy": "a copy",
    "netcat": "nc",
    "cloud": "a copy to cloud storage",
    "mail": "mail or a gist",
}
"""How the others of `_MAYBE` are called, if not by their own name."""
_IN_CALL = frozenset({"fetch", "urllib", "node", "xhr", "query", "socket"})
_REACH = 600
_COMMAND_END = late(r"(?<![\\`])(?<!\\\r)\n")
_QUICK = (
    *("post", "put(", "patch", "send", "fetch", "urlopen", "request", "socket", "curl", "wget", "iwr", "irm", "scp"),
    *("rsync", "sftp", "nc ", "ncat", "netcat", "s3", "gsutil", "rclone", "mail", "gist", "upload", ".get(", "axios("),
)


def sendings(text: str, start: int = 0, end: int | None = None) -> Iterator[Sending]:
    """What sends data in `text[start:end]`, unordered. A GET request counts if its query has a variable."""
    end = len(text) if end is None else end
    folded = text[start:end].lower()
    if not any(word in folded for word in _QUICK):
        return
    for match in _CALLS().finditer(text, start, end):
        yield Sending(*match.span(), match[0].strip().rstrip("([{ \t"))
    for match in _MAYBE().finditer(text, start, end):
        group = match.lastgroup or ""
        limit = _limit(text, match.end(), end, group)
        if _PROVED[group]().search(text, match.end() - 1, limit):
            yield Sending(match.start(), match.end() if group in _IN_CALL else limit, _MEANS.get(group, group))


def _limit(text: str, at: int, end: int, group: str) -> int:
    """Where a command ends: at its line end, unless that is escaped; a call may go on for some lines."""
    limit = min(end, at + _REACH)
    if group in _IN_CALL:
        return limit
    stop = _COMMAND_END().search(text, at, limit)
    return stop.start() if stop else limit


def first_sending(text: str, start: int = 0, end: int | None = None) -> Sending | None:
    """One of the `sendings` of a text, or None."""
    return next(sendings(text, start, end), None)
