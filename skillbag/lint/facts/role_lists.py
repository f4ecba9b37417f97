"""Lists of what is bad: by the name that a program or a file of settings gives them, and by their brackets."""

from __future__ import annotations

from skillbag.lint.facts import role_signs as signs


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
