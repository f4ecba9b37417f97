"""skills-ref over many skills in one process; its command takes a single skill, and a loop of processes is unfair.

Run in the root of a corpus; prints how many skills were validated and what was said of them, as JSON.
"""

from __future__ import annotations

import json
from pathlib import Path

from skills_ref import validate


def main() -> None:
    """Validate each folder of `skills/`."""
    messages = {folder.name: validate(folder) for folder in sorted(Path("skills").iterdir()) if folder.is_dir()}
    print(json.dumps({"skills": len(messages), "messages": {name: found for name, found in messages.items() if found}}))


if __name__ == "__main__":
    main()
