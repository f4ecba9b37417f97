"""Texts in the languages of `awk`, `sed` and `sqlite3` that are known to run no program."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from skillbag.agents.permissions.program_options import options_of, unknown_option, words
from skillbag.kernel.base.lazy_regex import late

_AWK_TOKENS = late(
    r"""(?: "(?:[^"\\\n]|\\[^\n])*+" | [A-Za-z_]\w*+ | [0-9.]++ | \|\| | && | [<>!=]=
        | [ \t\n{}(),;$+*%<>=!?:~^/\[\]-] )*+""",
    re.VERBOSE,
)
_AWK_STRINGS = late(r'"(?:[^"\\\n]|\\[^\n])*+"')
_AWK_CALLS = late(r"(?<!\w)([A-Za-z_]\w*+)\s*+\(")
_AWK_NAMES = words(
    "and asort atan2 cos delete do else exit exp for gensub gsub if in index int length log match print printf rand "
    "return sin split sprintf sqrt srand strftime strtonum sub substr systime tolower toupper while"
)


def awk_fault(given: Sequence[str]) -> str | None:
    """Why the words of `awk` could run something: its program may hold plain words, and calls that are known."""
    rest = list(given)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        option = rest.pop(0)
        if option in ("-F", "-v"):
            del rest[:1]
        elif not option.startswith(("-F", "-v")):
            return f"`{option}` is no option that is known to run nothing"
    program, *files = rest or [""]
    plain = _AWK_STRINGS().sub('""', program)
    calls = {match[1] for match in _AWK_CALLS().finditer(plain)}
    if not _AWK_TOKENS().fullmatch(program) or not calls <= _AWK_NAMES or re.search(r"\bgetline\b", plain):
        return f"`{program[:80]}` is no plain program of awk"
    if _redirects(plain):
        return f"`{program[:80]}` could write to a file"
    if "/" in plain and '"' in plain:
        return f"`{program[:80]}` has a slash and quotes, which can be read in two ways"
    return next((f"`{word}` comes behind the program" for word in files if word.startswith("-")), None)


def _redirects(plain: str) -> bool:
    """Whether a `>` could be more than a comparison: it is one in parentheses, and outside of braces."""
    parentheses = braces = 0
    for char in plain.replace(">=", ""):
        parentheses += (char == "(") - (char == ")")
        braces += (char == "{") - (char == "}")
        if char == ">" and ("/" in plain or (parentheses <= 0 and braces > 0) or braces < 0):
            return True
    return ">>" in plain


_SED_OPTIONS = (
    "-n -E -r -s -u -z -e: -i --quiet --silent --regexp-extended --expression: --in-place --separate --version --help"
)
_SED_SUFFIX = late(r"-[nErsuz]*i\.\w+|--in-place=\.\w+")
_ADDRESS = r"(?:\d++|\$|/(?:[^\\\n/\[]|\\[^\n]|\[\^?\]?[^\]\\/\n\[]*+\])*+/I?)"
_SUBSTITUTE = (
    r"s(?P<mark>[/|,\#:@%!~+])(?:(?!(?P=mark))[^\\\n\[]|\\[^\n]|\[\^?\]?(?:(?!(?P=mark))[^\]\\\n\[])*+\])*+(?P=mark)"
    r"(?:(?!(?P=mark))[^\\\n]|\\[^\n])*+(?P=mark)[gpIiMm0-9]*+"
)
_TRANSLATE = r"y(?P<sign>[/|,])(?:(?!(?P=sign))[^\\\n])*+(?P=sign)(?:(?!(?P=sign))[^\\\n])*+(?P=sign)"
_SED_COMMAND = late(
    rf"[ ]*+(?:{_ADDRESS}(?:,[ ]*+[+~]?{_ADDRESS})?)?[ ]*+!?[ ]*+"
    rf"(?:[pdD=PnNgGhHxq]|{_SUBSTITUTE}|{_TRANSLATE}|[aic]\\?[ ]*+[^\\\n;}}]++)?[ ]*+(?:;|\Z)"
)


def sed_fault(given: Sequence[str]) -> str | None:
    """Why the words of `sed` could run something: only plain editing, no `e`, `w` and `r`, and no file of commands."""
    known = options_of(_SED_OPTIONS)
    plain = [word for word in given if not _SED_SUFFIX().fullmatch(word)]
    option = unknown_option(plain, known)
    if option or "--expression" in plain:
        return f"`{option or '--expression'}` is no option that is known to run nothing"
    for script in _sed_scripts(plain):
        if not _is_plain_sed(script):
            return f"`{script[:80]}` is no plain script of sed"
    return None


def _is_plain_sed(script: str) -> bool:
    at = 0
    while at < len(script):
        command = _SED_COMMAND().match(script, at)
        if not command or command.end() == at:
            return False
        at = command.end()
    return True


def _sed_scripts(given: Sequence[str]) -> Iterator[str]:
    """The values of `-e`; where there are none, the first words that are no options, of which one is the script."""
    scripts: list[str] = []
    for index, word in enumerate(given):
        if word.startswith("--expression="):
            scripts.append(word.partition("=")[2])
        elif word[:1] == "-" and word[1:2] != "-" and "e" in word:
            value = word.partition("e")[2]
            scripts += [value] if value else given[index + 1 : index + 2]
    operands = [word for word in given if not word.startswith("-")]
    yield from scripts or operands[: 2 if operands[:1] == [""] else 1]


_SQL_OPTIONS = (
    "-header -noheader -csv -json -column -line -list -html -markdown -table -box -tabs -quote -readonly -safe "
    "-bail -batch -separator: -nullvalue: -version -help"
)
_SQL_QUOTED = late(r"""'(?:[^']|'')*+'|"(?:[^"]|"")*+"|`[^`]{0,200}+`|\[[^\]]{0,200}+\]""")
_SQL_CALLS = late(r"""((?<!\w)\w++|["'`\]])\s*+\(""")
_SQL_TABLES = late(r"\b(?:into|table|exists|references)\s+\w++\s*+\(", re.IGNORECASE)
_SQL_NAMES = words(
    "abs all and any as avg between by case cast ceil changes char check coalesce count cte date datetime "
    "distinct else except exists filter floor format from glob group_concat having hex if ifnull iif in instr "
    "intersect into is join json json_array json_array_length json_each json_extract json_group_array "
    "json_group_object json_object json_type julianday key lag last_insert_rowid lead length like limit lower "
    "ltrim max min not nullif on or order over partition pragma_table_info primary printf quote random rank "
    "replace returning round row_number rtrim select set sqlite_version strftime substr substring sum time total "
    "trim typeof union unique unixepoch upper using values varchar decimal numeric when where zeroblob"
)


def sql_fault(given: Sequence[str]) -> str | None:
    """Why the words of `sqlite3` could run something: without statements it reads commands, `.shell` among them."""
    known = options_of(_SQL_OPTIONS)
    if option := unknown_option(given, known):
        return f"`{option}` is no option that is known to run nothing"
    if set(given) & {"-separator", "-nullvalue"}:
        return "`-separator` and `-nullvalue` need their value after `=`"
    database, *statements = [word for word in given if not word.startswith("-")] or [""]
    if not statements and not set(given) & {"-version", "-help"}:
        return f"`{database}` without statements lets sqlite3 read commands, which can run programs"
    return next((f"`{text[:80]}` is no plain SQL" for text in statements if not _is_plain_sql(text)), None)


def _is_plain_sql(text: str) -> bool:
    bare = _SQL_QUOTED().sub('""', text)
    if any(line.lstrip()[:1] in (".", "#") for line in text.splitlines()) or "--" in bare or "/*" in bare:
        return False
    without = _SQL_TABLES().sub(" ", bare)
    return {match[1].lower() for match in _SQL_CALLS().finditer(without)} <= _SQL_NAMES
