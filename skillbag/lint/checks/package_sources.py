"""Packages from elsewhere than the public indexes, and packages that run code while they are installed (CWE-494)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.intent import is_meant, line_at
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.lint.checks.prefilter import some

_OPTIONS = (b"index-url", b"--registry", b"-links http")
_SOURCES = (b"git+", b"install http", b"add http")
_HOOKS = (b'"preinstall"', b'"postinstall"', b'"install"')
_MANAGER = r"(?<![\w./-])(?:pip[\d.]*|uv|uvx|pipx|poetry|npm|npx|pnpm|yarn|bun|bunx)[ \t]"
_FOREIGN = late(
    rf"""{_MANAGER}[^\n|;&]{{0,200}}?
        (?: --(?:extra-)?index-url[ \t=]+ | --registry[ \t=]+ | --find-links[ \t=]+
          | (?:git\+)(?=\w) | \b(?:install|add|i)[ \t]+(?=https?://) )
        ["']?(?P<address>(?P<scheme>https?|git|ftp|ssh)://(?:[^\s/@"']{{1,60}}@)?(?P<host>[\w.-]{{1,100}}+)(?P<path>[^\s"'`]*+))""",
    re.VERBOSE,
)
_KNOWN = (
    *("pypi.org", "pythonhosted.org", "npmjs.org", "npmjs.com", "yarnpkg.com", "pytorch.org", "nvidia.com", "pkg.dev"),
    *("github.com", "githubusercontent.com", "gitlab.com", "bitbucket.org", "codeberg.org", "huggingface.co"),
    *("github.io", "jsr.io", "googleapis.com", "azure.com", "amazonaws.com", "modular.com", "anaconda.org"),
    *("tuna.tsinghua.edu.cn", "aliyun.com", "npmmirror.com", "ustc.edu.cn", "tencent.com", "huaweicloud.com"),
)
"""Public indexes, their mirrors, and hosts of repositories; those of clouds need a login of the user's own."""
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
    if host.endswith(_KNOWN):
        return None
    return f"Installs from `{host[:80]}`, which is no public index"
