"""What comes from elsewhere: raw addresses, packages beyond the public indexes (CWE-494), and remote instructions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.instruction import is_negated, sentence_before
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.lint.facts.roles import is_meant, line_at
from skillbag.lint.signals.addresses import Address, AddressTrait, addresses
from skillbag.lint.signals.fences import some
from skillbag.lint.signals.nearness import around, windows
from skillbag.lint.signals.phrases import CommandForm, FormTable
from skillbag.lint.signals.programs import MADE_EXECUTABLE

_NUMBERS = tuple(f"://{digit}".encode() for digit in range(10))
_LOCAL = ("127.0.0.1", "192.168.", "10.", "0.0.0.")
_FETCHES = late(
    r"(?<![\w.-])(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|certutil|bitsadmin|mshta|urlopen|urlretrieve"
    r"|requests\.get|fetch|downloadstring|downloadfile|regsvr32|rundll32|msiexec)\b",
    re.IGNORECASE,
)
_RUNS = late(
    r"\|[ \t]*(?:sudo[ \t]+)?(?:(?:ba|z|da|k)?sh|python[\d.]*|perl|ruby|node|php|iex)\b"
    rf"|\b{MADE_EXECUTABLE}\b"
    r"|(?<![\w.-])(?:exec|eval|os\.system|os\.popen|execSync|subprocess\.\w+|child_process|spawn|start-process"
    r"|iex|invoke-expression)\b"
    r"|(?<![\w./-])(?:(?:ba|z|da)?sh[ \t]+-c|bash[ \t]+<\(|source[ \t]+<\(|mshta|regsvr32|msiexec|rundll32)"
    r"|(?:^|[;&][ \t]*)(?:sudo[ \t]+)?(?:\./|/tmp/|(?:ba|z|da)?sh[ \t]+[\w./-]+$)",
    re.IGNORECASE | re.MULTILINE,
)


@Predicate("raw-address", Subject.TEXT, values=("address",), literals=_NUMBERS)
def raw_address(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Addresses that are public IPv4 numbers; raised where what is there is downloaded and run."""
    body, last = text.document.text, -1
    places = [at for at in text.places.of(_NUMBERS) if not body.startswith(_LOCAL, at + 3)]
    for start, end in windows(body, places, 8, 60):
        for found in addresses(body, start, min(len(body), end + 200)):
            if found.kind & AddressTrait.RAW and last < found.start < end and found.scheme:
                last = found.start
                shown = found.text[:60]
                yield Match(text.document.path, found.start, found.end, {"address": shown}, raised=_is_run(text, found))


def _is_run(text: TextFile, found: Address) -> bool:
    """Whether a line with a raw address downloads, and it or the next lines run something."""
    body = text.document.text
    line = line_at(text.document, found.start)
    first, limit = max(line.start, found.start - 300), min(line.end, found.end + 300)
    if not _FETCHES().search(body, first, limit):
        return False
    _, after = around(body, found.start, found.end, 2)
    return bool(_RUNS().search(body, first, after)) and is_meant(text, found.start, found.end)


_OPTIONS = (b"index-url", b"--registry", b"set registry", b"-links http")
_SOURCES = (b"git+", b"install http", b"add http")
_HOOKS = (b'"preinstall"', b'"postinstall"', b'"install"')
_MANAGER = r"(?<![\w./-])(?:pip[\d.]*|uv|uvx|pipx|poetry|npm|npx|pnpm|yarn|bun|bunx)[ \t]"
_FOREIGN = late(
    rf"""{_MANAGER}[^\n|;&]{{0,200}}?
        (?: --(?:extra-)?index-url[ \t=]+
          | \bconfig[ \t]+set[ \t]+(?:global\.)?(?:registry|(?:extra-)?index-url)[ \t=]+
          | --registry[ \t=]+ | --find-links[ \t=]+
          | (?:git\+)(?=\w) | \b(?:install|add|i)[ \t]+(?=https?://) )
        ["']?(?P<address>(?P<scheme>https?|git|ftp|ssh)://(?:[^\s/@"']{{1,60}}@)?(?P<host>[\w.-]{{1,100}}+)(?P<path>[^\s"'`]*+))""",
    re.VERBOSE,
)
_NAMES = (
    *("pypi.org", "pythonhosted.org", "npmjs.org", "npmjs.com", "yarnpkg.com", "pytorch.org", "nvidia.com", "pkg.dev"),
    *("github.com", "githubusercontent.com", "gitlab.com", "bitbucket.org", "codeberg.org", "huggingface.co"),
    *("github.io", "jsr.io", "googleapis.com", "azure.com", "amazonaws.com", "modular.com", "anaconda.org"),
    *("tuna.tsinghua.edu.cn", "aliyun.com", "npmmirror.com", "ustc.edu.cn", "tencent.com", "huaweicloud.com"),
    *("wheels.vllm.ai", "data.pyg.org", "data.dgl.ai", "download.openmmlab.com", "flashinfer.ai", "mlc.ai"),
    *("pypi.jetson-ai-lab.dev", "pypi.jetson-ai-lab.io", "nightlies.amd.com", "repo.radeon.com", "intel.com"),
    *("openvinotoolkit.org", "paddlepaddle.org.cn", "buf.build", "npm.fontawesome.com", "piwheels.org"),
    *("bfsu.edu.cn", "sjtu.edu.cn", "zju.edu.cn", "mirrors.volces.com", "douban.com", "rapids.ai"),
)
"""Public indexes, their mirrors, indexes of vendors for their own packages, and
hosts of repositories; those of clouds need a login of the user's own."""
_KNOWN = tuple(f".{name}" for name in _NAMES)
_STAND_IN = late(
    r"localhost|127\.|0\.0\.0\.0|10\.|192\.168\.|[\w-]+$|.*(?:\byour|company|corp\b|internal|private|my-?org|example\.(?:com|org|net)$"
    r"|\.local$)",
    re.IGNORECASE,
)
"""Hosts of a private network, and names that the reader fills in."""
_HOOK = late(r'"(?:pre|post)?install"[ \t]*:[ \t]*"(?P<command>[^"\n]{1,200})')
_BUILDS = late(
    r"(?:husky|patch-package|node-gyp|prebuild-install|electron-builder|prisma|tsc|npm run|pnpm|yarn|lefthook"
    r"|simple-git-hooks|playwright install)\b"
)
"""What packages run for themselves: builds, git hooks, patches."""


@Predicate("package-source", Subject.TEXT, values=("what",), literals=(*_OPTIONS, *_SOURCES, *_HOOKS))
def package_source(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Addresses of unknown indexes and repositories in commands, plain http, and hooks of packages."""
    path, body, last = text.document.path, text.document.text, -1
    for at in some(text.places.of((*_OPTIONS, *_SOURCES)), 2_000):
        line = line_at(text.document, at)
        match = _FOREIGN().search(body, max(line.start, at - 200), min(line.end, at + 300))
        if match and match.start() > last and (what := _fault(match)) and is_meant(text, *match.span()):
            last = match.start()
            yield Match(path, *match.span("address"), {"what": what})
    if text.relative.rpartition("/")[2] == "package.json":
        for hook in _HOOK().finditer(body):
            if not _BUILDS().match(hook["command"]):
                yield Match(path, *hook.span(), {"what": f"Installing runs `{hook['command'][:60]}`"})


def _fault(match: re.Match[str]) -> str | None:
    """What is wrong with the address of a package; None for a known or private one."""
    host = match["host"].lower()
    if _STAND_IN().match(host) or any(sign in match["address"] for sign in "<{$"):
        return None
    if match["scheme"] in ("http", "git", "ftp"):
        return f"Installs from `{host[:80]}` over {match['scheme']}, which anybody on the way can change"
    if f".{host}".endswith(_KNOWN):
        return None
    return f"Installs from `{host[:80]}`, which is no public index"


_URL = late(r"https?://(?P<host>[\w.-]{1,200}+)(?::\d+)?(?P<path>/[^\s`\"'<>)\]]*+)?[`\"'>)\]]*+", re.IGNORECASE)
_READS_REMOTE = (
    r"(?:fetch|download|load|read|open|visit|get|retrieve|obtain|request|pull|check|curl|wget|poll|WebFetch)"
)
_REQUEST = late(
    rf"""\b{_READS_REMOTE}\b(?:[^.!?\n]|\n(?![ \t]*[\n*+#>|-])){{0,120}}\Z
      | \b(?:instructions|rules|steps|directives|commands|orders|playbook|guidelines|prompt)\b[^.!?\n]{{0,60}}
          \b(?:is|are|lives?|at|from|in|on|under)\b[^.!?\n]{{0,40}}\Z""",
    re.IGNORECASE | re.VERBOSE,
)
"""What before an address says to fetch it, or that instructions are there."""
_OBEYED = late(
    r"""(?:[^!?\n]|\n(?=[ \t]*(?:\||\d+[.)]|[a-z]))){0,160}? \b
        (?: (?:follow|obey|execute|apply|carry\s+out)\w*\s+ (?:(?:all|any|every|each)\s+)?(?:of\s+)?
              (?:it|its|them|that|those|these|whatever|what|the\s+(?:\w+\s+)?(?:instructions?|steps|directives|commands)
                |(?:instructions?|steps|commands)\s+(?:there|in\s+it|it\s+contains)
                |(?:everything|anything|all)\s+(?:that\s+)?(?:it|they|(?:is\s+)?(?:there|in\s+(?:it|them)|on\s+it))) \b
          | do\s+(?:everything|anything|all)\s+(?:that\s+)?(?:it|they)\s+(?:say|ask|tell|want|list)s?\b
          | go\s+with\s+the\s+(?:retrieved|fetched|downloaded|remote|online)\s+(?:version|copy|text|page|rules)\b
          | do\s+(?:exactly\s+)?(?:what|as)(?:ever)?\s+(?:it|they)\s+says?\b
          | (?:(?<=and\s)|(?<=then\s)|(?<=\.\s))act\s+on\s+(?:it|them)\b
          | treat\s+(?:it|its\s+\w+|them)\s+as\s+(?:\w+\s+)?(?:instructions|rules|orders|part\s+of\s+this\s+skill) )""",
    re.IGNORECASE | re.VERBOSE,
)
"""What after an address says to do what is there."""
_FROM = late(
    r"\b(?:follow|obey|execute|load)\b[^.!?\n]{0,40}?\binstructions\s+(?:from|at|in)\s+[`\"'<(]?\Z", re.IGNORECASE
)
_BEFORE = 140
_MAX = 10_000
"""Addresses of a text whose surroundings are looked at."""
_TEXTUAL = late(
    r"/[^?#]*\.(?:md|mdc|txt|prompt|skill|ya?ml)(?:[?#].*)?$|/(?:raw|prompts?|instructions?|skills?|agents?)(?:/|$)", 2
)
_RAW_HOSTS = ("raw.githubusercontent.com", "gist.githubusercontent.com", "pastebin.com", "rentry.co")
_OVERWRITES = FormTable(
    CommandForm(
        (".md > ", ".md -o", ".md | t", ".md h", "-o SKI", "-o ~/.", "> SKI"),
        late(
            r"""(?<![\w./-])(?:curl|wget)[ \t] (?=[^\n]{0,600}?https?://) [^\n|;]{0,600}?
            (?:>>?|-o|-O|--output|--output-document|\|[ \t]*tee(?:[ \t]+-a)?) [ \t=]* ["']?
            (?P<file>[\w./~${}-]*\b(?:SKILL|AGENTS|CLAUDE|GEMINI|SOUL|HEARTBEAT|MEMORY|IDENTITY)\.md)\b""",
            re.VERBOSE,
        ),
        300,
    )
)
_FOLLOWING = (
    *(b"follow it", b"ollow the i", b"ollow th", b"do what it", b"ons from h", b"obey", b"carry out", b"xecute it"),
    *(b"o whatever", b"act on it", b"act on them", b"verything it s", b"verything they s", b"go with the "),
    *(b"xecute them", b"reat it as", b"reat them as"),
)
"""What stands where a text says to follow a fetched page."""


@Predicate("remote-instructions", Subject.TEXT, values=("what",), literals=(*_FOLLOWING, *_OVERWRITES.signs))
def remote_instructions(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Texts that tell the agent to follow a fetched page, and commands that fetch an instruction file."""
    body = text.document.text
    if text.language in ("markdown", "text"):
        for window in windows(body, text.places.of(_FOLLOWING), 460, 120):
            if "http" in body[window[0] : window[1]]:
                yield from _followed(text, *window)
    for match in _OVERWRITES.matches(text):
        if not _is_comment(body, match.start()):
            what = f"Replaces `{match['file'][-60:]}` with a download"
            yield Match(text.document.path, *match.span(), {"what": what})


class RemotePage(NamedTuple):
    """A fetched page that a text says to follow: the span of the words, and the address."""

    start: int
    end: int
    host: str
    path: str


def pages(body: str, start: int, end: int) -> Iterator[RemotePage]:
    """The pages that a part of a text says to follow, whether as an instruction or only as a mention."""
    for url in islice(_URL().finditer(body, start, end), _MAX):
        host, path, first = url["host"], url["path"] or "", max(start, url.start() - _BEFORE)
        before = body[first : url.start()]
        if request := _FROM().search(before):
            yield RemotePage(first + request.start(), url.end(), host, path)
        elif (request := _REQUEST().search(before)) and (obeyed := _OBEYED().match(body, url.end(), end)):
            yield RemotePage(first + request.start(), obeyed.end(), host, path)


def _followed(text: TextFile, start: int, end: int) -> Iterator[Match]:
    body = text.document.text
    for page in pages(body, start, end):
        is_text = page.host in _RAW_HOSTS or _TEXTUAL().search(page.path.rstrip(".,;:")) is not None
        is_text = is_text or _OWN().search(body, page.start, page.end) is not None
        if not is_text or is_negated(sentence_before(body, page.start)) or _is_row(body, page.start):
            continue
        what = f"Tells the agent to follow a text from `{page.host[:80]}`"
        yield Match(text.document.path, page.start, page.end, {"what": what})


_OWN = late(r"\byour\s+(?:\w+\s+)?(?:instructions|rules|directives|orders|prompt)\s+(?:from|at|in|on)\b", re.IGNORECASE)
"""The agent's own instructions are what is fetched, whatever the page is called."""
_STEP = late(r"[ \t]*\|[ \t]*(?:\d|step)", re.IGNORECASE)


def _is_row(body: str, start: int) -> bool:
    """Whether a line is a quotation, or a row of a table that is no step."""
    first = body.rfind("\n", max(0, start - 300), start) + 1
    return body[first : first + 20].lstrip().startswith(("|", ">")) and not _STEP().match(body, first)


def _is_comment(body: str, start: int) -> bool:
    first = body.rfind("\n", max(0, start - 300), start) + 1
    return body[first : first + 20].lstrip().startswith(("#", "//"))
