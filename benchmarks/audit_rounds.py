"""The rates of `skillbag team audit`: repositories fetched and checked, bytes of their records, summing up very many.

docs/scale.md reckons with them. Every repository is a bare one on this machine, so that no network has a part in it.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import environments
import quiet
import results
from contenders import PROJECT, Contender
from corpus import write_corpus
from measure import cores

_HERE = os.path.dirname(os.path.abspath(__file__))
_WORK = os.path.join(_HERE, "work")
_WHO = ("-c", "user.name=Benchmark", "-c", "user.email=benchmark@example.com")


class Round(NamedTuple):
    """One run: seconds on the clock, of CPU by all its processes, its largest memory in bytes, and others' cores."""

    clock: float
    cpu: float
    memory: int
    others: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the repositories, run the rounds, print the tables, and write them with `--save`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repositories", type=int, default=100)
    parser.add_argument("--skills", type=int, default=10, help="of each repository")
    parser.add_argument("--records", type=int, nargs="+", default=[2_000, 20_000], help="that are summed up")
    parser.add_argument("--runs", type=int, default=5, help="rounds; everything runs once in each")
    parser.add_argument("--program", help="the folder of another skillbag's programs, instead of one made of this tree")
    parser.add_argument("--save", action="store_true", help="write results/audit.md")
    options = parser.parse_args(arguments)
    contender = Contender(PROJECT, (), (), None)
    programs = options.program or environments.prepare(contender, _WORK)
    folder = os.path.join(_WORK, "audit")
    shutil.rmtree(folder, ignore_errors=True)
    bench = _Bench(os.path.join(programs, "skillbag"), folder)
    manifests = bench.make(options.repositories, options.skills)
    facts = results.machine(
        len(cores()), {} if options.program else environments.versions([contender], {PROJECT: programs})
    )
    table = _head(options, facts) + bench.rates(manifests, options) + bench.sizes() + bench.sums(options.records)
    print(table)
    if options.save:
        with open(os.path.join(_HERE, "results", "audit.md"), "w", encoding="utf-8") as handle:
            handle.write(table)
    return 0


def _head(options: argparse.Namespace, facts: dict[str, Any]) -> str:
    about = (
        f"{options.repositories} repositories of {options.skills} made-up skills each; {options.runs} rounds in turn."
    )
    machine = ", ".join(f"{key.replace('_', ' ')}: {value}" for key, value in facts.items())
    return f"# The rates of an audit\n\n{about}\n\n{machine}\n\n"


class _Bench:
    """A program, and the folder that all is made in."""

    def __init__(self, program: str, folder: str) -> None:
        self._program, self._folder = program, folder
        names = ("STATE", "CACHE", "CONFIG", "PERSONAL")
        self._environment = os.environ | {f"SKILLBAG_{name}_DIR": self._path(name.lower()) for name in names}

    def _path(self, *names: str) -> str:
        return os.path.join(self._folder, *names)

    def make(self, count: int, skills: int) -> dict[str, str]:
        """The repositories, bare and as folders; the manifest of each kind. No skill is in two of them."""
        os.makedirs(self._folder)
        write_corpus(self._path("model"), count * skills)
        every = sorted(os.listdir(self._path("model", "skills")))
        lines: dict[str, list[str]] = {"git over file://": [], "folders": []}
        for number in range(count):
            folder, bare = self._path("folders", str(number)), self._path("bare", f"{number}.git")
            for name in every[number * skills : (number + 1) * skills]:
                shutil.move(self._path("model", "skills", name), os.path.join(folder, "skills", name))
            _git(folder, "init", "--quiet")
            _git(folder, "add", ".")
            _git(folder, *_WHO, "commit", "--quiet", "--message", "All")
            _git(folder, "clone", "--quiet", "--bare", folder, bare)
            lines["git over file://"].append(f"file://{bare}")
            lines["folders"].append(folder)
        return {name: self._manifest(name, texts) for name, texts in lines.items()}

    def _manifest(self, name: str, lines: Sequence[str]) -> str:
        path = self._path(f"{name.split()[0]}.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        return path

    def _run(self, *arguments: str) -> Round:
        before = quiet.now()
        process = subprocess.Popen([self._program, "audit", *arguments, "--quiet"], env=self._environment)
        _, status, usage = os.wait4(process.pid, 0)
        after = quiet.now()
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"skillbag team audit {' '.join(arguments)} ended with {process.returncode}")
        cpu = usage.ru_utime + usage.ru_stime
        # It was waited for here, so that the counters of this process do not have it.
        others = quiet.others(before, after._replace(own=max(after.own, before.own + cpu)))
        return Round(after.clock - before.clock, cpu, usage.ru_maxrss << 10, others)

    def rates(self, manifests: dict[str, str], options: argparse.Namespace) -> str:
        """Repositories a second, by kind and number of processes."""
        jobs = sorted({1, len(cores())})
        found: dict[tuple[str, int], list[Round]] = {(kind, number): [] for kind in manifests for number in jobs}
        for _ in range(options.runs):
            for (kind, number), several in found.items():
                shutil.rmtree(self._path("out"), ignore_errors=True)
                several.append(
                    self._run("--manifest", manifests[kind], "--out", self._path("out"), "--jobs", str(number))
                )
                if kind != "folders":
                    shutil.rmtree(self._path("kept"), ignore_errors=True)
                    shutil.copytree(self._path("out"), self._path("kept"))
        lines = ["| sources | processes | repositories/s, median | fastest | CPU s each | others' cores, most |"]
        lines += ["| --- | ---: | ---: | ---: | ---: | ---: |"]
        for (kind, number), several in found.items():
            clocks = [one.clock for one in several]
            cpu = statistics.median(one.cpu for one in several) / options.repositories
            rates = [options.repositories / statistics.median(clocks), options.repositories / min(clocks)]
            cells = [f"{rates[0]:.1f}", f"{rates[1]:.1f}", f"{cpu:.3f}", f"{max(one.others for one in several):.1f}"]
            lines.append(f"| {kind} | {number} | {' | '.join(cells)} |")
        return "\n".join(lines) + "\n\n"

    def sizes(self) -> str:
        """Bytes of a repository on its way, and of its record."""
        import gzip

        with open(self._path("kept", "records.jsonl"), "rb") as file:
            lines = file.readlines()
        fetched = statistics.mean(json.loads(line)["bytes"] for line in lines)
        record = statistics.mean(map(len, lines))
        packed = len(gzip.compress(b"".join(lines))) / len(lines)
        text = (
            f"Bytes for each repository: {fetched:,.0f} fetched; {record:,.0f} of its record, {packed:,.0f} with gzip"
        )
        try:
            self._run("--out", self._path("kept"), "--parquet")
        except SystemExit:
            return f"{text}.\n\n"
        tables = [name for name in os.listdir(self._path("kept")) if name.endswith(".parquet")]
        size = sum(os.path.getsize(self._path("kept", name)) for name in tables) / len(lines)
        return f"{text}, {size:,.0f} as Parquet.\n\n"

    def sums(self, counts: Sequence[int]) -> str:
        """How long it takes to sum up so many records, and what memory; no two skills are alike."""
        lines = ["| records | skills | seconds | records/s | memory, MiB |", "| ---: | ---: | ---: | ---: | ---: |"]
        with open(self._path("kept", "records.jsonl"), encoding="utf-8") as file:
            model = json.loads(file.readline())
        for count in counts:
            folder = self._path(f"sum-{count}")
            os.makedirs(folder)
            with open(os.path.join(folder, "records.jsonl"), "w", encoding="utf-8") as file:
                file.writelines(_many(model, count))
            ran = self._run("--out", folder)
            skills = count * len(model["skills"])
            lines.append(
                f"| {count:,} | {skills:,} | {ran.clock:.1f} | {count / ran.clock:,.0f} | {ran.memory / 2**20:.0f} |"
            )
            shutil.rmtree(folder)
        return "\n".join(lines) + "\n"


def _many(model: dict[str, Any], count: int) -> Iterator[str]:
    """So many records like one, of other sources and with other skills."""
    random_ = random.Random(1)
    for number in range(count):
        for skill in model["skills"]:
            skill["tree"] = f"sha256:{random_.getrandbits(256):064x}"
            skill["sketch"] = base64.b64encode(random_.randbytes(252)).decode()
        record = {**model, "key": f"{random_.getrandbits(256):064x}", "source": f"https://example.com/{number}.git"}
        yield json.dumps(record) + "\n"


def _git(folder: str, *arguments: str) -> None:
    subprocess.run(["git", "-C", folder, *arguments], check=True, stdout=subprocess.DEVNULL)
