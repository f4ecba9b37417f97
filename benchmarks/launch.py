"""Starts one program, and prints what it took before what it printed.

    python -S -E -s launch.py CORES SAMPLE PROGRAM [ARGUMENT ...]

CORES are numbers with commas between them (or nothing), SAMPLE is 1 to watch the memory of the whole process tree as
well, which disturbs the time. The first line of the output is: wall seconds, CPU seconds, peak memory of the largest
process in KiB, sampled peak of all processes in KiB (0: not sampled), exit code. All that follows is the program's.

This is a process of its own, and a small one, because the kernel counts the memory of whoever starts a program towards
the program's peak.
"""

from __future__ import annotations

import os
import select
import sys
import time

_INTERVAL = 0.002
"""Seconds between two samples."""


def tree_memory(pid: int) -> int:
    """KiB that the process and its descendants have in memory, with shared pages counted once; 0 if they are gone."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as handle:
            own = sum(int(line.split()[1]) for line in handle if line.startswith("Pss:"))
        children: list[str] = []
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as handle:
                children += handle.read().split()
    except OSError:
        return 0
    return own + sum(tree_memory(int(child)) for child in children)


def drain(pipe: int, pid: int, sample: bool) -> tuple[list[bytes], int]:
    """All output of the process, and its sampled peak."""
    chunks: list[bytes] = []
    peak = 0
    while True:
        if sample:
            peak = max(peak, tree_memory(pid))
            if not select.select([pipe], [], [], _INTERVAL)[0]:
                continue
        chunk = os.read(pipe, 1 << 20)
        if not chunk:
            return chunks, peak
        chunks.append(chunk)


def main() -> None:
    """Pin, start, drain, wait, print."""
    cores, sample, *command = sys.argv[1:]
    if cores:
        os.sched_setaffinity(0, [int(core) for core in cores.split(",")])
    reader, writer = os.pipe()
    start = time.perf_counter()
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, writer, 1)])
    os.close(writer)
    chunks, peak = drain(reader, pid, sample == "1")
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    cpu = usage.ru_utime + usage.ru_stime
    print(wall, cpu, usage.ru_maxrss, peak, os.waitstatus_to_exitcode(status), flush=True)
    for chunk in chunks:
        sys.stdout.buffer.write(chunk)


if __name__ == "__main__":
    main()
