"""One measured run of an installer in a workspace of its own, and the proof that every file arrived."""

from __future__ import annotations

import filecmp
import os
import shutil
import subprocess
import sys
from typing import NamedTuple

from install_contenders import HOSTED, SECOND_RUNS, WITH_GIT, Installer, Task, Way
from measure import LAUNCHER, NotRealError, Run, cores


class Corpus(NamedTuple):
    """A source in both layouts: the folders by the layout's name, and the repositories of the same."""

    folders: dict[str, str]
    repositories: dict[str, str]


def measure(installer: Installer, task: Task, programs: str, corpus: Corpus, work: str) -> Run:
    """Do the task once, in an empty workspace and with an empty home: no cache of an earlier run is there.

    `programs` is the folder of the installer's programs. Where the task is a second run, that is the one measured.

    Raises:
        NotRealError: the installer can't do the task, it failed, or what it left is not what the source holds.
    """
    way = installer.way(task)
    if way is None:
        raise NotRealError(f"{installer.name} does not do: {task.value}")
    stage = os.path.join(work, "stage")
    shutil.rmtree(stage, ignore_errors=True)
    repository = corpus.repositories[installer.layout]
    source = corpus.folders[installer.layout]
    if task in WITH_GIT:
        source = HOSTED if installer.hosted else f"file://{repository}"
    _prepare(stage, way, source, repository)
    if way.first:
        _timed(installer, way.first, source, programs, stage)
    run = _timed(installer, way.command, source, programs, stage)
    if task in SECOND_RUNS:
        _verify(installer, task, corpus, stage)
        run = _timed(installer, way.again or way.command, source, programs, stage)
    if task is not Task.VERSION:
        _verify(installer, task, corpus, stage)
    shutil.rmtree(stage)
    return run


def _prepare(stage: str, way: Way, source: str, repository: str) -> None:
    for folder in ("workspace", "home"):
        os.makedirs(os.path.join(stage, folder))
    with open(os.path.join(stage, "home", ".gitconfig"), "w", encoding="utf-8") as handle:
        handle.write(f'[url "file://{repository}"]\n\tinsteadOf = {HOSTED}\n')
    if way.declared:
        name, text = way.declared
        with open(os.path.join(stage, "workspace", name), "w", encoding="utf-8") as handle:
            handle.write(text.replace("SOURCE", source))


def _timed(installer: Installer, words: tuple[str, ...], source: str, programs: str, stage: str) -> Run:
    program, *arguments = (word.replace("SOURCE", source) for word in words)
    path = os.pathsep.join((programs, os.environ["PATH"]))
    found = shutil.which(program, path=path)
    if found is None:
        raise NotRealError(f"{installer.name}: there is no program {program}")
    pinned = ",".join(map(str, cores()))
    command = [sys.executable, "-S", "-E", "-s", LAUNCHER, pinned, "0", found, *arguments]
    # What the run before has written is not on its way to the disk any more.
    os.sync()
    done = subprocess.run(
        command,
        cwd=os.path.join(stage, "workspace"),
        env=_environment(path, stage),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    figures, _, output = done.stdout.partition(b"\n")
    said = (done.stderr + output)[-3000:].decode("utf-8", "replace").strip()
    if done.returncode:
        raise NotRealError(f"{installer.name} could not be started: {said}")
    wall, cpu, memory, _, code = figures.split()
    if int(code):
        raise NotRealError(f"{installer.name}: exit code {int(code)} of {' '.join(words)}\n{said}")
    return Run(float(wall), float(cpu), int(memory) / 1024, 0.0)


def _environment(path: str, stage: str) -> dict[str, str]:
    """The same few variables for every installer: no configuration of the user's, no request to the makers."""
    temporary = os.path.join(os.path.dirname(stage), "temporary")
    os.makedirs(temporary, exist_ok=True)
    quiet = {"DO_NOT_TRACK": "1", "DISABLE_TELEMETRY": "1", "APM_NO_DIRECT_FALLBACK": "1"}
    return {"PATH": path, "HOME": os.path.join(stage, "home"), "LANG": "C.UTF-8", "TMPDIR": temporary, **quiet}


def _verify(installer: Installer, task: Task, corpus: Corpus, stage: str) -> None:
    """Every file of every skill is there, byte for byte."""
    # It remembers results by path, size and time, and the paths are those of the run before.
    filecmp.clear_cache()
    folder = corpus.folders[installer.layout]
    root = os.path.join(folder, ".skills" if installer.layout == "skillbag" else "skills")
    landed = os.path.join(stage, "workspace", installer.lands)
    for parent, _, names in os.walk(root):
        below = os.path.relpath(parent, root)
        # The catalog beside the skills is each installer's own affair.
        for name in names if below != "." else ():
            there = os.path.join(landed, below, name)
            if not os.path.isfile(there) or not filecmp.cmp(os.path.join(parent, name), there, shallow=False):
                raise NotRealError(f"{installer.name}, {task.value}: {os.path.join(below, name)} did not arrive whole")
