"""Faults of scripts and of data files."""

from __future__ import annotations

from mutations.edits import adds, fence, script
from mutations.kinds import Kind, Way

_FAMILY = "scripts"


def _kind(name: str, *ways: Way) -> Kind:
    return Kind(name, _FAMILY, ways)


def _data(path: str, text: str) -> Way:
    return adds(path, text, f"The defaults are in [the settings]({path}).")


def _run(path: str, text: str, executable: bool = True) -> Way:
    return adds(path, text, f"```bash\n./{path} report.csv\n```", 0, executable)


KINDS = (
    _kind(
        "python-syntax",
        script("scripts/tally.py", "import sys", "", "def main()", "    print(sys.argv)", "", "main()", line=3),
        script("scripts/tally.py", "import sys", "", "print(len(sys.argv)", "", "print('done')"),
        script("scripts/tally.py", "def main():", "print('done')", "", "main()", line=2),
        script("scripts/tally.py", "name = 'report'", 'print "done", name', line=2),
        script("scripts/tally.py", "total = 0", "for one in range(3):", "    total += one", "  print(total)", line=4),
        script("scripts/tally.py", "rows = [1, 2", "print(rows)"),
        script("scripts/tally.py", "text = 'it's done'", "print(text)", line=1),
        script("scripts/tally.py", "def tally(rows):", "    return sum(rows", "", "", "print(tally([1]))"),
    ),
    _kind(
        "shell-syntax",
        script("scripts/tally.sh", "#!/bin/bash", 'if [ -f "$1" ]; then', '  wc -l "$1"'),
        script("scripts/tally.sh", "#!/bin/bash", "for one in *.csv; do", '  wc -l "$one"'),
        script("scripts/tally.sh", "#!/bin/bash", 'echo "done', "exit 0"),
        script("scripts/tally.sh", "#!/bin/bash", "tally() {", '  wc -l "$1"', "", 'tally "$1"'),
        script("scripts/tally.sh", "#!/bin/bash", 'case "$1" in', "  a) echo a ;;", "echo done"),
        script("scripts/tally.sh", "#!/bin/bash", "if true; then", "  echo yes", "done", line=4),
    ),
    _kind(
        "javascript-syntax",
        script("scripts/tally.js", "function main() {", "  console.log('done')", "", "main()"),
        script("scripts/tally.js", "const = 3", "console.log('done')", line=1),
        script("scripts/tally.mjs", "import fs from 'fs'", "console.log(fs.readdirSync('.')", "console.log('done')"),
        script("scripts/tally.js", "const rows = [1, 2, 3", "console.log(rows)"),
        script("scripts/tally.js", "const text = 'it's done'", "console.log(text)", line=1),
        script("scripts/tally.mjs", "export default {", "  name: 'tally'", "  rows: 3", "}", line=3),
    ),
    _kind(
        "typescript-syntax",
        script("scripts/tally.ts", "interface Row {", "  name: string", "", "const row: Row = { name: 'a' }"),
        script("scripts/tally.ts", "const rows: number[ = [1, 2]", "console.log(rows)", line=1),
        script("scripts/tally.ts", "function tally(rows: number[]): number {", "  return rows.length"),
        script("scripts/tally.ts", "type Row = { name: string", "export const row: Row = { name: 'a' }"),
    ),
    _kind(
        "json-syntax",
        _data("assets/settings.json", '{\n  "rows": 3,\n  "name": "tally",\n}\n'),
        _data("assets/settings.json", "{\n  'rows': 3\n}\n"),
        _data("assets/settings.json", '{\n  "rows": 3\n  "name": "tally"\n}\n'),
        _data("assets/settings.json", '{\n  "rows": [1, 2\n}\n'),
        _data("assets/settings.json", '{\n  "rows": 3\n'),
        _data("assets/settings.json", '{\n  "rows": None\n}\n'),
    ),
    _kind(
        "yaml-file-syntax",
        _data("assets/settings.yaml", "rows: 3\nnames:\n\t- tally\n"),
        _data("assets/settings.yml", "rows: [1, 2\nname: tally\n"),
    ),
    _kind(
        "toml-file-syntax",
        _data("assets/settings.toml", "[rows]\ncount = three\n"),
        _data("assets/settings.toml", "[rows\ncount = 3\n"),
    ),
    _kind(
        "fence-syntax",
        fence("python", "def tally(rows)", "    return len(rows)"),
        fence("json", "{", '  "rows": 3,', "}"),
        fence("bash", "if [ -f report.csv ]; then", "  wc -l report.csv"),
        fence("python", "import csv", "rows = list(csv.reader(open('report.csv'))", "print(rows)"),
    ),
    _kind(
        "shebang-crlf",
        _run("scripts/tally.sh", '#!/bin/bash\r\nwc -l "$1"\r\n'),
        _run("scripts/tally.py", "#!/usr/bin/env python3\r\nprint('done')\r\n"),
    ),
    _kind(
        "shebang-not-first",
        _run("scripts/tally.sh", '\n#!/bin/bash\nwc -l "$1"\n'),
        _run("scripts/tally.py", "# Counts rows.\n#!/usr/bin/env python3\nprint('done')\n"),
        _run("scripts/tally.py", " #!/usr/bin/env python3\nprint('done')\n"),
        _run("scripts/tally.sh", '# Counts rows.\n\n#!/usr/bin/env bash\nwc -l "$1"\n'),
    ),
    _kind(
        "shebang-missing",
        _run("scripts/tally.py", "print('done')\n"),
        _run("scripts/tally.py", '"""Counts rows."""\n\nimport sys\n\nprint(len(sys.argv))\n'),
    ),
    _kind(
        "shebang-wrong",
        _run("scripts/tally.sh", "#!/usr/bin/env python3\nset -e\nif [ -f a ]; then\n  wc -l a\nfi\n"),
        _run("scripts/tally.py", "#!/bin/bash\nimport sys\n\nprint(len(sys.argv))\n"),
        _run("scripts/tally.js", "#!/usr/bin/env python3\nconst rows = 3\nconsole.log(rows)\n"),
        _run("scripts/tally.py", "#!/usr/bin/env pyhton3\nprint('done')\n"),
    ),
    _kind(
        "not-executable",
        _run("scripts/tally.sh", '#!/bin/bash\nwc -l "$1"\n', executable=False),
        _run("scripts/tally.py", "#!/usr/bin/env python3\nprint('done')\n", executable=False),
    ),
)
