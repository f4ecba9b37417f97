"""The command line that makes a check's result again, for a report that is read elsewhere."""

from __future__ import annotations

import os
import shlex

from skillbag.doors.cli.check_options import FLAG, KEYS, OPTIONS, CheckOptions
from skillbag.report.options import base_of_page, located

_LEFT_OUT = {
    *("format", "output", "as_json", "color", "quiet", "verbose", "statistics", "timing", "level", "sort"),
    *("watch", "cache", "fix"),
}
"""Options that change how a result is shown, or what a run writes, but not the findings."""


def command_again(options: CheckOptions) -> str:
    """`skillbag check` with the options that decide what is found, and the paths."""
    words = ["skillbag", "check"]
    for option in OPTIONS:
        value = getattr(options, option.field)
        if option.field in _LEFT_OUT or value == CheckOptions._field_defaults[option.field]:
            continue
        words += [option.names[0]]
        if option.takes != FLAG:
            words += [",".join(value) if option.listed else str(value)]
    for key, (field, _) in KEYS.items():
        value = getattr(options, field)
        if field not in _LEFT_OUT and value != CheckOptions._field_defaults[field]:
            text = ",".join(value) if isinstance(value, tuple) else str(value)
            words += ["--config", f"{key}={text.lower() if value is True else text}"]
    here, paths = os.getcwd(), [*map(os.path.abspath, options.paths)]
    base = base_of_page(here, paths)
    if base != here or any(map(os.path.isabs, options.paths)):
        return shlex.join([*words, *(located(path, base) for path in paths)])
    return shlex.join([*words, *options.paths])
