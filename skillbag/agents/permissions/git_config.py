"""`git config`: reading is allowed; written may be only settings that name no program."""

from __future__ import annotations

from skillbag.agents.permissions.program_options import words

_READING = words("--get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool --list -l")
_WRITING = words("--add --replace-all --unset --unset-all --all --append")
_WHERE = words("--global --local --system --worktree")
_HOW = words(
    "--show-origin --show-scope --null -z --name-only --includes --no-includes --bool --int --bool-or-int --path "
    "--fixed-value --type=bool --type=int --type=path --type=color"
)
_ELSEWHERE = ("-f", "--file", "--blob")
_KEYS = words(
    "user.name user.email commit.gpgsign tag.gpgsign init.defaultbranch pull.rebase pull.ff push.default "
    "push.autosetupremote push.followtags merge.ff merge.conflictstyle merge.renamelimit diff.renamelimit "
    "diff.algorithm diff.colormoved diff.renames color.ui core.autocrlf core.eol core.safecrlf core.filemode "
    "core.quotepath core.longpaths core.abbrev fetch.prune rebase.autosquash rebase.autostash rerere.enabled log.date "
    "status.showuntrackedfiles branch.autosetuprebase"
)
"""Settings that name no program, no address and no file, in lower case."""


def config_fault(given: list[str]) -> str | None:
    """Reading is free; written are the settings of `_KEYS` alone. Options end where the first other word stands."""
    rest, options, elsewhere = list(given), set[str](), False
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option in _ELSEWHERE:
            elsewhere = True
            del rest[:1]
        elif option.startswith(("--file=", "--blob=")):
            elsewhere = True
        elif option in _READING | _WRITING | _WHERE | _HOW:
            options.add(option)
        else:
            return f"`{option}` is no plain reading or writing of a setting"
    reads = options & _READING or rest[:1] in (["get"], ["list"]) or (len(rest) == 1 and "." in rest[0])
    if reads and not options & _WRITING:
        return None
    if rest[:1] in (["set"], ["unset"]):
        rest = [word for word in rest[1:] if word not in _WRITING | _WHERE]
    if rest and rest[0].lower() in _KEYS and not elsewhere:
        return None
    return f"`{' '.join(given[:2])}` may set what names a program"
