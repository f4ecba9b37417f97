"""Print the broken relative links of the Markdown files in the given folders."""

import re
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)\s#]+)")


def main(folders: list[str]) -> int:
    broken = 0
    for folder in folders:
        for page in sorted(Path(folder).rglob("*.md")):
            for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
                for target in LINK.findall(line):
                    if "://" not in target and not (page.parent / target).exists():
                        broken += 1
                        print(f"{page}:{number}: {target}")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["."]))
