"""What a client sets: some options of `skillbag check`, as initialization options or as its section `skillbag`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from skillbag.kernel.workspace.target import TargetKind
from skillbag.lint.engine.request import CheckRequest

SECTION = "skillbag"


class EditorSettings(NamedTuple):
    """Options of `skillbag check` by their names there; paths are relative to a folder that is open."""

    target: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    config: str | None = None
    baseline: str | None = None

    def request(self, path: str, folder: str) -> CheckRequest:
        """The check of a path, with paths in settings relative to `folder`."""
        return CheckRequest(
            (path,),
            TargetKind(self.target) if self.target else None,
            config=os.path.join(folder, self.config) if self.config else None,
            select=self.select,
            ignore=self.ignore,
            exclude=self.exclude,
            here=folder,
        )


def read_settings(given: object) -> tuple[EditorSettings, list[str]]:
    """The settings in what a client sends, and what is wrong with it; a wrong one is left out."""
    table = given if isinstance(given, Mapping) else {}
    if isinstance(inner := table.get(SECTION), Mapping):
        table = inner
    found = dict(EditorSettings._field_defaults)
    faults = []
    for name in EditorSettings._fields:
        value = table.get(name)
        if value in (None, "", [], ()):
            continue
        try:
            found[name] = _read(name, value)
        except ValueError as error:
            faults.append(f"The setting {SECTION}.{name} is ignored: {error}")
    return EditorSettings(**found), faults


def _read(name: str, value: object) -> object:
    if isinstance(EditorSettings._field_defaults[name], tuple):
        names = value.split(",") if isinstance(value, str) else value
        if not isinstance(names, list | tuple) or not all(isinstance(each, str) for each in names):
            raise ValueError("write a list of texts.")
        return tuple(each.strip() for each in names if each.strip())
    if not isinstance(value, str):
        raise ValueError("write a text.")
    if name == "target" and value not in (kinds := [str(kind) for kind in TargetKind]):
        raise ValueError(f"write one of {', '.join(kinds)}.")
    return value
