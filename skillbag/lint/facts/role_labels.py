"""Lines above a block of code that call it bad, and which of them are about it."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.lint.facts import role_signs as signs


def labels_above(body: str, first: int, command: str) -> Iterator[str]:
    """The lines above a block that may be about it: the nearest, and the one before if that one gives no order to run.

    A whole sentence counts if it points at the block or names a program in it: "Never paste keys in a chat." does not.
    """
    for line in reversed(lines_before(body, first, 2).split("\n")):
        if _introduces(line) and (not line.rstrip(" \r*_").endswith((".", "!")) or _points(line, command)):
            yield line
        if signs.TO_RUN().match(line):
            return


def _points(line: str, command: str) -> bool:
    """Whether a sentence is about a command: it points below, or names a program that the command starts."""
    programs = set(signs.PROGRAMS().findall(command))
    return signs.POINTS().search(line) is not None or not programs.isdisjoint(signs.WORDS().findall(line))


_LABEL_WORDS = 8


def _introduces(line: str) -> bool:
    """Whether a line above a fence may be about it: a heading, a label, or words that end with a colon.

    A whole sentence or item about something else, such as "Do not skip the tests before you commit", is not.
    """
    bare = line.strip(" \r\t*_>")
    if bare.startswith("# "):
        # The title of a page is no label: its author would excuse all of it.
        return False
    return bare.startswith("##") or bare.endswith((":", "：")) or len(bare.split()) <= _LABEL_WORDS


def is_label(line: str) -> bool:
    """Whether a line says that what follows is not to be run."""
    said = line.rstrip(" \r:*_`")[-200:]
    return bool(
        (signs.LABEL().match(line) and not signs.ORDERS().search(said))
        or signs.NEGATES().search(said)
        or signs.OTHERS_DO().search(said)
        or signs.REFUSED().search(said)
        or (signs.ASKS().match(said) and said.endswith("?"))
    )


def lines_before(text: str, offset: int, count: int) -> str:
    """The last lines before `offset` that are not blank."""
    lines = text[max(0, offset - 600) : max(0, offset)].split("\n")[:-1]
    return "\n".join([line for line in lines if line.strip()][-count:])


def opening(before: str) -> list[str]:
    """What stands in its line before each bracket that is still open, with the bracket."""
    found, closed = [], 0
    for match in reversed(list(signs.BRACKETS().finditer(before))):
        if match[0] in ")]}":
            closed += 1
        elif closed:
            closed -= 1
        else:
            found.append(before[before.rfind("\n", 0, match.start()) + 1 : match.end()])
    return found[:4]


def is_list(opening: str) -> bool:
    """Whether the text up to a bracket begins a list of what is bad, or a comparison with what stands in it."""
    if signs.COMPARES().search(opening):
        return True
    is_call = opening.endswith("(") and not signs.NAMED().search(opening)
    return not is_call and signs.BAD_NAMES().search(opening) is not None


def parent(before: str) -> str:
    """The key above the last line of YAML: the nearest line that is indented less and ends with a colon."""
    lines = before.split("\n")
    indent = len(lines[-1]) - len(lines[-1].lstrip())
    for line in reversed(lines[:-1]):
        if line.rstrip().endswith(":") and len(line) - len(line.lstrip()) <= indent:
            return line
    return ""
