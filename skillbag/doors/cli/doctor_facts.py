"""What `skillbag doctor` looks at. Each fact is ok, a note or a problem; values that may be secrets are never in it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Annotated, NamedTuple

from skillbag import DOCUMENTATION, STANDARD_VERSION, __version__
from skillbag.doors.cli.output_style import colored
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.base.extras import to_install
from skillbag.kernel.base.json_records import fits
from skillbag.kernel.workspace.target import ENTRYPOINT, SKILL_ROOT

OK, NOTE, PROBLEM = "ok", "note", "problem"

_EXTRAS = {
    "audit": (("distributed", "pyarrow"), "skillbag team audit on a Dask cluster and with --format parquet"),
    "graph": (("fast_sugiyama",), "tree --format svg"),
    "javascript": (
        ("tree_sitter", "tree_sitter_javascript", "tree_sitter_typescript"),
        "syntax errors of JavaScript and TypeScript",
    ),
    "lsp": (("pygls",), "skillbag agent lsp"),
    "mcp": (("mcp",), "skillbag agent mcp"),
    "registry": (("uvicorn",), "skillbag team registry serve"),
    "runtime": (("starlark", "semantic_version"), "active skills"),
    "sbom": (("cyclonedx",), "skillbag capabilities --format cyclonedx"),
    "watch": (("watchfiles",), "check --watch, refresh --watch, runtime dev"),
}
"""By extra: its modules, and what it is for."""

_SHOWN = frozenset(
    f"SKILLBAG_{name}"
    for name in (
        "ALLOW_CODE",
        "APPROVE_SKILLS",
        "CACHE_DIR",
        "CONFIG_DIR",
        "PERSONAL_DIR",
        "RUNTIME",
        "SESSION_TYPE",
        "STATE_DIR",
        "WORKSPACE",
    )
)
"""Variables whose values are no secrets; of others only the name is shown."""

_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
_OLDEST_GIT = (2, 25)


class DoctorFact(NamedTuple):
    """What was found on a subject, and what to do about it."""

    subject: Annotated[str, fits(minLength=1), "What it is about, such as `git` or the name of a variable."]
    status: Annotated[str, fits(enum=("ok", "note", "problem"))]
    found: Annotated[str, fits(minLength=1), "What is there. Values that may be secrets are not in it."]
    todo: Annotated[str, "What to do; empty where nothing is."] = ""


class DoctorJson(NamedTuple):
    """What was found; the exit code is 1 where something is broken."""

    facts: Annotated[tuple[DoctorFact, ...], fits(minItems=1)]


def facts(folder: str) -> Iterator[DoctorFact]:
    """All facts, for the absolute working folder; what can't be looked at is a problem of its own."""
    looks: tuple[Callable[[str], Iterator[DoctorFact]], ...] = (
        *(_python, _program, _git, _caches, _settings, _workspace),
        *(_configuration, _variables, _agents, _sandbox, _terminal),
    )
    for look in looks:
        try:
            yield from look(folder)
        except (UserError, OSError) as error:
            yield DoctorFact(look.__name__.lstrip("_"), PROBLEM, format_error(error), "Correct what the message names.")


def _python(_: str) -> Iterator[DoctorFact]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield DoctorFact("python", OK, f"{version} at {sys.executable}")
    own = sys.prefix != sys.base_prefix
    yield DoctorFact(
        "environment", OK, f"{sys.prefix} ({'an environment of its own' if own else 'of the system or the user'})"
    )


def _program(_: str) -> Iterator[DoctorFact]:
    yield DoctorFact("skillbag", OK, f"{__version__} for SkillBag {STANDARD_VERSION}")
    for name, (modules, purpose) in _EXTRAS.items():
        missing = [module for module in modules if find_spec(module) is None]
        if missing:
            found, todo = f"not installed ({', '.join(missing)})", f"For {purpose}: {to_install(name)}"
            yield DoctorFact(f"extra {name}", NOTE, found, todo)
        else:
            yield DoctorFact(f"extra {name}", OK, f"installed: {purpose}")


def _git(_: str) -> Iterator[DoctorFact]:
    import subprocess

    from skillbag.kernel.workspace.programs import find

    path = find("git")
    if path is None:
        yield DoctorFact("git", PROBLEM, "not found on PATH", "Install git: skills from repositories need it.")
        return
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        yield DoctorFact("git", PROBLEM, f"{path} does not start", "Install git again, or correct PATH.")
        return
    words = done.stdout.split()
    version = words[2] if len(words) > 2 else "of unknown version"
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    old = len(numbers) == 2 and numbers < _OLDEST_GIT
    yield DoctorFact("git", NOTE if old else OK, f"{version} at {path}", "Update git." if old else "")


def _caches(_: str) -> Iterator[DoctorFact]:
    from skillbag.kernel.base.ownership import is_own_folder
    from skillbag.kernel.base.user_dirs import CACHE_VARIABLE, STATE_VARIABLE, named_cache_folder, named_state_folder
    from skillbag.supply.install.caching import size

    places = (("cache", named_cache_folder, CACHE_VARIABLE), ("state", named_state_folder, STATE_VARIABLE))
    for name, folder_of, variable in places:
        folder = folder_of()
        present = next(path for path in _upward(folder) if os.path.exists(path))
        if not is_own_folder(folder):
            todo = f"Remove it, or set {variable} to a folder of your own."
            yield DoctorFact(
                name, PROBLEM, f"another user may have written in {folder}, so nothing in it is used", todo
            )
        elif not os.path.isdir(present) or not os.access(present, os.W_OK | os.X_OK):
            todo = f"Make {present} a folder that you can write, or set {variable} to one."
            yield DoctorFact(name, PROBLEM, f"{folder} can't be written", todo)
        elif present != folder:
            yield DoctorFact(name, OK, f"{folder} (not there yet)")
        else:
            yield DoctorFact(name, OK, f"{folder} ({size(folder) / 1e6:.1f} MB)")


def _settings(_: str) -> Iterator[DoctorFact]:
    from skillbag.agents.settings.user_settings import personal_root, read_user_settings, settings_path

    settings, path = read_user_settings(), settings_path()
    there = f"{len(settings.sources)} sources of the marketplace" if os.path.exists(path) else "not there: defaults"
    yield DoctorFact("settings", OK, f"{path} ({there})")
    root = personal_root()
    if root is None:
        yield DoctorFact("personal skills", NOTE, "switched off by SKILLBAG_PERSONAL_DIR")
    else:
        yield DoctorFact("personal skills", OK, root if os.path.isdir(root) else f"{root} (not there yet)")


def _workspace(folder: str) -> Iterator[DoctorFact]:
    from skillbag.kernel.workspace.discovery import enclosing_root
    from skillbag.kernel.workspace.kinds import kind_at

    root = enclosing_root(folder)
    if root is None:
        todo = "skillbag init makes this folder one; skillbag check works without."
        yield DoctorFact("workspace", NOTE, f"none at or above {folder}", todo)
        return
    signs = [name for name in (ENTRYPOINT, SKILL_ROOT, "skillbag.lock") if os.path.exists(os.path.join(root, name))]
    yield DoctorFact("workspace", OK, f"{root} (a {kind_at(root)}: {', '.join(signs) or 'by its folders'})")


def _configuration(folder: str) -> Iterator[DoctorFact]:
    from skillbag.lint.engine.config import find_config, read_config

    path = find_config(folder)
    if path is None:
        yield DoctorFact("configuration", OK, f"defaults: no skillbag.toml or [tool.skillbag] at or above {folder}")
        return
    read_config(path)
    where = "in this folder" if os.path.dirname(path) == folder else "the nearest one above this folder"
    yield DoctorFact("configuration", OK, f"{path} ({where})")


def _variables(_: str) -> Iterator[DoctorFact]:
    for name in sorted(os.environ):
        if name in _SHOWN:
            yield DoctorFact(name, OK, os.environ[name] or "(empty)")
        elif name.startswith("SKILLBAG_") or name.upper() in _PROXIES:
            yield DoctorFact(name, OK, "set (its value may hold a secret and is not shown)")


def _agents(folder: str) -> Iterator[DoctorFact]:
    from skillbag.kernel.workspace.discovery import enclosing_root
    from skillbag.kernel.workspace.git import repository
    from skillbag.supply.links.machine import found_agents

    root = enclosing_root(folder) or repository(folder) or folder
    names = [f"{agent.title} ({agent.name})" for agent in found_agents(root)]
    todo = "" if names else "skillbag agent link --list shows the agents that are known."
    yield DoctorFact("agents", OK if names else NOTE, ", ".join(names) or "none found", todo)


def _sandbox(_: str) -> Iterator[DoctorFact]:
    from skillbag.kernel.processes.confinement import available

    held = available()
    names = {"files": "files", "network": "the network", "processes": "the number of processes"}
    missing = [name for field, name in names.items() if not getattr(held, field)]
    if missing:
        todo = (
            f"Active skills that need this do not start, or run without it if you allow it: {DOCUMENTATION}/runtime.md"
        )
        yield DoctorFact("sandbox", NOTE, f"can't limit {', '.join(missing)} here", todo)
    else:
        yield DoctorFact(
            "sandbox", OK, "files, the network and the number of processes of active skills can be limited"
        )


def _terminal(_: str) -> Iterator[DoctorFact]:
    import locale

    from skillbag.doors.cli.hyperlinks import link_form
    from skillbag.doors.cli.streams import columns

    if not sys.stdout.isatty():
        yield DoctorFact(
            "terminal", OK, "standard output is no terminal: lines are not folded, without colours unless forced"
        )
        return
    color = colored(sys.stdout)
    links = bool(link_form(sys.stdout, color))
    parts = (
        f"{columns(sys.stdout)} columns",
        "colours" if color else "no colours",
        "hyperlinks" if links else "no hyperlinks",
        locale.getpreferredencoding(False),
    )
    utf8 = parts[-1].lower().replace("-", "") == "utf8"
    todo = "" if utf8 else "Set the locale to one with UTF-8, or some characters are not shown."
    yield DoctorFact("terminal", OK if utf8 else NOTE, ", ".join(parts), todo)


def _upward(path: str) -> Iterator[str]:
    while True:
        yield path
        parent = os.path.dirname(path)
        if parent == path:
            return
        path = parent
