"""The scripts of the corpora: real little programs, put together from parts so that hardly two are the same."""

from __future__ import annotations

from random import Random
from string import Template
from textwrap import dedent

import words

_PYTHON_PARTS = [
    Template(dedent(text))
    for text in (
        '''\
        def ${verb}_$thing(lines):
            """The lines of at least $number characters, longest first."""
            kept = [line for line in lines if len(line) >= $number]
            return sorted(kept, key=len, reverse=True)
        ''',
        '''\
        def ${verb}_$thing(lines):
            """How often each first word comes, at most $number of them."""
            counts = {}
            for line in lines:
                word = line.split(" ", 1)[0].lower()
                counts[word] = counts.get(word, 0) + 1
            ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
            return [f"{count:>6} {word}" for word, count in ranked[:$number]]
        ''',
        '''\
        def ${verb}_$thing(lines):
            """Every line once, numbered from $number."""
            seen = dict.fromkeys(line.strip() for line in lines)
            return [f"{number}: {line}" for number, line in enumerate(seen, start=$number)]
        ''',
        '''\
        def ${verb}_$thing(lines):
            """The lines in groups of $number, with a rule between them."""
            result = []
            for index, line in enumerate(lines):
                if index and index % $number == 0:
                    result.append("-" * 20)
                result.append(line)
            return result
        ''',
        '''\
        def ${verb}_$thing(lines):
            """The lines with `$quality` in them or shorter than $number characters."""
            return [line for line in lines if "$quality" in line.lower() or len(line) < $number]
        ''',
        '''\
        def ${verb}_$thing(lines):
            """The sums of the numbers in each line, where it has any."""
            totals = []
            for line in lines:
                numbers = [int(part) for part in line.split() if part.isdigit()]
                if numbers:
                    totals.append(f"$thing {sum(numbers) % (10 * $number)}")
            return totals
        ''',
    )
]
_PYTHON = Template(
    dedent(
        '''\
        #!/usr/bin/env python3
        """$title."""

        import argparse
        import sys


        $functions

        STEPS = {$steps}


        def main():
            parser = argparse.ArgumentParser(description="$title.")
            parser.add_argument("step", choices=sorted(STEPS))
            parser.add_argument("--limit", type=int, default=$number)
            options = parser.parse_args()
            lines = [line.rstrip("\\n") for line in sys.stdin]
            for line in STEPS[options.step](lines)[: options.limit]:
                print(line)


        if __name__ == "__main__":
            main()
        '''
    )
)
_SHELL_PARTS = [
    Template(dedent(text))
    for text in (
        """\
        # Lines of at least $number characters.
        ${verb}_$thing() {
            awk -v least=$number 'length($$0) >= least' "$$1"
        }
        """,
        """\
        # The $number most frequent first words.
        ${verb}_$thing() {
            cut -d ' ' -f 1 "$$1" | sort | uniq -c | sort -rn | head -n $number
        }
        """,
        """\
        # Every line with $quality in it, with its number.
        ${verb}_$thing() {
            grep -n -i -- '$quality' "$$1" || printf 'no %s line\\n' '$quality'
        }
        """,
        """\
        # The lines between the first and line $number, in reverse.
        ${verb}_$thing() {
            count=0
            while IFS= read -r line && [ "$$count" -lt $number ]; do
                count=$$((count + 1))
                printf '%s: %s\\n' "$$count" "$$line"
            done <"$$1" | sort -rn
        }
        """,
        """\
        # Tell whether a file has more than $number lines.
        ${verb}_$thing() {
            total=$$(wc -l <"$$1")
            if [ "$$total" -gt $number ]; then
                printf '%s: %s lines\\n' "$$1" "$$total"
            fi
        }
        """,
    )
]
_SHELL = Template(
    dedent(
        """\
        #!/bin/sh
        # $title.
        set -eu

        $functions
        usage() {
            printf 'usage: %s step file\\n' "$$0" >&2
            exit 2
        }

        [ "$$#" -eq 2 ] || usage
        case "$$1" in
        $steps
        *) usage ;;
        esac
        """
    )
)


_SMALL = 1300
"""Bytes below which a program in Python has no command line."""
_PYTHON_SMALL = Template(
    dedent(
        '''\
        """$title."""

        import sys


        $functions

        print($last(sys.stdin.read().splitlines()))
        '''
    )
)


def python_program(random: Random, title: str, length: int, remarks: list[str]) -> str:
    """A filter of text lines in Python, of about that many bytes; `title` is a sentence without its full stop."""
    template = _PYTHON_SMALL if length < _SMALL else _PYTHON
    parts = _parts(random, _PYTHON_PARTS, length - len(template.template) - len(title) - _long(remarks))
    parts |= {f" {number}": f"# {remark}\n" for number, remark in enumerate(remarks)}
    names = [name for name in parts if not name.startswith(" ")]
    steps = ", ".join(f'"{name}": {name}' for name in names[:_STEPS])
    functions = "\n\n".join(parts.values())
    return template.substitute(
        title=title, functions=functions, steps=steps, last=names[-1], number=random.randint(10, 900)
    )


def shell_program(random: Random, title: str, length: int, remarks: list[str]) -> str:
    """The same kind of filter for a POSIX shell."""
    parts = _parts(random, _SHELL_PARTS, length - len(_SHELL.template) - len(title) - _long(remarks))
    steps = "\n".join(f'{name}) {name} "$2" ;;' for name in list(parts)[:_STEPS])
    functions = "\n".join([*parts.values(), *(f"# {remark}\n" for remark in remarks)])
    return _SHELL.substitute(title=title, functions=functions, steps=steps)


_STEPS = 12
"""How many functions the command line of a program names at most."""


def _long(remarks: list[str]) -> int:
    return sum(len(remark) + 3 for remark in remarks)


def _parts(random: Random, templates: list[Template], length: int) -> dict[str, str]:
    """Functions by name, one at least, of about that many bytes; the names are as random as the bodies."""
    parts: dict[str, str] = {}
    while length > 0 or not parts:
        names = {"verb": words.verb(random), "thing": words.thing(random), "quality": words.quality(random)}
        body = random.choice(templates).substitute(names, number=random.randint(3, 120))
        parts[f"{names['verb']}_{names['thing']}"] = body
        length -= len(body) + 2
    return parts
