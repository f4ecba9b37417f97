"""Code that runs what it downloads or decodes: nobody has read what runs (MITRE ATT&CK T1059, T1105, T1140)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.encoded_commands import is_shown
from skillbag.lint.checks.flow_signs import DECODES, DOWNLOADS
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, Unjudged, short
from skillbag.lint.facts import literals
from skillbag.lint.facts.flows import UnitFlow, text_flows
from skillbag.lint.facts.roles import is_meant, is_taught
from skillbag.lint.facts.signs import FlowSigns
from skillbag.lint.facts.skill_flows import all_flows
from skillbag.lint.facts.values import ActKind, Flow, PlaceRole
from skillbag.lint.signals import hosts
from skillbag.lint.signals.addresses import ODD, kind_of
from skillbag.lint.signals.hosts import answers_for

_CODE = frozenset(["python", "javascript", "code"])
"""Languages whose functions run a text as code of the same program."""
_HOSTS_OF_CODE = late(
    r"(?:https?://)?(?:www\.|api\.|codeload\.)?(?:github\.com|gitlab\.com|codeberg\.org|bitbucket\.org|gist\.github\.com)[/:]|git@"
)
_NEAR = 200
"""In code points: what stands so near is one command or call."""
_PRINTED = late(
    r"\b(?:echo|printf|Write-(?:Host|Output)|print|console\.log)\b[ \t(]*[\"'][^\"'\n|]{0,200}?(?P<address>https?://[^\s\"'<>]+)"
)


class Trust(NamedTuple):
    """`trusted-hosts`: prefixes of addresses, without `https://`, whose installers are not reported."""

    trusted_hosts: tuple[str, ...] = ()


def _runs(flows: Iterable[UnitFlow], signs: FlowSigns) -> Iterator[UnitFlow]:
    """What runs of what a text takes, one flow for each place where it takes something."""
    seen = set[int]()
    for found in flows:
        flow = found.flow
        if flow.source.kind in signs.kinds and flow.act.kind is ActKind.RUNS and flow.source.start not in seen:
            seen.add(flow.source.start)
            yield found


def _downloads(text: TextFile) -> Iterator[UnitFlow]:
    """The downloads that run, in the text or in another file of its skill."""
    return _runs(all_flows(text, DOWNLOADS).found, DOWNLOADS)


@Predicate(
    "download-run",
    Subject.TEXT,
    values=("host", "where"),
    options=Trust,
    literals=literals.DOWNLOADS,
    needs="flow_signs.runs_download",
)
def download_run(text: TextFile, options: Trust) -> Iterator[Match | Unjudged]:
    """Downloads that an interpreter gets, or that are started once they are saved or unpacked."""
    yield from Unjudged.each(text.document.path, all_flows(text, DOWNLOADS).unread)
    for found in _downloads(text):
        unit, flow = found.unit, found.flow
        address, start, end = flow.source.what, flow.source.start, flow.source.end
        if _is_by_code(found):
            continue
        is_stored = found.leaves or not _is_piped(text, flow)
        if _trusted(address, options.trusted_hosts) or (_is_published(address) and is_stored):
            continue
        if not is_meant(text, start, end):
            continue
        odd = (_is_odd(address) or unit.language in _CODE) and not is_taught(text, start, end)
        # Over files, what a program prints may be of another of its commands.
        is_weak = found.leaves and not address.startswith(("http", "ftp")) and found.origin.language in _CODE
        role = PlaceRole.TAUGHT if is_weak or _is_shown(text, flow) else None
        yield Match(
            text.document.path,
            start,
            end,
            {"host": _host(address), "where": _where(text, found)},
            raised=odd,
            role=role,
        )


def _where(text: TextFile, found: UnitFlow) -> str:
    """Where a download is run, if that is in another line or file: what only makes it executable is passed over."""
    source = found.flow.source
    acts = (each for each in all_flows(text, DOWNLOADS).found if each.flow.source == source)
    runs = (each for each in acts if each.flow.act.kind is ActKind.RUNS and not each.flow.act.means.startswith("chmod"))
    ran = next(runs, found)
    line = ran.unit.file.document.position(ran.flow.act.start).line
    if ran.leaves:
        return f" (run in {ran.unit.file.relative}:{line})"
    return f" (run in line {line})" if line != text.document.position(source.start).line else ""


@Predicate("encoded-run", Subject.TEXT, values=("command",), literals=literals.DECODES, needs="flow_signs.runs_decoded")
def encoded_run(text: TextFile, _: NoOptions) -> Iterator[Match | Unjudged]:
    """Text that is decoded and then run; weaker where a reader sees what it is, and it does no harm."""
    yield from Unjudged.each(text.document.path, text_flows(text, DECODES).unread)
    for start, end in decoding(text):
        if text.language == "markdown" and text.document.text.endswith("<script>", 0, start):
            # A tag and its content in one line: a sample of a page, which no agent runs.
            continue
        if is_meant(text, start, end):
            raised = not (is_taught(text, start, end) or is_shown(text, start, end))
            shown = short(" ".join(text.document.text[start : min(end, start + _NEAR)].split()))
            yield Match(text.document.path, start, end, {"command": shown}, raised=raised)


@Predicate("decoy-address", Subject.TEXT, values=("host",), literals=literals.DECODES, needs="flow_signs.runs_decoded")
def decoy_address(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Addresses that a line only prints, beside a text that it decodes and runs."""
    last = -1
    for start, _end in decoding(text):
        line = text.document.bounds(start)
        if line[0] == last:
            continue
        last = line[0]
        for match in _PRINTED().finditer(text.document.text, max(line[0], start - 1_000), min(line[1], start + 1_000)):
            yield Match(text.document.path, *match.span("address"), {"host": _host(match["address"])})


# Two rules ask for it in a row.
@lru_cache(maxsize=1)
def decoding(text: TextFile) -> list[tuple[int, int]]:
    """The bounds of the commands and calls that decode what then runs, in order."""
    flows = (found.flow for found in _runs(text_flows(text, DECODES).found, DECODES))
    near = ((flow, abs(flow.act.start - flow.source.start) < _NEAR) for flow in flows)
    return sorted(
        (min(flow.source.start, flow.act.start), max(flow.source.end, flow.act.end))
        if is_near
        else (flow.source.start, flow.source.end)
        for flow, is_near in near
    )


def _is_piped(text: TextFile, flow: Flow) -> bool:
    """Whether what is fetched runs at once: there is no file in between, which somebody may read."""
    if flow.act.start <= flow.source.start:
        return flow.act.end >= flow.source.start
    return bool(_PIPE().search(text.document.text[flow.source.end - 1 : flow.act.start].partition("\n\n")[0]))


def _is_shown(text: TextFile, flow: Flow) -> bool:
    """Whether a command between a download and its run shows it to whoever runs both, or compares its signature."""
    return _SHOWS().search(text.document.text, flow.source.end, flow.act.start) is not None


_SHOWS = late(
    r"(?m)^[ \t]*(?:less|more|bat|view|vim?|nano|code|gpg --verify|cosign verify)\b[^|&;\n]*$"
    r"|\bsha(?:\d+)?sum[ \t][^|&;\n]*(?:-c|--check)\b"
)


_PIPE = late(r"(?<!\|)\|(?!\||[ \t\\\n]*(?:sudo[ ]+)?(?:(?:bsd)?tar|gunzip|zcat|xz|unzip|jq)\b)")
"""A pipe to more than what unpacks."""


def _is_published(address: str) -> bool:
    """Whether an address is on a host of code, or on that of a vendor who answers for what is there."""
    scheme, _, rest = address.rpartition("://")
    is_vendors = scheme == "https" and hosts.is_vendor(re.split(r"[/:?#]", rest, maxsplit=1)[0].lower())
    return is_vendors or _HOSTS_OF_CODE().match(address) is not None


def _is_by_code(found: UnitFlow) -> bool:
    """Whether a program fetches by a call of its own, and not by a command that it starts."""
    act, source = found.flow.act, found.flow.source
    return found.unit.language in _CODE and (found.leaves or not (act.nested and act.start == source.start))


def _trusted(address: str, hosts: tuple[str, ...]) -> bool:
    scheme, _, rest = address.rpartition("://")
    # A name without a dot is of the local network, or a stand-in.
    if scheme in ("http", "https", "") and re.match(
        r"(?:[A-Za-z_-]++|127\.0\.0\.1|\[::1\])(?![\w.])", rest.rpartition("@")[2]
    ):
        return True
    # The pages of some hosts omit the scheme: `irm bun.sh/install.ps1`.
    host, slash, path = rest.partition("/")
    is_known = answers_for(host, slash + path) or any(f"{rest}/".startswith(f"{each.rstrip('/')}/") for each in hosts)
    return scheme in ("https", "") and is_known


def _is_odd(address: str) -> bool:
    """Whether an address is a raw public one, a shortener, or a place where anybody leaves a text or file."""
    rest = address.rpartition("://")[2].rpartition("@")[2].lower()
    host, slash, path = rest.partition("/")
    return bool(kind_of(host.partition(":")[0], slash + path) & ODD)


def _host(address: str) -> str:
    if address.startswith(("$", "…")):
        return "an address that is only known at run time"
    return f"`{address.rpartition('://')[2].partition('/')[0].rpartition('@')[2][:80]}`"
