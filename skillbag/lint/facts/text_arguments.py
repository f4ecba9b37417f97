"""Options that a shell or JavaScript script takes, where its text shows them plainly."""

from __future__ import annotations

import re

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.facts.script_arguments import HELP, Arguments, ScriptOption

_GETOPTS = late(r"\bgetopts[ \t]+[\"']?:?([A-Za-z:]+)[\"']?[ \t]+\w+")
_CASE = late(
    r"\bwhile\b[^\n]{0,80}\$#[^\n]*\n(?:[^\n]*\n){0,4}?"
    r"[ \t]*case[ \t]+[\"']?\$\{?1\}?[\"']?[ \t]+in\b(.*?)\n[ \t]*esac",
    re.DOTALL,
)
_BRANCH = late(
    r"(?m)^[ \t]*\(?((?:[\"']?[-\w*?]+[\"']?[ \t]*\|[ \t]*)*[\"']?[-\w*?=]+[\"']?)\)"
    r"(.*(?:\n(?![ \t]*\(?[\"']?[-\w*]+[\"']?\)|[^\n]*;;).*)*)"
)
_REFUSES = late(r"\bexit\b|\busage\b|\bdie\b|\bfail\b|\breturn[ \t]+[1-9]")
_OPTION = late(r"\.(?:requiredOption|option)\(\s*([\"'`])((?:(?!\1).)*)\1")
_NAMES = late(r"--?[A-Za-z][\w-]*")
_PARSED = late(r"([\"']?)([A-Za-z][\w-]*)\1\s*:\s*\{([^{}]*\btype\s*:\s*[\"'](string|boolean)[\"'][^{}]*)\}")
_SHORT = late(r"\bshort\s*:\s*[\"'](\w)[\"']")
_YARGS = late(r"\.option\(\s*[\"']([\w-]+)[\"']")
_ALIAS = late(r"\balias\s*:\s*[\"']([\w-]+)[\"']")


def shell_arguments(source: str) -> Arguments | None:
    """The options of a shell script by its one `getopts`, or by its one loop over `$1` that refuses others."""
    found = _GETOPTS().findall(source)
    loops = _CASE().findall(source)
    if len(found) == 1 and not loops and "--" not in source.replace("--)", ""):
        return Arguments(tuple(_letters(found[0])), exact=False)
    if len(loops) != 1 or found:
        return None
    options, refuses = [HELP], False
    for pattern, body in _BRANCH().findall(loops[0]):
        names = [name.strip().strip("\"'") for name in pattern.split("|")]
        if any("*" in name or "?" in name for name in names):
            refuses = refuses or (bool(_REFUSES().search(body)) and bool({"*", "-*", "--*"}.intersection(names)))
            if not {"*", "-*", "--*"}.issuperset(names):
                return None
        elif names[0].startswith("-"):
            options.append(ScriptOption(tuple(names), 0, -1))
    return Arguments(tuple(options), exact=False) if refuses and len(options) > 1 else None


def _letters(letters: str) -> list[ScriptOption]:
    found = []
    for at, letter in enumerate(letters):
        if letter != ":":
            values = int(letters[at + 1 : at + 2] == ":")
            found.append(ScriptOption((f"-{letter}",), values, values))
    return found


def javascript_arguments(source: str) -> Arguments | None:
    """The options of a script that uses `commander`, `yargs` with `strict()`, or `parseArgs` of Node."""
    options = [HELP]
    if "commander" in source:
        if "allowUnknownOption" in source or "passThroughOptions" in source:
            return None
        options += [
            ScriptOption(tuple(_NAMES().findall(text.partition(" <")[0])), 0, -1)
            for _, text in _OPTION().findall(source)
        ]
        options.append(ScriptOption(("-V", "--version"), 0, 0))
    elif "yargs" in source:
        if ".strict(" not in source:
            return None
        options += [ScriptOption((f"--{name}",), 0, -1) for name in _YARGS().findall(source)]
        options += [
            ScriptOption((f"{'--' if len(name) > 1 else '-'}{name}",), 0, -1) for name in _ALIAS().findall(source)
        ]
        options.append(ScriptOption(("--version",), 0, 0))
    elif "strict: false" in source:
        return None
    else:
        for _, name, body, kind in _PARSED().findall(source):
            short = [f"-{letter}" for letter in _SHORT().findall(body)]
            options.append(ScriptOption((*short, f"--{name}"), int(kind == "string"), int(kind == "string")))
    return Arguments(tuple(options), exact=False) if len(options) > 1 + ("parseArgs" not in source) else None
