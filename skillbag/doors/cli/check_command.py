"""The command line that makes a check's result again, for a report that is read elsewhere."""

from __future__ import annotations

import shlex

from skillbag.doors.cli.check_options import FLAG, OPTIONS, CheckOptions

_LEFT_OUT = {
    *("format", "output", "also", "as_json", "color", "quiet", "verbose", "statistics", "timing", "level", "sort"),
    *("watch", "cache", "fix", "write_baseline", "diff"),
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
    return shlex.join([*words, *options.paths])
