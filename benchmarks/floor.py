"""The least that a checker in Python has to do: walk, read, parse the front matter, test the links. No rules.

Run in the root of a corpus; prints how much it has seen, as JSON.
"""

from __future__ import annotations

import json
import os
import re
import sys

import yaml

_LINK = re.compile(r"\]\(([^)#:]+)[)#]")


def skill_texts(folder: str) -> dict[str, str]:
    """The text of every file of a skill, by its path within it."""
    texts, pending = {}, [""]
    while pending:
        prefix = pending.pop()
        with os.scandir(os.path.join(folder, prefix)) as entries:
            for entry in entries:
                path = prefix + entry.name
                if entry.is_dir(follow_symlinks=False):
                    pending.append(path + "/")
                else:
                    with open(entry.path, "rb") as handle:
                        texts[path] = handle.read().decode()
    return texts


def main() -> None:
    """Go through `skills/*/` of the working directory."""
    skills = files = targets = missing = 0
    for name in sorted(os.listdir("skills")):
        texts = skill_texts(os.path.join("skills", name))
        front, body = texts["SKILL.md"].split("\n---\n", 1)
        fields = yaml.load(front, yaml.CSafeLoader)
        links = _LINK.findall(body)
        skills += fields["name"] == name
        files += len(texts)
        targets += len(links)
        missing += sum(link not in texts for link in links)
    print(json.dumps({"skills": skills, "files": files, "relative_links": targets, "missing": missing}))
    sys.exit(missing > 0)


if __name__ == "__main__":
    main()
