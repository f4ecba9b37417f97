"""Options and subcommands of git that could run another program, for patterns such as `Bash(git:*)`.

Programs that the user's own configuration names (an editor, a pager, hooks, filters) count as git; those that the words
of a command name do not. A subcommand that is not in the table is refused: it may be an alias, or any program whose
name begins with `git-`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from skillbag.agents.permissions.git_config import config_fault
from skillbag.agents.permissions.git_paths import entered, hooks_fault, is_remote, place_fault
from skillbag.agents.permissions.program_options import Commands, option_fault, words
from skillbag.agents.permissions.program_tables import IDLE
from skillbag.agents.permissions.shell_lines import Filled, GlobWord
from skillbag.kernel.base.lazy_regex import late

_GLOBAL = words(
    "--no-pager -P --version -v --help -h --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs "
    "--no-replace-objects --no-optional-locks --no-lazy-fetch --no-advice --exec-path --html-path --man-path "
    "--info-path"
)
"""Before the subcommand, with `-C DIR`. Left out are those that bring in other settings, another repository or a pager:
`-c`, `--config-env`, `--exec-path=`, `--git-dir`, `--work-tree`, `--bare`, `--namespace`, `-p`."""

_HELP = ("--help", "-h")

_SUBCOMMANDS = words(
    "add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap "
    "check-ref-format checkout checkout-index cherry cherry-pick clean clone commit commit-graph commit-tree config "
    "count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc grep "
    "hash-object help init log ls-files ls-remote ls-tree merge merge-base merge-tree mktree mv name-rev notes "
    "pack-refs patch-id prune pull push range-diff read-tree rebase reflog remote repack rerere reset restore rev-list "
    "rev-parse revert rm shortlog show show-branch show-ref sparse-checkout stage stash status stripspace submodule "
    "switch symbolic-ref tag update-index update-ref var verify-commit verify-tag version whatchanged worktree "
    "write-tree"
)

_NAMES: Mapping[str, str] = {
    "config": "brings in settings, which name programs",
    "exec": "names a program to run",
    "ext-diff": "runs the program that compares files",
    "extcmd": "names a program to run",
    "open-files-in-pager": "names a program to run",
    "output": "writes to any file, such as a hook or a start file of a shell",
    "receive-pack": "names a program to run",
    "strategy": "names a program git-merge-NAME",
    "textconv": "runs programs that convert files",
    "upload-pack": "names a program to run",
    "web": "opens a browser",
}
"""Long options that no subcommand may have."""

_SPARED = frozenset({"text"})
"""Harmless options with which one of those begins."""

_UPSTREAM = {"set-upstream": "could make a folder, whose hooks would run, what is pushed to"}
_FOREIGN_HOOKS = {
    "template": "brings in hooks",
    "separate-git-dir": "makes any folder a repository, with the hooks that lie there",
}
_NAMES_OF: Mapping[str, Mapping[str, str]] = {
    "archive": {"remote": "runs what the settings of a folder say, where the address is one"},
    "apply": {"build-fake-ancestor": "writes to any file", "unsafe-paths": "writes outside of the work tree"},
    "checkout-index": {"prefix": "writes to any folder, hooks among them"},
    "clone": _FOREIGN_HOOKS,
    "fetch": _UPSTREAM,
    "format-patch": {"suffix": "leads to any file"},
    "help": {"info": "opens another reader"},
    "init": {"bare": "makes the folder a repository, with the hooks that lie there", **_FOREIGN_HOOKS},
    "pull": _UPSTREAM,
    "push": {
        "push-option": "its value could pass for the address",
        "recurse-submodules": "pushes to addresses that were not checked",
        "repo": "could name a folder, whose hooks would run",
    },
    "read-tree": {"index-output": "writes to any file"},
}

_LETTERS_OF: Mapping[str, Mapping[str, str]] = {
    "archive": {"o": "writes to any file"},
    "clone": {"c": "brings in settings, which name programs", "u": "names a program to run"},
    "grep": {"O": "names a program to run"},
    "help": {"w": "opens a browser", "i": "opens another reader"},
    "merge": {"s": "names a program git-merge-NAME"},
    "pull": {"s": "names a program git-merge-NAME"},
    "push": {"o": "its value could pass for the address"},
    "rebase": {"s": "names a program git-merge-NAME", "x": "names a program to run"},
}

_VERBS: Mapping[str, frozenset[str]] = {
    "bisect": words("start bad new good old skip reset log terms next"),
    "bundle": frozenset({"verify", "list-heads"}),
    "submodule": words("add status init deinit update set-branch set-url summary sync"),
}
"""Allowed subcommands of these: not `bisect run`, not `submodule foreach`, and no bundle written to any file."""

_OF_PATHS = words("add blame checkout clean commit diff grep log ls-files mv reset restore rm show status")
"""After `--` these take paths alone. Others hand such words on to further commands of git as they are."""

_OF_GLOBS = _OF_PATHS - {"mv"} | {"stage"}
"""Those to which names of files may be given by a glob."""

_HARMLESS = words("add ls-files rm stage status")
"""No option of these runs anything or writes to a file: a name that looks like one may come of a glob."""

_OF_TEXTS = words("commit merge notes stash tag")
"""Their words are texts and names: whatever a parameter in one stands for, it does not begin with a hyphen."""

_READING = words(
    "add annotate blame branch cat-file check-ignore commit config count-objects describe diff fetch for-each-ref grep "
    "help log ls-files ls-remote ls-tree merge-base name-rev notes push reflog remote rev-list rev-parse shortlog show "
    "show-branch show-ref status tag version whatchanged"
)
"""These leave the files of the work tree as they are: no folder becomes a repository, or a link."""

_STRATEGIES = words("octopus ort ours recursive resolve subtree")
"""Strategies that are git's own."""

_OF_REMOTES = words("archive clone fetch ls-remote pull push remote submodule")
_HELPER = late(r"(?:--?[\w-]+=)?(?:[\w.+-]*::.*|(?!(?:https?|ssh|git|ftps?|file)://)[\w.+-]+://.*)|.*://-.*")
"""`ext::sh -c …`, `scheme://…` of a helper program, and a host that ssh would take for an option."""

_FAR = late(r"(?:https?|ssh|git|ftps?)://[\w\[].*|\w[\w.-]+(?:@\w[\w.-]*)?:(?!:|//).*")
_GIT_FOLDER = late(r"(?:^|[/\\=:]|^-\w+)(?:\.git|git~\d+)(?:[/\\]|$)", re.IGNORECASE)


def git_fault(command: tuple[str, ...], folder: str, root: str, before: Commands = ()) -> str | None:
    """Why a command of git could run something that its user did not set up; None where it could not.

    `folder` is where it is run, in the workspace `root`; `before` are the commands before it in its line.
    """
    rest = list(command[1:])
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option in _HELP:
            rest.insert(0, "help")  # as git does, with all that follows
            break
        if option == "-C" and rest:
            if any(_moves(other) for other in before):
                return "`-C` must come before commands that change files: they could make the folder a repository"
            place, why = entered(folder, rest.pop(0), root)
            if place is None:
                return why
            folder = place
        elif option not in _GLOBAL:
            return f"`{option}` before the subcommand brings in settings, a repository or a pager"
    return _subcommand_fault(rest, folder, root, before) if rest else None


def _moves(command: tuple[str, ...]) -> bool:
    """Whether a command may change files of the work tree."""
    rest = command[1:]
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] == "-C" else rest[1:]
    if command[0] in IDLE:
        return False
    return command[0] != "git" or bool(rest and rest[0] not in _READING)


def _subcommand_fault(given: list[str], folder: str, root: str, before: Commands) -> str | None:
    subcommand, *rest = given
    if subcommand not in _SUBCOMMANDS:
        return f"`{subcommand}` runs other programs, or is none of git's own subcommands"
    if rest[:1] == ["--help"] and len(rest) > 1:
        return "`--help` takes no further words here: they would be options of git help"
    return (
        _unknown_word_fault(subcommand, rest)
        or _option_fault(subcommand, rest)
        or _word_fault(subcommand, rest)
        or _operand_fault(subcommand, rest, folder, before)
        or place_fault(subcommand, rest, folder, root, first=not before)
        or hooks_fault(subcommand, rest, folder)
    )


def _unknown_word_fault(subcommand: str, rest: list[str]) -> str | None:
    """Why a word that the shell replaces may become something else than a path or a text."""
    end = _end_of_options(rest) if subcommand in _OF_PATHS else len(rest)
    for index, word in enumerate(rest):
        if isinstance(word, Filled) and subcommand not in _OF_TEXTS:
            return f"`{word}` holds a parameter, whose value is not known here; escape the `$`"
        if not isinstance(word, GlobWord):
            continue
        if subcommand not in _OF_GLOBS:
            return f"`{word}` is a glob, and git {subcommand} takes more than paths; write the names out"
        if word.startswith("-") or (word.startswith(("*", "?")) and subcommand not in _HARMLESS and index < end):
            return f"`{word}` may become an option, by the name of a file; put it behind `--`, or begin it with `./`"
    return None


def _option_fault(subcommand: str, rest: list[str]) -> str | None:
    if subcommand == "config":
        return None
    options = rest[: _end_of_options(rest)] if subcommand in _OF_PATHS else _without_strategies(rest)
    names = {**_NAMES, **_NAMES_OF.get(subcommand, {})}
    return option_fault(options, _LETTERS_OF.get(subcommand, {}), names, _SPARED)


def _without_strategies(rest: list[str]) -> list[str]:
    """The words but for `-s NAME` and `--strategy=NAME` of git's own strategies."""
    left: list[str] = []
    given = iter(rest)
    for word in given:
        if word in ("-s", "--strategy"):
            name = next(given, "")
            left += [] if name in _STRATEGIES else [word, name]
        elif not (word.startswith("--strategy=") and word.partition("=")[2] in _STRATEGIES):
            left.append(word)
    return left


def _end_of_options(rest: list[str]) -> int:
    """The index of the `--` that ends them: not one that the option before it takes for its value."""
    for index, word in enumerate(rest):
        before = rest[index - 1] if index else ""
        has_value = before.startswith("--") and "=" in before
        if word == "--" and not isinstance(before, GlobWord) and (has_value or not before.startswith("-")):
            return index
    return len(rest)


def _word_fault(subcommand: str, rest: list[str]) -> str | None:
    for word in rest:
        if _GIT_FOLDER().search(word):
            return f"`{word}` leads into git's own folder, where hooks and settings lie"
        if subcommand in _OF_REMOTES and _HELPER().fullmatch(word):
            return f"`{word}` names a program as an address"
    return None


def _operand_fault(subcommand: str, rest: list[str], folder: str, before: Commands) -> str | None:
    if subcommand == "config":
        return config_fault(rest)
    operands = [word for word in rest if not word.startswith("-")]
    verbs = _VERBS.get(subcommand)
    if verbs and operands and operands[0] not in verbs:
        return f"`{operands[0]}` runs programs, or writes to any file"
    if subcommand == "push" and operands and not _FAR().fullmatch(operands[0]):
        renamed = any("remote" in command for command in before)
        if renamed or not is_remote(operands[0], folder):
            return f"`{operands[0]}` may be a folder, whose hooks would run"
    if subcommand == "remote" and operands[:1] in (["add"], ["set-url"]):
        folders = [address for address in operands[2:] if not _FAR().fullmatch(address)]
        return f"`{folders[0]}` may be a folder, whose hooks would run at a push" if folders else None
    return None
