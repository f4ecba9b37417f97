"""What a JavaScript file shares with other files of its skill: what it imports and exports, and what starts it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from skillbag.lint.facts import javascript_forms as forms
from skillbag.lint.facts.javascript_tree import ScriptToken
from skillbag.lint.facts.skill_files import FilesBeside, member
from skillbag.lint.facts.values import Step

_INPUTS = {"process.argv": "argv", "process.stdin": "stdin"}
_DEFAULT = "default"
_DEFAULTS = frozenset([_DEFAULT, "exports"])


class ScriptLinks:
    """The names of one file that other files have, too."""

    def __init__(self, files: FilesBeside) -> None:
        self.files = files
        # Local names: of a whole file, and of a member of one.
        self.modules: dict[str, str] = {}
        self.members: dict[str, str] = {}
        self.variables = set[str]()
        self.defaults = set(_DEFAULTS)

    def required(self, targets: Sequence[ScriptToken], items: Sequence[ScriptToken]) -> None:
        """What `const … = require("./x")` or `= new Client()` gives names."""
        items = items[1:] if items and items[0].text in ("await", "new") else items
        if not targets or len(items) < 2 or items[0].kind != "name" or self.files.skill is None:
            return
        first = items[0].text
        if first in ("require", "import") and items[1].kind == "(":
            self._named(targets, forms.constant_of(items[1]), [item.text for item in items[2:] if item.kind == "name"])
        elif first in self.members:
            self.modules[targets[0].text] = self.members[first].split(":")[1]

    def imported(self, items: Sequence[ScriptToken]) -> None:
        """What `import … from "./x"` gives names."""
        if self.files.skill is not None and len(items) > 2 and items[-1].kind == "string":
            targets = [item for item in items[1:-1] if item.text not in ("from", "*", "as", ",", "type")]
            for target in targets:
                self._named([target], items[-1].text, [_DEFAULT] if items[1] is target else [])

    def _named(self, targets: Sequence[ScriptToken], module: str, fields: Sequence[str]) -> None:
        path = self.files.javascript(module)
        if not path or path == self.files.own:
            return
        if targets[0].kind == "{":
            for part in forms.parts_of(targets[0].inner):
                names = [item.text for item in part if item.kind == "name" and item.text not in ("as", "type")]
                if names:
                    self.members[names[-1]] = member(path, names[0])
        elif fields and fields != [_DEFAULT]:
            self.members[targets[0].text] = member(path, fields[0])
        else:
            self.modules[targets[0].text] = path

    def shared(self, first: str, name: str, *, is_whole: bool) -> str:
        """The shared name of what is called or read as `name`: of the variable `first`, or of something in it."""
        field = name.rpartition(".")[2]
        if first in self.modules:
            return member(self.modules[first], _DEFAULT if is_whole else field)
        if first in self.members:
            shared = self.members[first]
            return shared if is_whole else member(shared.split(":")[1], field)
        return ""

    def taken(self, first: str, name: str, *, is_whole: bool) -> frozenset[str]:
        """The shared name of what a dotted name gives: of another file, or of what starts the program."""
        if name in _INPUTS:
            shared = self.files.member(_INPUTS[name])
        elif name.startswith("process.env."):
            shared = self.files.member(f"env:{name[12:]}") or f"env:{name[12:]}"
        else:
            shared = self.shared(first, name, is_whole=is_whole)
        return frozenset([shared]) if shared else frozenset()

    def item(self, name: str, index: ScriptToken) -> frozenset[str]:
        """The shared name of an argument of the program: the first one is the third of a list."""
        text = index.inner[0].text if len(index.inner) == 1 else ""
        if name != "process.argv" or not text.isdigit() or not self.files.own:
            return frozenset()
        return frozenset([self.files.member(f"argv#{int(text) - 1}")])

    def own_steps(self, functions: Mapping[str, Sequence[tuple[str, ...]]]) -> Iterator[Step]:
        """What others get of this file, and what its functions get of others."""
        if not self.files.own:
            return
        own = self.files.member
        for name, parameters in functions.items():
            for shared in (name, *([_DEFAULT] if name in self.defaults else [])):
                yield Step((own(f"{shared}()"),), frozenset([f"{name}()"]))
                for number, names in enumerate(parameters):
                    yield Step(names, frozenset([own(f"{shared}#{number}")]))
        for name in sorted(self.variables):
            yield Step((own(_DEFAULT if name in self.defaults else name),), frozenset([name]))
