"""What is wrong with the condition of a rule about facts that its schema allows: parts that have no effect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.checks.flow_signs import ANY, OUT, kinds_of, listed
from skillbag.lint.checks.predicate import OptionFault
from skillbag.lint.facts.paths import secret_kind
from skillbag.lint.facts.values import OriginKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NAMED = (OriginKind.VARIABLE, OriginKind.SECRET_FILE, OriginKind.LOGIN_FILE, OriginKind.DOWNLOAD)
"""Kinds of what has a name of its own; of others the name is the call that takes it."""
_KINDS = ", ".join(_NAMED)
_GLOB = late(r"[*?\[]")
_HOST = late(r"[\w.*?\[\]!-]+\Z")
_BEFORE_HOST = late(r"\A(?:\w+:/*)?(?:[^/@]*@)?([^/:]*)")


def condition_faults(when: Mapping[str, Any], *keys: str) -> Iterator[OptionFault]:
    """The faults of a condition, with the keys that lead to them."""
    for key in ("all", "any"):
        for number, each in enumerate(when.get(key, ())):
            negated = ("not",) if "not" in each else ()
            yield from condition_faults(each.get("not", each), *keys, key, str(number), *negated)
    yield from _names(when, keys)
    for key in ("flows-to", "does"):
        yield from _acts(when.get(key, {}), (*keys, key))
    wanted = [each for each in when.get("all", ()) if "not" not in each]
    if "all" in when and not wanted:
        yield OptionFault((*keys, "all"), "one condition without `not` is needed: it says where the finding is")
    for number, each in enumerate(when.get("all", ())):
        if "not" in each and any(_implies(other, each["not"]) for other in wanted):
            yield OptionFault((*keys, "all", str(number)), "it excludes another condition of `all`: nothing meets both")


def _implies(condition: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether all that meets a condition meets another one."""
    return all(condition.get(key) == value for key, value in other.items())


def _names(when: Mapping[str, Any], keys: tuple[str, ...]) -> Iterator[OptionFault]:
    names, kinds = listed(when.get("named", ())), kinds_of(when.get("reads", ()))
    if names and kinds.isdisjoint(_NAMED):
        other = "for one variable write `reads: variable`; " if OriginKind.ENVIRONMENT in kinds else ""
        yield OptionFault((*keys, "named"), f"{other}`named` is for {_KINDS}, and has no effect on other kinds")
        return
    for name in names:
        if not (_GLOB().search(name) or _is_name(name, kinds)):
            known = "a variable (`AWS_SECRET_ACCESS_KEY`), a path (`~/.ssh/id_rsa`), a host, or a glob (`*/.aws/*`)"
            reads = ", ".join(listed(when["reads"]))
            yield OptionFault((*keys, "named"), f"nothing of `reads: {reads}` is called {name!r}; write {known}")


def _is_name(name: str, kinds: frozenset[OriginKind]) -> bool:
    return (
        (OriginKind.VARIABLE in kinds and name.isidentifier())
        or (OriginKind.DOWNLOAD in kinds and "." in name)
        or (secret_kind(name) in kinds)
    )


def _acts(given: Mapping[str, Any], keys: tuple[str, ...]) -> Iterator[OptionFault]:
    """Hosts that are no hosts, and exceptions that leave nothing."""
    kinds = given.keys() - {"except"}
    if given and not kinds:
        yield OptionFault(
            (*keys, "except"), "say of what it is an exception: `sends`, `resolves`, `runs`, `starts`, `loads`"
        )
    for key, value in given.items():
        for name in listed(value):
            if (key in OUT or (key == "except" and kinds <= OUT)) and not _HOST().match(name):
                host = _BEFORE_HOST().match(name)
                advice = f"write {host[1]!r}" if host and host[1] else "such as `*.example.com`"
                yield OptionFault((*keys, key), f"{name!r} is no host; scheme, port and path do not count: {advice}")
    spared = listed(given.get("except", ()))
    wanted = [name for kind in kinds for name in listed(given[kind])]
    if spared and all(any(each in (ANY, "*") or fnmatchcase(name, each) for each in spared) for name in wanted):
        yield OptionFault((*keys, "except"), "it takes out all that is wanted, so that nothing is found")
