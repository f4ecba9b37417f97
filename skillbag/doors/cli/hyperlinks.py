"""Whether a terminal shows hyperlinks (OSC 8), and the form of its links to places in files.

No terminal can be asked, so those known to show them are listed. Others might print the addresses.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

_OFF = ("", "0", "false")
_PROGRAMS = frozenset(("Hyper", "WezTerm", "ghostty", "iTerm.app", "terminology", "vscode"))
"""Values of `TERM_PROGRAM`."""
_TERMINALS = frozenset(("alacritty", "alacritty-direct", "foot", "wezterm", "xterm-ghostty", "xterm-kitty"))
"""Values of `TERM`."""
_VARIABLES = ("DOMTERM", "KITTY_WINDOW_ID", "KONSOLE_VERSION", "WT_SESSION")
"""Variables that only terminals with hyperlinks set."""
_OLD_VTE = 5000
"""The version of VTE (GNOME Terminal and others) up to which hyperlinks are unknown to it, or crash it."""


def link_form(stream: TextIO, color: bool) -> str:
    """The form of addresses of places, with `{path}`, `{line}` and `{column}`; empty where links are not shown.

    `FORCE_HYPERLINK` decides, if it is set. Without it, who wants no colours gets no links either.
    """
    forced = os.environ.get("FORCE_HYPERLINK")
    shown = _shows_links(stream) and color if forced is None else forced.lower() not in _OFF
    if not shown:
        return ""
    if os.environ.get("TERM_PROGRAM") == "vscode":
        # It takes a host for that of a Windows share.
        return "file://{path}"
    # Kitty opens the line. Others take it for a part of the name, or refuse the address.
    line = "#{line}" if os.environ.get("TERM") == "xterm-kitty" else ""
    return f"file://{_host()}{{path}}{line}"


def _shows_links(stream: TextIO) -> bool:
    environ = os.environ
    if environ.get("TERM") == "dumb" or not stream.isatty():
        return False
    vte = environ.get("VTE_VERSION", "")
    return (
        environ.get("TERM_PROGRAM") in _PROGRAMS
        or environ.get("TERM") in _TERMINALS
        or any(name in environ for name in _VARIABLES)
        or (vte.isdecimal() and int(vte) > _OLD_VTE)
    )


def _host() -> str:
    """The host of the files: a terminal on another one, as over SSH, does not open its own file of the same name."""
    if distribution := os.environ.get("WSL_DISTRO_NAME"):
        return f"wsl$/{distribution}"
    # Windows has no `uname`, and would take a host for that of a share.
    return os.uname().nodename if hasattr(os, "uname") else ""
