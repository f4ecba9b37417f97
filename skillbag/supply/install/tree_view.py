"""Who needs which skill: a drawing, and the chains that lead to a skill.

The drawing visits each skill once: in a dense net there are too many chains to follow all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

from skillbag.kernel.workspace.lock_file import LOCK
from skillbag.supply.install.state import InstalledState

_Needs = Callable[[str], Sequence[str]]


def draw(names: Iterable[str], needs: _Needs, label: Callable[[str], str], shown: set[str]) -> Iterator[str]:
    """The lines of a tree below a title; the needs of skills in `shown`, which is extended, are not repeated."""
    pending = _branches(names, "")
    while pending:
        name, indent, last = pending.pop()
        below = needs(name)
        again = "  (see above)" if name in shown and below else ""
        yield f"{indent}{'└── ' if last else '├── '}{label(name)}{again}"
        if name not in shown:
            shown.add(name)
            pending += _branches(below, indent + ("    " if last else "│   "))


def _branches(names: Iterable[str], indent: str) -> list[tuple[str, str, bool]]:
    """The branches in reverse order: name, indent, and whether it is the last one."""
    return [(name, indent, number == 0) for number, name in enumerate(reversed(list(names)))]


def reached(names: Iterable[str], needs: _Needs) -> set[str]:
    """The names, and all that they need."""
    found: set[str] = set()
    pending = list(names)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += needs(name)
    return found


def orphan_notes(state: InstalledState, names: Iterable[str], going: Container[str] = ()) -> Iterator[str]:
    """A note on those of the names that are installed and that none of the user's own skills needs.

    Own skills are those that are not in the lock; those in `going` are ignored.
    """
    own = (card.folder for card in state.inventory.cards if card.folder not in state.lock.skills)
    needed = reached((name for name in own if name not in going), state.needs)
    if orphans := sorted(name for name in names if name not in needed and state.is_present(name)):
        them = "it" if len(orphans) == 1 else "them"
        yield f"Nothing requires {', '.join(orphans)} any more: skillbag remove {' '.join(orphans)} takes {them} out."


def left_over_notes(state: InstalledState, names: Container[str] = ()) -> Iterator[str]:
    """A note on the left-over skills, except `names`."""
    if found := sorted(name for name in state.left_over if name not in names):
        them = "it" if len(found) == 1 else "them"
        removes = f"skillbag remove {' '.join(found)} deletes {them}"
        yield f"Installed here, and no longer in {LOCK}: {', '.join(found)}. {removes}."


def chains_to(
    name: str, requesters: Mapping[str, Sequence[str]], users: Mapping[str, Iterable[str]]
) -> Iterator[tuple[str, ...]]:
    """The chains from a requester over users to the skill, none with a skill twice.

    By the name of a skill, `requesters` are those that are no skills, `users` the skills that need it.
    """
    pending: list[tuple[str, ...]] = [(name,)]
    while pending:
        chain = pending.pop()
        for requester in requesters.get(chain[0], ()):
            yield (requester, *chain)
        pending += [(user, *chain) for user in users.get(chain[0], ()) if user not in chain]
