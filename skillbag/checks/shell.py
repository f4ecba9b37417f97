"""Shell scripts: a cheap look that finds what may be unbalanced, and `bash -n` that says whether it is."""

from __future__ import annotations

import re
from collections import Counter

from skillbag.late import late

TIMEOUT = 5.0
"""Seconds that `bash -n` may take; a script that takes longer is passed over."""

_SHEBANG = late(r"#!\s*\S*/(?:env\s+(?:-S\s+)?)?(?:ba|da|k|a)?sh\b")
_HEREDOC = late(r"<<(-?)[ \t]*([\"']?)([A-Za-z_]\w*)\2")
# What must not be taken for keywords or brackets: quoted text, escapes, expansions, comments.
_OPAQUE = late(
    r"\\.|\$'[^'\\]*(?:\\.[^'\\]*)*'|'[^']*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\"|\$\{[^{}]*\}|\$[#?$!@*-]|(?:(?<=\s)|^|(?<=[;&|()]))#[^\n]*",
    re.DOTALL | re.MULTILINE,
)
_WORD = late(
    r"(?:^|[;&|({!`]|\b(?:then|do|else|elif|if|while|until)[ \t])[ \t]*"
    r"(?=(if|then|elif|fi|do|done|case|esac|for|while|until|select|\}|\{)(?![\w.=/+-]))",
    re.MULTILINE,
)
_STRAY = late(
    r"^[ \t]*(?:&&|\|\|?|;(?!;)|then[ \t]*;|do[ \t]*;)|(?:&&|\|\|?)[ \t]*(?:&&|\|\||;)|[^;];[ \t]+;(?!;)", re.MULTILINE
)
_NO_BRACKET = late(r"[^(){}]+")
_LINE = re.compile(rb"line (\d+): ([^\n]+)")


def shell_fault(text: str) -> tuple[int, str] | None:
    """The line and the shell's words where a script in `sh` or `bash` can't be read; None without a fault or a bash.

    The script is never run: only one that looks unbalanced is given to `bash -n`.
    """
    source = text.replace("\r\n", "\n")
    if source.startswith("#!") and not _SHEBANG().match(source):
        return None
    return _confirm(source) if is_suspect(source) else None


def is_suspect(source: str) -> bool:
    """Whether a script may have a fault of syntax; sound scripts with unusual quoting are suspects too."""
    bare = _without_heredocs(source)
    if bare is None:
        return True
    bare = _OPAQUE().sub(_blanked, bare)
    if '"' in bare or "'" in bare or bare.count("`") % 2 or _STRAY().search(bare):
        return True
    words = Counter(_WORD().findall(bare))
    loops = words["for"] + words["while"] + words["until"] + words["select"]
    unbalanced = (
        words["if"] != words["fi"]
        or words["then"] != words["if"] + words["elif"]
        or words["do"] != words["done"]
        or words["do"] != loops
        or words["case"] != words["esac"]
        or bare.count("{") != bare.count("}")
    )
    # The patterns of a `case` end with a bracket that nothing opens.
    brackets = bare.count("(") - bare.count(")")
    return unbalanced or brackets > 0 or (brackets < 0 and not words["case"])


def _blanked(match: re.Match[str]) -> str:
    # Brackets stay: the quotes within `"$(x "y")"` cut it into pieces that balance only together.
    return f" _ {_NO_BRACKET().sub('', match[0])}" if match[0][0] == '"' else " _ "


def _without_heredocs(source: str) -> str | None:
    """The script without the bodies of its here-documents; None where one does not end."""
    if "<<" not in source:
        return source
    kept: list[str] = []
    pending: list[tuple[bool, str]] = []
    for line in source.split("\n"):
        if pending:
            tabs, word = pending[0]
            if (line.lstrip("\t") if tabs else line) == word:
                pending.pop(0)
            continue
        kept.append(line)
        if "<<" in line and not line.lstrip().startswith("#"):
            plain = line.replace("<<<", "   ")
            pending += [(bool(match[1]), match[3]) for match in _HEREDOC().finditer(plain)]
    return None if pending else "\n".join(kept)


def _confirm(source: str) -> tuple[int, str] | None:
    import os
    import shutil
    import subprocess

    program = shutil.which("bash")
    if program is None or os.name == "nt":
        return None
    # Patterns such as `!(x)` are read only where the option is on, and `-n` does not carry out the line that sets it.
    options = ["-O", "extglob"] if "extglob" in source else []
    try:
        done = subprocess.run(
            [program, "--norc", "--noprofile", *options, "-n"],
            input=source.encode("utf-8", "replace"),
            capture_output=True,
            check=False,
            timeout=TIMEOUT,
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode == 0 and b"here-document" not in done.stderr:
        return None
    if match := _LINE.search(done.stderr):
        last = source.count("\n") + 1
        return min(int(match[1]), last), match[2].decode("utf-8", "replace").strip()
    return None
