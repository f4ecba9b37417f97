"""What the specification says of sessions with active skills, as a model."""

from __future__ import annotations

from typing import NamedTuple

from skillbag.kernel.manifest.names import Permission
from skillbag.runtime.broker.decisions import ApprovalScope


class Skill(NamedTuple):
    """What a skill declares. `needs` has all that is activated before it, `requires` what it can't be without."""

    needs: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    permission: Permission | None = None
    loads: bool = True


SKILLS = {
    "base": Skill(),
    "notes": Skill(("base",), ("base",), Permission.FILE_READ),
    "extra": Skill(("base", "notes"), ("base", "notes"), Permission.ENV_READ),
    "writer": Skill(("base", "notes"), ("base",), Permission.FILE_WRITE),
    "broken": Skill(("base", "notes"), ("base", "notes"), loads=False),
}


class Held(NamedTuple):
    """An active skill: the content that was activated, and whether it holds what was approved once."""

    content: int
    once: bool


class Model:
    """What the specification says. Each skill needs one permission, or none."""

    def __init__(self) -> None:
        self.session = "s1"
        self.content = dict.fromkeys(SKILLS, 0)
        self.lasting: dict[tuple[str, str], int] = {}
        """The approved content by skill and session; always: the session is empty."""
        self.once: dict[str, int] = {}
        self.denied: set[str] = set()
        self.active: dict[str, Held] = {}
        self.failed: set[str] = set()
        self.lost: set[str] = set()
        """What can't go on without the user having said so."""
        self.kept: dict[str, dict[str, Held]] = {"s1": {}, "s2": {}}

    def decide(self, name: str, scope: ApprovalScope | None) -> None:
        """A decision of the user; None revokes."""
        self.denied.discard(name)
        if scope is not ApprovalScope.SESSION:
            self.once.pop(name, None)
            self.lasting.pop((name, ""), None)
        if scope in (None, ApprovalScope.DENY):
            self.lasting = {key: content for key, content in self.lasting.items() if key[0] != name}
            for skills in (self.active, *self.kept.values()):
                skills.update({each: held._replace(once=False) for each, held in skills.items() if each == name})
        if scope is ApprovalScope.DENY:
            self.denied.add(name)
        elif scope is ApprovalScope.ONCE:
            self.once[name] = self.content[name]
        elif scope is not None:
            self.lasting[name, self.session if scope is ApprovalScope.SESSION else ""] = self.content[name]
        held = self.active.get(name)
        if held and not self.may(name, held):
            is_chosen = self.is_chosen(name, held)
            gone = self.deactivate(name)
            self.lost |= set() if is_chosen else gone

    def lasts(self, name: str, content: int) -> bool:
        return content in (self.lasting.get((name, "")), self.lasting.get((name, self.session)))

    def may(self, name: str, held: Held) -> bool:
        return name not in self.denied and (held.once or self.lasts(name, held.content))

    def is_chosen(self, name: str, held: Held) -> bool:
        """Whether the user does not allow what is held; else what is allowed is another content."""
        now = (self.lasting.get((name, "")), self.lasting.get((name, self.session)), self.once.get(name))
        return name in self.denied or all(content in (None, held.content) for content in now)

    def requested(self, name: str) -> set[str]:
        waiting = [each for each in (*SKILLS[name].needs, name) if each not in self.active and SKILLS[each].permission]
        return {each for each in waiting if each not in self.denied and not self._is_approved(each)}

    def _is_approved(self, name: str) -> bool:
        content = self.content[name]
        return self.lasts(name, content) or self.once.get(name) == content

    def activate(self, name: str) -> bool:
        """Activate what is not asked about; whether the skill is active. If not, what it has brought is not either."""
        before = set(self.active)
        if self._activate(name):
            return True
        for each in [each for each in self.active if each not in before][::-1]:
            if not any(each in SKILLS[other].requires for other in self.active):
                del self.active[each]
        return False

    def _activate(self, name: str) -> bool:
        for each in (*SKILLS[name].needs, name):
            if each in self.active:
                continue
            if each in self.denied or not SKILLS[each].loads:
                self.failed.add(each)
                if each in (*SKILLS[name].requires, name):
                    return False
                continue
            lasts = SKILLS[each].permission is None or self.lasts(each, self.content[each])
            self.active[each] = Held(self.content[each], not lasts)
            self.failed.discard(each)
            self.lost.discard(each)
            if not lasts:
                del self.once[each]
        return True

    def deactivate(self, name: str) -> set[str]:
        gone = {each for each in self.active if name in (each, *SKILLS[each].requires)}
        for each in gone:
            del self.active[each]
        self.failed = {each for each in self.failed if name not in (each, *SKILLS[each].requires)}
        gone |= self.lost & {name}
        self.lost.discard(name)
        return gone

    def resume(self, session: str) -> None:
        """What was active in the session is, unless it was edited, may not do what it needs any more, or what it
        requires is not active."""
        self.session, self.active, self.failed, self.lost = session, {}, set(), set()
        chosen: set[str] = set()
        for name, held in self.kept[session].items():
            same = SKILLS[name].permission is None or held.content == self.content[name]
            allowed = SKILLS[name].permission is None or self.may(name, held)
            if same and allowed and all(each in self.active for each in SKILLS[name].requires):
                self.active[name] = held
            elif (not allowed and self.is_chosen(name, held)) or (
                same and allowed and chosen.intersection(SKILLS[name].requires)
            ):
                chosen.add(name)
            else:
                self.lost.add(name)
