"""Shell scripts: a quick look for what may be unbalanced, and `bash -n` to confirm it."""

from __future__ import annotations

import os
import re
from collections import Counter

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.verbose import log_step
from skillbag.kernel.fs.trace import mark_uncacheable
from skillbag.kernel.workspace import programs

TIMEOUT = 5.0
"""Seconds that `bash -n` may take; a script that takes longer is skipped."""
_LARGE, _LARGE_TIMEOUT = 65_536, 0.7
"""Larger scripts, in code points, have less time: a hostile one would take all of it."""

_SHEBANG = late(r"#!\s*\S*/(?:env\s+(?:-S\s+)?)?(?:ba|da|k|a)?sh\b")
_HEREDOC = late(r"<<(-?)[ \t]*([\"']?)([A-Za-z_]\w*)\2")
# The patterns run over whole scripts, so each begins with characters that the machine can search for.
# Text that must not count as keywords or brackets: quoted text, escapes, expansions, comments.
_OPAQUE = late(
    r"(\\.|'[^']*+'|\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"|\$(?:'[^'\\]*+(?:\\.[^'\\]*+)*+'|\{[^{}]*+\}|[#?$!@*-])"
    r"|#(?<![^\s;&|()]#)[^\n]*+)",
    re.DOTALL,
)
_BRACKETS = frozenset("(){}")
_BRACKET = late(r"[(){}]")
_LEADS = "|".join(
    [*(re.escape(sign) for sign in "\n;&|({!`")]
    + [rf"{word}(?<!\w{word})[ \t]" for word in ("then", "do", "else", "elif", "if", "while", "until")]
)
_WORD = late(rf"(?:{_LEADS})[ \t]*+(?=(if|then|elif|fi|do|done|case|esac|for|while|until|select|\}}|\{{)(?![\w.=/+-]))")
_STRAY = late(
    r"\n[ \t]*+(?:&&|\|\|?|;(?!;)|then[ \t]*;|do[ \t]*;)"
    r"|&&[ \t]*+(?:&&|\|\||;)|\|\|?[ \t]*+(?:&&|\|\||;)|;(?<=[^;];)[ \t]++;(?!;)"
)
_LINE = rb"line (\d+): ([^\n]+)"
_HEREDOC_END = rb"here-document at line (\d+) delimited by end-of-file \(wanted `([^\n]{1,100}?)'\)"


def shell_fault(text: str) -> tuple[int, str] | None:
    """The line and the shell's message of a syntax error of `sh` or `bash`; None without an error or without bash.

    The script is never run; only one that looks unbalanced is passed to `bash -n`.
    """
    source = text.replace("\r\n", "\n")
    if source.startswith("#!") and not _SHEBANG().match(source):
        return None
    return _confirm(source) if is_suspect(source) else None


def is_suspect(source: str) -> bool:
    """Whether a script may have a syntax error; valid scripts with unusual quoting may, too."""
    bare = _without_heredocs(source)
    if bare is None:
        return True
    bare = _blanked(bare)
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


def _blanked(source: str) -> str:
    """The script after a line feed, with a placeholder for all opaque text."""
    pieces = _OPAQUE().split(source)
    # Brackets stay: the quotes within `"$(x "y")"` cut it into pieces that balance only together.
    pieces[1::2] = [
        f" _ {''.join(_BRACKET().findall(piece))}" if piece[0] == '"' and not _BRACKETS.isdisjoint(piece) else " _ "
        for piece in pieces[1::2]
    ]
    return "\n" + "".join(pieces)


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
    import subprocess

    # Other shells may parse the script differently.
    program = programs.find("bash") if os.name != "nt" else None
    if program is None:
        return None
    # Patterns such as `!(x)` are read only where the option is on, and `-n` does not carry out the line that sets it.
    options = ["-O", "extglob"] if "extglob" in source else []
    log_step("runs {} -n, to find errors of syntax", program)
    try:
        done = subprocess.run(
            [program, "--norc", "--noprofile", *options, "-n"],
            input=source.encode("utf-8", "replace"),
            capture_output=True,
            check=False,
            timeout=TIMEOUT if len(source) <= _LARGE else _LARGE_TIMEOUT,
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired):
        mark_uncacheable()
        return None
    if done.returncode == 0 and b"here-document" not in done.stderr:
        return None
    if match := re.search(_HEREDOC_END, done.stderr):
        return int(match[1]), f"no line `{match[2].decode('utf-8', 'replace')}` ends this here-document"
    if match := re.search(_LINE, done.stderr):
        last = source.count("\n") + 1
        return min(int(match[1]), last), match[2].decode("utf-8", "replace").strip()
    return None
